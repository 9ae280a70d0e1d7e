// What the log is told while a server does not serve: that it has begun (one line for each reason), how it
// stands (at most every half minute), that it is over and how long it took.
//
// Reasons that differ only in counts of milliseconds and the like are one. A reason that was told within the
// last half minute is not told again, so that something that comes and goes does not fill the log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/time.hpp"
#include "world/kube/loop.hpp"

namespace tidegate::kube {

class TroubleLog {
 public:
  struct Lines {
    std::function<void(const std::string& message)> warning = {};  // may be unset
    std::function<void(const std::string& message)> notice = {};   // it is over; unset: as a warning
  };
  // `subject` stands before each message: "API server".
  TroubleLog(Loop& loop, std::string subject, Lines lines);
  ~TroubleLog();
  TroubleLog(const TroubleLog&) = delete;
  TroubleLog& operator=(const TroubleLog&) = delete;

  // One try of `who` ("pods") has failed.
  void failed(const std::string& who, const std::string& reason);
  // `who` is served (again), or does not ask any more.
  void served(const std::string& who);

 private:
  struct Reason {
    std::string text;
    std::uint64_t tries = 0;  // in this outage
    Time toldAt{};
  };

  bool news(Reason& reason);
  void summary();
  void watchOver();
  void warn(const std::string& message) const;
  std::string counts() const;

  Loop& loop_;
  const std::string subject_;
  const Lines lines_;
  std::set<std::string> failing_;
  std::map<std::string, Reason> reasons_;  // by what is the same of their texts
  Time since_{};
  bool told_ = false;  // of this outage
  std::optional<TimerId> timer_;
};

// What is the same of the messages of one error: without the counts that libcurl puts in.
std::string sameReason(std::string_view message);

}  // namespace tidegate::kube
