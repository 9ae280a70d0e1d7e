// Orders that users give by Command objects (bus.volcano.sh).
//
// A Command is deleted, by its uid, before it is carried out, so that it is carried out at most once however
// often the process restarts (Volcano's pkg/controllers/queue/queue_controller.go, handleCommand). Where the
// answer to our deletion was lost and the Command is gone, it was ours that took it.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/objects.hpp"
#include "protocol/events.hpp"

namespace tidegate::controllers {

class BusOrders {
 public:
  // A Command that is meant for this controller: to be deleted now.
  void seen(const api::BusCommand& command);
  // The keys of orders are the uids of their Commands.
  void gone(const api::ObjectRef& ref, const std::string& uid);

  // The deletion to send; nothing if there is no such Command (any more).
  std::optional<Delete> deletion(const std::string& uid) const;
  void deletionSent(const std::string& uid);
  // The Command to carry out, once it is known to have been taken.
  std::optional<api::BusCommand> deletionAnswered(const std::string& uid, Outcome outcome);

 private:
  struct Entry {
    api::BusCommand command;
    bool underWay = false;  // a deletion was sent and is not answered
    bool unsure = false;    // a deletion was sent and its answer lost
    bool gone = false;
  };
  void close(const std::string& uid);

  std::map<std::string, Entry> entries_;
  std::set<std::string> closed_;  // done with: a late event does not bring them back
  std::deque<std::string> closedOrder_;
};

}  // namespace tidegate::controllers
