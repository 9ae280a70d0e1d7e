#include "builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "api/names.hpp"
#include "core/text.hpp"

namespace tidegate::scenario {
namespace {

namespace names = api::names;

// The first pending job arrives now; ages count back from here.
const Time kNow = std::chrono::sys_days{std::chrono::March / 2 / 2026} + std::chrono::hours(10);
constexpr Duration kUsualAge = std::chrono::hours(1);

Result<Ok> checkOptions(const Line& line, std::span<const std::string_view> known) {
  for (const auto& [name, value] : line.options) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail("unknown option \"" + name + "\" of " + line.word +
                ", near: " + std::string(nearestName(name, known)));
  }
  return Ok{};
}

// "Flags" are options without a value: they are written without "=".
void flagsToOptions(Line& line, std::span<const std::string_view> flags) {
  std::erase_if(line.args, [&](const std::string& arg) {
    if (std::ranges::find(flags, arg) == flags.end()) return false;
    line.options[arg] = "";
    return true;
  });
}

// "key:value" and "key" for labels, selectors and tolerations.
std::pair<std::string, std::string> keyAndValue(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<Duration> durationOf(const Line& line, const std::string& option, Duration otherwise) {
  if (!line.has(option)) return otherwise;
  return parseDuration(line.option(option));
}

void copyAnnotation(const Line& line, const std::string& option, const char* annotation,
                    api::ObjectMeta& metadata) {
  if (line.has(option)) metadata.annotations[annotation] = line.option(option);
}

// The nodes of all pods of all jobs of a line, job by job: either it names one for each, or each job stands
// on the same.
Result<std::vector<std::string>> placesOf(const std::string& text, std::size_t jobs, std::size_t pods) {
  TIDEGATE_TRY(std::vector<std::string> nodes, expandNames(text));
  if (nodes.size() == jobs * pods) return nodes;
  if (nodes.size() != pods) return fail(fmt::format("want {} nodes, or {} for each job", jobs * pods, pods));
  std::vector<std::string> all;
  for (std::size_t i = 0; i < jobs; ++i) all.insert(all.end(), nodes.begin(), nodes.end());
  return all;
}

ResourceList withDefaults(ResourceList amounts, const char* cpu, const char* memory) {
  amounts.try_emplace("cpu", *Quantity::parse(cpu));
  amounts.try_emplace("memory", *Quantity::parse(memory));
  return amounts;
}

}  // namespace

Builder::Builder(Scenario& scenario)
    : scenario_(scenario), priorities_{{"low", 10}, {"mid", 50}, {"high", 100}, {"top", 1000}} {}

void Builder::finish() {
  for (const auto& [name, value] : priorities_) {
    api::PriorityClass priority;
    priority.metadata.name = name;
    priority.value = value;
    scenario_.objects.emplace_back(std::move(priority));
  }
}

Result<Ok> Builder::nodes(const Line& given) {
  Line line = given;
  constexpr std::array<std::string_view, 2> kFlags = {"cordoned", "notready"};
  flagsToOptions(line, kFlags);
  if (line.args.size() != 2)
    return fail("want: nodes NAMES AMOUNTS [label=value] [taint=key:effect] [cordoned] [notready]");
  TIDEGATE_TRY(const std::vector<std::string> all, expandNames(line.args[0]));
  TIDEGATE_TRY(ResourceList amounts, parseAmounts(line.args[1]));
  amounts = withDefaults(std::move(amounts), "128", "1Ti");
  amounts.try_emplace("pods", Quantity::ofInteger(110));
  for (const std::string& name : all) {
    api::Node node;
    node.metadata.name = name;
    node.metadata.uid = name;
    node.metadata.labels["kubernetes.io/hostname"] = name;
    node.status.allocatable = node.status.capacity = amounts;
    for (const auto& [key, value] : line.options) {
      if (key == "cordoned") {
        node.spec.unschedulable = true;
      } else if (key == "taint") {
        const auto [taint, effect] = keyAndValue(value);
        node.spec.taints.push_back({.key = taint, .value = "", .effect = effect});
      } else if (key != "notready") {
        node.metadata.labels[key] = value;
      }
    }
    api::Condition& ready = node.status.conditions.emplace_back();
    ready.type = "Ready";
    ready.status = line.has("notready") ? "False" : "True";
    scenario_.objects.emplace_back(std::move(node));
  }
  return Ok{};
}

Result<Ok> Builder::domain(const Line& line) {
  constexpr std::array<std::string_view, 1> kKnown = {"tier"};
  TIDEGATE_TRY(Ok{}, checkOptions(line, kKnown));
  if (line.args.size() != 2) return fail("want: domain NAME NODES tier=N");
  TIDEGATE_TRY(const std::vector<std::string> members, expandNames(line.args[1]));
  api::HyperNode domain;
  domain.metadata.name = line.args[0];
  TIDEGATE_TRY(domain.spec.tier, parseCount(line.option("tier")));
  for (const std::string& member : members) {
    api::HyperNodeMember& entry = domain.spec.members.emplace_back();
    entry.type = "Node";
    entry.selector.exactMatch = member;
  }
  scenario_.objects.emplace_back(std::move(domain));
  return Ok{};
}

Result<Ok> Builder::priorities(const Line& line) {
  for (const auto& [name, value] : line.options) {
    TIDEGATE_TRY(priorities_[name], parseCount(value));
  }
  return Ok{};
}

Result<Ok> Builder::queue(const Line& given) {
  Line line = given;
  constexpr std::array<std::string_view, 2> kFlags = {"closed", "unreclaimable"};
  constexpr std::array<std::string_view, 14> kKnown = {
      "parent",   "weight",      "guarantee", "deserved", "cap",    "priority",      "lending",
      "topology", "min-runtime", "straddle",  "deadline", "closed", "unreclaimable", ""};
  flagsToOptions(line, kFlags);
  TIDEGATE_TRY(Ok{}, checkOptions(line, kKnown));
  if (line.args.size() != 1) return fail("want: queue NAME [parent=] [guarantee=] [deserved=] [cap=] ...");
  api::Queue queue;
  queue.metadata.name = line.args[0];
  queue.metadata.uid = line.args[0];
  queue.spec.parent = line.option("parent");
  queue.spec.reclaimable = !line.has("unreclaimable");
  queue.status.state = line.has("closed") ? "Closed" : "Open";
  if (line.has("weight")) {
    TIDEGATE_TRY(queue.spec.weight, parseCount(line.option("weight")));
  }
  if (line.has("priority")) {
    TIDEGATE_TRY(queue.spec.priority, parseCount(line.option("priority")));
  }
  for (const auto& [option, list] :
       {std::pair{"guarantee", &queue.spec.guarantee.resource}, std::pair{"deserved", &queue.spec.deserved},
        std::pair{"cap", &queue.spec.capability}}) {
    if (!line.has(option)) continue;
    TIDEGATE_TRY(*list, parseAmounts(line.option(option)));
  }
  copyAnnotation(line, "lending", names::kLending, queue.metadata);
  copyAnnotation(line, "topology", names::kTopology, queue.metadata);
  copyAnnotation(line, "min-runtime", names::kMinRuntime, queue.metadata);
  copyAnnotation(line, "straddle", names::kStraddleRatio, queue.metadata);
  copyAnnotation(line, "deadline", names::kRecallDeadline, queue.metadata);
  scenario_.objects.emplace_back(std::move(queue));
  return Ok{};
}

Result<Ok> Builder::jobs(const Line& given) {
  Line line = given;
  constexpr std::array<std::string_view, 5> kFlags = {"pinned", "leaving", "recalled", "never", "bare"};
  constexpr std::array<std::string_view, 18> kKnown = {
      "queue", "prio",     "min",     "age",         "saved",  "budget",  "grace",    "selector", "tolerate",
      "tier",  "topology", "evicted", "min-runtime", "pinned", "leaving", "recalled", "never",    "bare"};
  flagsToOptions(line, kFlags);
  TIDEGATE_TRY(Ok{}, checkOptions(line, kKnown));
  const std::size_t want = line.word == "run" ? 3 : 2;
  if (line.args.size() != want || (want == 3 && !line.args[2].starts_with('@')))
    return fail(want == 3 ? "want: run NAMES PODSxAMOUNTS @NODES [options]"
                          : "want: pend NAMES PODSxAMOUNTS [options]");
  TIDEGATE_TRY(const std::vector<std::string> all, expandNames(line.args[0]));
  const std::string& shape = line.args[1];
  const std::size_t x = shape.find('x');
  if (x == std::string::npos) return fail("want PODSxAMOUNTS, got \"" + shape + "\"");
  TIDEGATE_TRY(const std::int32_t count, parseCount(std::string_view(shape).substr(0, x)));
  TIDEGATE_TRY(const ResourceList amounts, parseAmounts(std::string_view(shape).substr(x + 1)));
  std::vector<std::string> nodes(all.size() * static_cast<std::size_t>(count));
  if (line.word == "run") {
    TIDEGATE_TRY(nodes, placesOf(line.args[2].substr(1), all.size(), static_cast<std::size_t>(count)));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(i) * count;
    TIDEGATE_TRY(Ok{}, job(line, all[i], amounts, std::vector(first, first + count)));
    if (line.word == "pend") arrival_ += seconds(1);
  }
  return Ok{};
}

Result<Ok> Builder::job(const Line& line, const std::string& name, const ResourceList& amounts,
                        const std::vector<std::string>& nodes) {
  TIDEGATE_TRY(api::Pod pod, podOf(line, name));
  pod.spec.containers.emplace_back().resources.requests = withDefaults(amounts, "1", "1Gi");

  const auto [entry, isNew] = scenario_.jobs.try_emplace(name);
  Job& job = entry->second;
  if (isNew) {
    job.minMember = line.has("bare") ? 1 : static_cast<std::int32_t>(nodes.size());
    if (line.has("min")) {
      TIDEGATE_TRY(job.minMember, parseCount(line.option("min")));
    }
    if (!line.has("bare")) {
      TIDEGATE_TRY(api::PodGroup group, groupOf(line, name, job.minMember));
      scenario_.objects.emplace_back(std::move(group));
    }
    if (line.has("budget")) {
      TIDEGATE_TRY(const std::int32_t least, parseCount(line.option("budget")));
      budget(name, least);
    }
  }
  for (const std::string& node : nodes) {
    pod.metadata.name = name + "-" + std::to_string(job.pods.size());
    pod.metadata.uid = pod.metadata.name;
    pod.spec.nodeName = node;
    job.pods.push_back("default/" + pod.metadata.name);
    scenario_.objects.emplace_back(pod);
  }
  return Ok{};
}

Result<api::Pod> Builder::podOf(const Line& line, const std::string& job) {
  api::Pod pod;
  pod.metadata.namespace_ = "default";
  pod.metadata.labels["job"] = job;
  if (line.has("bare")) {
    pod.metadata.annotations[names::kQueueName] = line.option("queue");
  } else {
    pod.metadata.annotations[names::kGroupName] = job;
  }
  pod.spec.schedulerName = "volcano";
  if (line.has("prio")) {
    const auto priority = priorities_.find(line.option("prio"));
    if (priority == priorities_.end()) return fail("unknown priority \"" + line.option("prio") + "\"");
    pod.spec.priorityClassName = priority->first;
    pod.spec.priority = priority->second;
  }
  if (line.has("never")) pod.spec.preemptionPolicy = "Never";
  if (line.has("pinned")) pod.metadata.annotations[names::kPreemptable] = "false";
  TIDEGATE_TRY(const Duration grace, durationOf(line, "grace", seconds(30)));
  if (line.has("leaving")) pod.metadata.deletionTimestamp = kNow + grace;
  pod.spec.terminationGracePeriodSeconds = static_cast<std::int64_t>(toSeconds(grace));
  if (line.has("selector")) pod.spec.nodeSelector.insert(keyAndValue(line.option("selector")));
  if (line.has("tolerate")) {
    api::Toleration& toleration = pod.spec.tolerations.emplace_back();
    toleration.key = line.option("tolerate");
    toleration.operator_ = "Exists";
  }
  if (line.has("saved")) {
    TIDEGATE_TRY(const Duration saved, parseDuration(line.option("saved")));
    pod.metadata.annotations[names::kLastCheckpoint] = formatTime(kNow - saved);
  }
  pod.status.phase = "Pending";
  pod.metadata.creationTimestamp = kNow + arrival_;
  if (line.word == "run") {
    TIDEGATE_TRY(const Duration age, durationOf(line, "age", kUsualAge));
    pod.metadata.creationTimestamp = pod.status.startTime = kNow - age;
    pod.status.phase = "Running";
    api::Condition& ready = pod.status.conditions.emplace_back();
    ready.type = "Ready";
    ready.status = "True";
  }
  return pod;
}

Result<api::PodGroup> Builder::groupOf(const Line& line, const std::string& name, std::int32_t minMember) {
  api::PodGroup group;
  group.metadata.name = name;
  group.metadata.namespace_ = "default";
  group.metadata.uid = name;
  TIDEGATE_TRY(const Duration age, durationOf(line, "age", kUsualAge));
  group.metadata.creationTimestamp = line.word == "run" ? kNow - age : kNow + arrival_;
  group.spec.minMember = minMember;
  group.spec.queue = line.option("queue");
  group.spec.priorityClassName = line.option("prio");
  group.status.phase = line.word == "run" ? "Running" : "Pending";
  if (line.has("recalled")) group.metadata.annotations[names::kRecalledBy] = "earlier-recall";
  copyAnnotation(line, "topology", names::kTopology, group.metadata);
  copyAnnotation(line, "evicted", names::kEvictions, group.metadata);
  copyAnnotation(line, "min-runtime", names::kMinRuntime, group.metadata);
  if (line.has("tier")) {
    group.spec.networkTopology.emplace().mode = "hard";
    TIDEGATE_TRY(group.spec.networkTopology->highestTierAllowed, parseCount(line.option("tier")));
  }
  return group;
}

void Builder::budget(const std::string& job, std::int32_t minAvailable) {
  api::PodDisruptionBudget budget;
  budget.metadata.name = job;
  budget.metadata.namespace_ = "default";
  budget.spec.minAvailable = api::IntOrPercent{.value = minAvailable};
  budget.spec.selector.matchLabels["job"] = job;
  scenario_.objects.emplace_back(std::move(budget));
}

}  // namespace tidegate::scenario
