#include "world/kube/refusal_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "world/kube/command_targets.hpp"
#include "world/kube/commands.hpp"
#include "world/kube/trouble_log.hpp"

namespace tidegate::kube {
namespace {

constexpr Duration kAgain = seconds(600);
constexpr std::size_t kMostReasons = 50;

bool inName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

// Where the word stands by itself, and not as a part of another.
std::string without(std::string_view message, std::string_view word) {
  std::string out;
  for (std::size_t i = 0; i < message.size();) {
    const std::size_t end = i + word.size();
    const bool here = !word.empty() && message.substr(i).starts_with(word) &&
                      (i == 0 || !inName(message[i - 1])) && (end == message.size() || !inName(message[end]));
    if (here) out += '*';
    if (!here) out += message[i];
    i = here ? end : i + 1;
  }
  return out;
}

std::string nameOf(const api::ObjectRef& ref) {
  return fmt::format("{} {}{}{}", ref.kind, ref.namespace_, ref.namespace_.empty() ? "" : "/", ref.name);
}

}  // namespace

void RefusalLog::refused(const Action& action, const std::string& message) {
  if (!warning_) return;
  const api::ObjectRef target = targetOf(action);
  const std::string_view command = kube::nameOf(action);
  const std::string same = without(without(sameReason(message), target.name), target.namespace_);
  const std::string key = fmt::format("{} {} {}", command, target.kind, same);
  if (!told_.contains(key) && told_.size() >= kMostReasons) return;
  const auto [found, isNew] = told_.try_emplace(key);
  Told& told = found->second;
  if (!isNew && loop_.now() < told.at + kAgain) {
    ++told.since;
    return;
  }
  const std::string more =
      told.since == 0 ? "" : fmt::format(" (and {} more like it since this was told)", told.since);
  told = {.at = loop_.now(), .since = 0};
  warning_(fmt::format("{} of {} was refused: {}{}", command, nameOf(target), message, more));
}

}  // namespace tidegate::kube
