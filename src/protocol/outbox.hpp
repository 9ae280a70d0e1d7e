// Sends commands, one per intention at a time.
//
// State machines ask for what the objects lack, in every step; the outbox keeps that from becoming a flood.
// An intention that was sent is not sent again before its command is answered. Then it waits: after a failure
// 200 ms, doubled up to 6.4 s; after a success, for its effect on the objects, 5 s, doubled up to 40 s while
// the same is asked for again and again. What has changed since, or was not asked for when it could have been
// sent, waits 5 s again.
//
// There is no time by which an answer is overdue. Who hosts a controller answers each of its commands once,
// Unknown if the server's answer was lost (controller.hpp), as the requests behind it have timeouts and
// bounded tries; a host that dies takes the controller's memory along. A command without an answer is
// therefore one that still waits for its turn, and a second copy would wait behind it, and make the queue of
// a server that is slow already longer. So no command is ever out twice, and no answer belongs to a copy that
// was given up.
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
  // An intention whose command was answered: that command's action, and how often the intention was sent.
  struct Sent {
    std::string key;
    Action action;
    int attempts = 0;
    // If it is still wanted then, it may be sent again. Unset: its effect was seen already.
    std::optional<Time> retryAt = {};
  };

  // False if the intention is under way, or was answered a moment ago: nothing is sent.
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

  // Commands of intentions that are not answered.
  std::size_t underWay() const { return keys_.size(); }

  // The commands since the last call, in order.
  std::vector<Command> take();
  // When the first of the answered intentions that were asked for in vain since the last call may be sent
  // again, should it still be wanted. Those under way are worth a look when their answer comes.
  std::optional<Time> takeRetry();

 private:
  struct Entry {
    CommandId id = 0;  // 0: answered
    Action action;
    int attempts = 0;
    int failures = 0;   // in a row
    int unseen = 0;     // successes in a row that were asked for again
    bool seen = false;  // the objects have changed since it was sent
    Time retryAt{};     // once it is answered
  };

  static bool lacksEffect(const Entry& entry, const Action& action, Time now);
  void dropOld(Time now);

  std::map<std::string, Entry> entries_;
  std::map<CommandId, std::string> keys_;
  std::vector<Command> commands_;
  std::optional<Time> retry_;
  CommandId lastId_ = 0;
  std::size_t sweepAt_ = 1024;
};

}  // namespace tidegate
