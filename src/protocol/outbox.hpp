// Sends commands, one per intention at a time.
//
// State machines ask for what the objects lack, in every step; the outbox keeps that from becoming a flood.
// An intention that was sent is not sent again until it has failed, or its answer, or its effect on the
// objects, is overdue.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/time.hpp"
#include "protocol/act.hpp"
#include "protocol/events.hpp"

namespace tidegate {

class Outbox {
 public:
  // An intention and how often it was sent, the last time with this action.
  struct Sent {
    std::string key;
    Action action;
    int attempts = 0;
  };

  // False if the intention is under way, or has failed a moment ago: nothing is sent.
  bool send(const std::string& key, Action action, Time now);
  void send(const Acts& acts, Time now);
  // Would it not be sent? Asked for all the same, as by send().
  bool held(const std::string& key, Time now);
  // Sent once, nothing expected of it.
  void tell(Action action);

  // Takes a command's outcome; the intention it served, if it is still known.
  std::optional<Sent> finished(const CommandDone& done, Time now);
  // The objects have changed since: once the command under way is answered, its effect counts as seen, and
  // the intention, should it come up again, may be sent at once. Failures keep their wait.
  void effectSeen(const std::string& key);
  // The intention is fulfilled or void: should it come up again, it may be sent at once.
  void forget(const std::string& key);

  // The commands since the last call, in order.
  std::vector<Command> take();
  // When the first of the intentions asked for since the last call may be sent again, should it still be
  // wanted.
  std::optional<Time> takeRetry();

 private:
  struct Entry {
    CommandId id = 0;  // 0: answered
    Action action;
    int attempts = 0;
    int failures = 0;   // in a row
    bool seen = false;  // the objects have changed since it was sent
    Time retryAt;
  };

  void dropOld(Time now);

  std::map<std::string, Entry> entries_;
  std::map<CommandId, std::string> keys_;
  std::vector<Command> commands_;
  std::optional<Time> retry_;
  CommandId lastId_ = 0;
  std::size_t sweepAt_ = 1024;
};

}  // namespace tidegate
