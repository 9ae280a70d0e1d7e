// The frame of a controller: it notes which objects an event may concern ("touches" their keys) and brings
// each of them, one at a time, to what the rules say.
//
// Nothing is sent before the first Tick, when all that exists has been shown. A key is looked at again when
// an event touches it, when a command sent for it is answered, or when a time it asked for has come.
//
// Back-pressure: with many commands unanswered the next keys wait, and are looked at as they are by then.
// Their turn goes round, so that none waits for ever behind others that are touched again and again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/controller.hpp"
#include "protocol/outbox.hpp"

namespace tidegate::controllers {

class Reconciler : public Controller {
 public:
  std::vector<Command> handle(const Event& event, Time now) final;

 protected:
  virtual void seen(const api::Object& object, Time now) = 0;
  virtual void gone(const api::ObjectRef& ref, const std::string& uid) = 0;
  // Compares what is with what should be, and sends what is missing.
  virtual void reconcile(const std::string& key, Time now) = 0;
  // How a command went that was sent for a key, before the key is looked at again.
  virtual void answered(const Outbox::Sent&, const CommandDone&) {}

  void touch(const std::string& key) { touched_.insert(key); }
  // From reconcile(): look at this key again then.
  void wake(Time at);
  // One command per verb, key and part at a time; verbs hold no '/', keys no '#'.
  // False if one is under way or has failed a moment ago: the key is looked at again by itself.
  bool send(const std::string& verb, const std::string& key, Action action, Time now,
            const std::string& part = "");
  void effectSeen(const std::string& verb, const std::string& key, const std::string& part = "");
  void forget(const std::string& verb, const std::string& key, const std::string& part = "");
  void emit(Emit event) { outbox_.tell(std::move(event)); }

 private:
  void take(const Event& event, Time now);
  void run(Time now);
  void schedule(const std::string& key, std::optional<Time> at);
  std::vector<Command> commands(Time now);

  Outbox outbox_;
  bool started_ = false;
  std::set<std::string> touched_;
  std::string last_;  // looked at
  std::map<std::string, Time> dueOf_;
  std::set<std::pair<Time, std::string>> due_;
  std::optional<Time> wake_;   // asked for by the key that is being looked at
  std::optional<Time> asked_;  // of the world
};

// The one whose turn comes after `last`, round and round; `keys` is not empty.
std::set<std::string>::const_iterator nextInTurn(const std::set<std::string>& keys, const std::string& last);

// The verb and the key of an outbox entry.
std::string verbOf(const std::string& entry);
std::string keyIn(const std::string& entry);

}  // namespace tidegate::controllers
