#include "api/annotation_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "api/names.hpp"
#include "core/quantity.hpp"
#include "core/time.hpp"

namespace tidegate::api {
namespace {

constexpr std::size_t kMostShown = 64;

using Check = bool (*)(std::string_view);

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool isDuration(std::string_view text) {
  const auto duration = parseDuration(text);
  return duration && *duration >= Duration{};
}
bool isTime(std::string_view text) {
  return parseTime(text).has_value();
}
bool isCount(std::string_view text) {
  const auto count = whole(text);
  return count && *count >= 0 && *count <= INT32_MAX;
}
bool isRatio(std::string_view text) {
  const auto ratio = Quantity::parse(text);
  return ratio && ratio->milliValue() >= 0;
}
bool isPort(std::string_view text) {
  const auto port = whole(text);
  return port && *port >= 1 && *port <= 65535;
}
bool isPath(std::string_view text) {
  return text.starts_with('/') &&
         std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}
// As Go's strconv.ParseBool reads it.
bool isFlag(std::string_view text) {
  return isOneOf(text, {"1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False"});
}
bool isLending(std::string_view text) {
  return isOneOf(text, {"none", "lent"});
}
bool isMode(std::string_view text) {
  return text == "host";
}
bool isTrueOrFalse(std::string_view text) {
  return isOneOf(text, {"true", "false"});
}
bool isTopology(std::string_view text) {
  return isOneOf(text, {"auto", "whole-node"});
}

constexpr const char* kDuration = "a duration such as 30s or 10m, not negative";
constexpr const char* kTime = "a time such as 2026-06-18T20:00:11Z";
constexpr const char* kCount = "a whole number, not negative";
constexpr const char* kLearned = "it counts as unset: what was learned is used";

struct Rule {
  const char* name;
  Check good;
  const char* want;
  const char* used;
};
constexpr std::array kOfQueues = {
    Rule{names::kLending, isLending, "none or lent", "its guarantee is lent"},
    Rule{names::kRecallDeadline, isDuration, kDuration, "the default is used: the conf's, else 15s"},
    Rule{names::kMinRuntime, isDuration, kDuration, "the default is used: the conf's, else 10m"},
    Rule{names::kStraddleRatio, isRatio, "a number, not negative", "the default is used: the conf's, else 4"},
    Rule{names::kTopology, isTopology, "auto or whole-node", "auto is used"},
};
constexpr std::array kOfJobs = {
    Rule{names::kMinRuntime, isDuration, kDuration,
         "the default is used: its queue's, else the conf's, else 10m"},
    Rule{names::kTopology, isTopology, "auto or whole-node", "auto is used"},
    Rule{names::kCheckpointPort, isPort, "a port from 1 to 65535", "it cannot be asked to save over HTTP"},
    Rule{names::kCheckpointPath, isPath, "a path such as /save", "it cannot be asked to save over HTTP"},
    Rule{names::kCheckpointMode, isMode, "host", "it counts as unset"},
    Rule{names::kCheckpointInterval, isDuration, kDuration, "the default is used: 30m"},
    Rule{names::kCheckpointDuration, isDuration, kDuration, kLearned},
    Rule{names::kStopDuration, isDuration, kDuration, kLearned},
    Rule{names::kLastCheckpoint, isTime, kTime, "it counts as unset: all work since the start is at stake"},
    Rule{names::kPreemptable, isFlag, "true or false", "false is used: it is never a victim"},
    Rule{names::kRecreate, isTrueOrFalse, "true or false", "false is used: it is not made again"},
    Rule{names::kEvictions, isCount, kCount, "0 is used"},
    Rule{names::kResumedAt, isTime, kTime, "it counts as unset"},
    Rule{names::kSuspendedAt, isTime, kTime, "it counts as unset"},
    Rule{names::kSuspendedReplicas, isCount, kCount, "it counts as unset"},
    Rule{names::kReplicasLimit, isCount, kCount, "it counts as unset"},
};

// The label of that name is read where there is no annotation.
const std::string* valueOf(const ObjectMeta& metadata, const Rule& rule) {
  const auto found = metadata.annotations.find(rule.name);
  if (found != metadata.annotations.end()) return &found->second;
  if (std::string_view(rule.name) != names::kPreemptable) return nullptr;
  const auto label = metadata.labels.find(rule.name);
  return label == metadata.labels.end() ? nullptr : &label->second;
}

template <class Rules>
std::vector<BadAnnotation> check(const ObjectMeta& metadata, const Rules& rules) {
  std::vector<BadAnnotation> out;
  for (const Rule& rule : rules) {
    const std::string* value = valueOf(metadata, rule);
    if (value == nullptr || rule.good(*value)) continue;
    out.push_back(
        {.name = rule.name, .value = value->substr(0, kMostShown), .want = rule.want, .used = rule.used});
  }
  std::ranges::sort(out, {}, &BadAnnotation::name);
  return out;
}

template <class... Kinds>
bool isAny(const Object& object) {
  return (std::holds_alternative<Kinds>(object) || ...);
}

}  // namespace

std::string BadAnnotation::text() const {
  return fmt::format("annotation {}: want {}, got \"{}\"; {}", name, want, value, used);
}

std::vector<BadAnnotation> badAnnotations(const Object& object) {
  if (isAny<Queue>(object)) return check(metadataOf(object), kOfQueues);
  if (isAny<Pod, PodGroup, VcJob, BatchJob, Deployment, StatefulSet>(object))
    return check(metadataOf(object), kOfJobs);
  return {};
}

}  // namespace tidegate::api
