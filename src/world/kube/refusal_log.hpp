// What the log is told of commands that the API server refuses for good (forbidden, invalid): one line for
// each kind of command and reason, with one object as the example and the server's own words.
//
// Commands are tried again and again, and for many objects: refusals that differ only in names and counts are
// one. They are told again after ten minutes, with how many there were since; of more than fifty kinds the
// log has the first fifty.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/time.hpp"
#include "protocol/events.hpp"
#include "world/kube/loop.hpp"

namespace tidegate::kube {

class RefusalLog {
 public:
  using Warning = std::function<void(const std::string& message)>;
  // `warning` may be unset.
  RefusalLog(Loop& loop, Warning warning) : loop_(loop), warning_(std::move(warning)) {}

  void refused(const Action& action, const std::string& message);

 private:
  struct Told {
    Time at{};
    std::uint64_t since = 0;  // refusals that were not told
  };

  Loop& loop_;
  const Warning warning_;
  std::map<std::string, Told> told_;  // by command, kind of object and what is the same of the messages
};

}  // namespace tidegate::kube
