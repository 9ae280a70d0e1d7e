#include "world/kube/trouble_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "core/text.hpp"

namespace tidegate::kube {
namespace {

constexpr Duration kQuiet = seconds(30);
// An outage has a few reasons. More are as many objects that are refused: they are counted, not told.
constexpr std::size_t kMostReasons = 20;
constexpr std::size_t kMostNamed = 4;

bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool isCount(std::string_view after) {
  static constexpr std::array kUnits = {" ms", "ms", " milliseconds", " bytes", " out of"};
  return std::ranges::any_of(kUnits, [&](std::string_view unit) { return after.starts_with(unit); });
}

// Whole seconds are enough for what took longer.
std::string lasted(Duration time) {
  const Duration unit = time < seconds(10) ? Duration(milliseconds(100)) : Duration(seconds(1));
  return formatDuration(time / unit * unit);
}

}  // namespace

std::string sameReason(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const auto digits =
        static_cast<std::size_t>(std::ranges::find_if_not(message, isDigit) - message.begin());
    if (digits > 0 && isCount(message.substr(digits))) {
      out += '#';
    } else {
      out += message.substr(0, std::max<std::size_t>(digits, 1));
    }
    message.remove_prefix(std::max<std::size_t>(digits, 1));
  }
  return out;
}

TroubleLog::TroubleLog(Loop& loop, std::string subject, Lines lines)
    : loop_(loop), subject_(std::move(subject)), lines_(std::move(lines)) {}

TroubleLog::~TroubleLog() {
  if (timer_) loop_.cancel(*timer_);
}

void TroubleLog::failed(const std::string& who, const std::string& message) {
  if (failing_.empty()) since_ = loop_.now();
  failing_.insert(who);
  if (!timer_) watchOver();
  const std::string key = sameReason(message);
  const auto found = reasons_.find(key);
  if (found == reasons_.end() && reasons_.size() >= kMostReasons) {
    ++reasons_["..."].tries;
    return;
  }
  Reason& reason = reasons_[key];
  reason.text = message;
  ++reason.tries;
  if (!news(reason)) return;
  told_ = true;
  warn(fmt::format("{}; trying again ({})", message, who));
}

bool TroubleLog::news(Reason& reason) {
  const bool known = reason.toldAt != Time{};
  if (known && (reason.tries > 1 || loop_.now() < reason.toldAt + kQuiet)) return false;
  reason.toldAt = loop_.now();
  return true;
}

void TroubleLog::served(const std::string& who) {
  if (failing_.erase(who) == 0 || !failing_.empty()) return;
  if (std::exchange(told_, false)) {
    const std::string message =
        fmt::format("{}: served again after {} ({})", subject_, lasted(loop_.now() - since_), counts());
    lines_.notice ? lines_.notice(message) : warn(message.substr(subject_.size() + 2));
  }
  // Those told lately are remembered.
  std::erase_if(reasons_, [&](const auto& each) { return loop_.now() >= each.second.toldAt + kQuiet; });
  for (auto& [key, reason] : reasons_) reason.tries = 0;
}

void TroubleLog::watchOver() {
  timer_ = loop_.after(kQuiet, [this] {
    timer_.reset();
    summary();
  });
}

void TroubleLog::summary() {
  if (failing_.empty()) return;
  told_ = true;
  const std::string who = listText(std::vector(failing_.begin(), failing_.end()), kMostNamed);
  warn(fmt::format("not served for {}: {} ({})", lasted(loop_.now() - since_), who, counts()));
  watchOver();
}

std::string TroubleLog::counts() const {
  std::string out;
  for (const auto& [key, reason] : reasons_) {
    if (reason.tries == 0) continue;
    const std::string_view text = reason.text.empty() ? std::string_view("other reasons") : reason.text;
    out += fmt::format("{}{} times {}", out.empty() ? "" : "; ", reason.tries, text);
  }
  return out;
}

void TroubleLog::warn(const std::string& message) const {
  if (lines_.warning) lines_.warning(subject_ + ": " + message);
}

}  // namespace tidegate::kube
