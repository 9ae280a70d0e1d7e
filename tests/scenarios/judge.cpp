#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "api/names.hpp"
#include "core/error.hpp"
#include "scenario.hpp"

namespace tidegate::scenario {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";

std::size_t toNumber(const std::string& text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Pods that are on their way out before the plan begins.
std::vector<std::string> leavingPods(const Scenario& scenario) {
  std::set<std::string> recalled;
  for (const api::Object& object : scenario.objects)
    if (const auto* group = std::get_if<api::PodGroup>(&object))
      if (group->metadata.annotations.contains(api::names::kRecalledBy))
        recalled.insert(group->metadata.name);
  std::vector<std::string> pods;
  for (const auto& [name, job] : scenario.jobs)
    if (recalled.contains(name)) pods.insert(pods.end(), job.pods.begin(), job.pods.end());
  for (const api::Object& object : scenario.objects)
    if (const auto* pod = std::get_if<api::Pod>(&object); pod != nullptr && pod->metadata.deletionTimestamp)
      pods.push_back(pod->metadata.namespace_ + "/" + pod->metadata.name);
  return pods;
}

// The end of a plan, by job.
class Outcome {
 public:
  Outcome(const Scenario& scenario, const plan::PlanResult& result) : scenario_(scenario), result_(result) {
    for (const api::Object& object : scenario.objects) {
      const auto* pod = std::get_if<api::Pod>(&object);
      if (pod == nullptr) continue;
      const std::string key = pod->metadata.namespace_ + "/" + pod->metadata.name;
      pods_[key] = pod;
      node_[key] = startNode_[key] = pod->spec.nodeName;
    }
    if (!scenario.options.keepTerminating)
      for (const std::string& pod : leavingPods(scenario)) node_[pod] = "";
    for (const plan::Eviction& eviction : result.evictions) {
      lost_[eviction.pod] += 1;
      node_[eviction.pod] = "";
    }
    for (const plan::Bind& bind : result.binds) node_[bind.pod] = bind.node;
  }

  const Job& job(const std::string& name) const {
    const auto found = scenario_.jobs.find(name);
    TIDEGATE_CHECK(found != scenario_.jobs.end(), scenario_.file + ": no job " + name);
    return found->second;
  }
  std::string nodeOf(const std::string& pod) const { return node_.at(pod); }
  const std::string& startNodeOf(const std::string& pod) const { return startNode_.at(pod); }
  std::int64_t gpusOf(const std::string& pod) const {
    const ResourceList& requests = pods_.at(pod)->spec.containers.front().resources.requests;
    const auto found = requests.find(kGpu);
    return found == requests.end() ? 0 : found->second.value();
  }
  std::size_t bound(const std::string& name) const {
    return count(name, [&](const std::string& pod) { return !node_.at(pod).empty(); });
  }
  std::size_t lost(const std::string& name) const {
    return count(name, [&](const std::string& pod) { return lost_.contains(pod); });
  }
  std::set<std::string> jobsLosingPods() const {
    std::set<std::string> names;
    for (const auto& [name, job] : scenario_.jobs)
      if (lost(name) > 0) names.insert(name);
    return names;
  }
  const std::map<std::string, int>& lostPods() const { return lost_; }
  const std::map<std::string, std::string>& nodes() const { return node_; }
  const plan::PlanResult& result() const { return result_; }
  const Scenario& scenario() const { return scenario_; }

 private:
  std::size_t count(const std::string& name, const std::function<bool(const std::string&)>& is) const {
    return static_cast<std::size_t>(std::ranges::count_if(job(name).pods, is));
  }

  const Scenario& scenario_;
  const plan::PlanResult& result_;
  std::map<std::string, const api::Pod*> pods_;
  std::map<std::string, std::string> node_;
  std::map<std::string, std::string> startNode_;
  std::map<std::string, int> lost_;  // times evicted
};

using Failures = std::vector<std::string>;
using Args = std::vector<std::string>;

std::string reasonsOf(const Outcome& outcome, const std::string& name) {
  std::set<std::string> reasons;
  for (const plan::Pending& pending : outcome.result().pending)
    if (std::ranges::count(outcome.job(name).pods, pending.pod) > 0) reasons.insert(pending.reason);
  return fmt::format("{}", fmt::join(reasons, " | "));
}

void placed(const Outcome& outcome, const Args& jobs, Failures& failures) {
  for (const std::string& name : jobs) {
    const auto want = static_cast<std::size_t>(outcome.job(name).minMember);
    if (outcome.bound(name) < std::max<std::size_t>(want, 1))
      failures.push_back(fmt::format("{} is not placed: {} of {} pods; {}", name, outcome.bound(name),
                                     outcome.job(name).pods.size(), reasonsOf(outcome, name)));
  }
}

void pending(const Outcome& outcome, const Args& jobs, Failures& failures) {
  for (const std::string& name : jobs)
    if (outcome.bound(name) > 0)
      failures.push_back(fmt::format("{} should wait, {} pods run", name, outcome.bound(name)));
}

void evicted(const Outcome& outcome, const Args& jobs, Failures& failures) {
  for (const std::string& name : jobs)
    if (outcome.lost(name) != outcome.job(name).pods.size())
      failures.push_back(fmt::format("{} should be stopped whole, loses {} of {} pods", name,
                                     outcome.lost(name), outcome.job(name).pods.size()));
}

void kept(const Outcome& outcome, const Args& jobs, Failures& failures) {
  for (const std::string& name : jobs)
    if (outcome.lost(name) > 0)
      failures.push_back(fmt::format("{} should be left alone, loses {} pods", name, outcome.lost(name)));
}

// "evicted-any N jobs...": exactly N of the jobs lose pods, and those whole.
void evictedAny(const Outcome& outcome, const Args& args, Failures& failures) {
  Args hit(args.begin() + 1, args.end());
  std::erase_if(hit, [&](const std::string& name) { return outcome.lost(name) == 0; });
  if (hit.size() != toNumber(args.front()))
    failures.push_back(fmt::format("{} jobs should be stopped, are: {}", args.front(), fmt::join(hit, " ")));
  evicted(outcome, hit, failures);
}

void evictedPods(const Outcome& outcome, const Args& args, Failures& failures) {
  if (outcome.lost(args[0]) != toNumber(args[1]))
    failures.push_back(
        fmt::format("{} should lose {} pods, loses {}", args[0], args[1], outcome.lost(args[0])));
}

void boundPods(const Outcome& outcome, const Args& args, Failures& failures) {
  if (outcome.bound(args[0]) != toNumber(args[1]))
    failures.push_back(fmt::format("{} should run {} pods, runs {}; {}", args[0], args[1],
                                   outcome.bound(args[0]), reasonsOf(outcome, args[0])));
}

// "nodes JOB names...": the nodes its pods stand on, once per pod.
void onNodes(const Outcome& outcome, const Args& args, Failures& failures) {
  std::multiset<std::string> have;
  for (const std::string& pod : outcome.job(args[0]).pods)
    if (!outcome.nodeOf(pod).empty()) have.insert(outcome.nodeOf(pod));
  const std::multiset<std::string> want(args.begin() + 1, args.end());
  if (have != want)
    failures.push_back(fmt::format("{} should stand on {}, stands on {}", args[0], fmt::join(want, " "),
                                   fmt::join(have, " ")));
}

// No two pods of the jobs on one node.
void apart(const Outcome& outcome, const Args& jobs, Failures& failures) {
  std::set<std::string> seen;
  for (const std::string& name : jobs)
    for (const std::string& pod : outcome.job(name).pods)
      if (const std::string node = outcome.nodeOf(pod); !node.empty() && !seen.insert(node).second)
        failures.push_back(fmt::format("{} has more than one of the pods", node));
}

void evictedGpus(const Outcome& outcome, const Args& args, Failures& failures) {
  std::int64_t gpus = 0;
  for (const auto& [pod, times] : outcome.lostPods()) gpus += outcome.gpusOf(pod);
  if (gpus != static_cast<std::int64_t>(toNumber(args.front())))
    failures.push_back(fmt::format("{} GPUs should stop, {} do", args.front(), gpus));
}

void jobsLosingPods(const Outcome& outcome, const Args& args, Failures& failures) {
  if (outcome.jobsLosingPods().size() != toNumber(args.front()))
    failures.push_back(fmt::format("{} jobs should lose pods, these do: {}", args.front(),
                                   fmt::join(outcome.jobsLosingPods(), " ")));
}

void victimsOnOneNode(const Outcome& outcome, const Args&, Failures& failures) {
  std::set<std::string> nodes;
  for (const auto& [pod, times] : outcome.lostPods()) nodes.insert(outcome.startNodeOf(pod));
  if (nodes.size() != 1)
    failures.push_back(fmt::format("victims should stand on one node, stand on {}", fmt::join(nodes, " ")));
}

void noEvictions(const Outcome& outcome, const Args&, Failures& failures) {
  if (!outcome.result().evictions.empty())
    failures.push_back(
        fmt::format("nothing should stop, these do: {}", fmt::join(outcome.jobsLosingPods(), " ")));
}

void recalls(const Outcome& outcome, const Args& args, Failures& failures) {
  if (outcome.result().recalls.size() != toNumber(args.front()))
    failures.push_back(fmt::format("want {} recalls, got {}", args.front(), outcome.result().recalls.size()));
}

void oneWave(const Outcome& outcome, const Args&, Failures& failures) {
  std::set<int> cycles;
  for (const plan::Recall& recall : outcome.result().recalls) cycles.insert(recall.cycle);
  if (cycles.size() != 1)
    failures.push_back(fmt::format("all notices should go out in one cycle, go out in {}", cycles.size()));
}

// "reason JOB words": each word stands in what its pods are told they wait for.
void reason(const Outcome& outcome, const Args& args, Failures& failures) {
  const std::string reasons = reasonsOf(outcome, args[0]);
  for (std::size_t i = 1; i < args.size(); ++i)
    if (reasons.find(args[i]) == std::string::npos)
      failures.push_back(
          fmt::format("the reason of {} should say \"{}\", says: {}", args[0], args[i], reasons));
}

void warning(const Outcome& outcome, const Args& args, Failures& failures) {
  const auto says = [&](const std::string& text) {
    return std::ranges::all_of(args,
                               [&](const std::string& word) { return text.find(word) != std::string::npos; });
  };
  if (std::ranges::none_of(outcome.result().warnings, says))
    failures.push_back(fmt::format("no warning says \"{}\"", fmt::join(args, " ")));
}

// "used QUEUE n": GPUs of the queue at the end.
void used(const Outcome& outcome, const Args& args, Failures& failures) {
  for (const plan::QueueFigures& queue : outcome.result().queues) {
    if (queue.name != args[0]) continue;
    const auto found = queue.used.find(kGpu);
    const std::int64_t gpus = found == queue.used.end() ? 0 : found->second.value();
    if (gpus == static_cast<std::int64_t>(toNumber(args[1]))) return;
    failures.push_back(fmt::format("queue {} should use {} GPUs, uses {}", args[0], args[1], gpus));
    return;
  }
  failures.push_back("no queue " + args[0]);
}

using Check = void (*)(const Outcome&, const Args&, Failures&);
struct CheckOf {
  Check check;
  std::size_t leastArgs;
};
const std::map<std::string, CheckOf> kChecks = {
    {"placed", {placed, 1}},
    {"pending", {pending, 1}},
    {"evicted", {evicted, 1}},
    {"evicted-any", {evictedAny, 2}},
    {"evicted-pods", {evictedPods, 2}},
    {"kept", {kept, 1}},
    {"bound-pods", {boundPods, 2}},
    {"nodes", {onNodes, 2}},
    {"apart", {apart, 1}},
    {"evicted-gpus", {evictedGpus, 1}},
    {"jobs-losing-pods", {jobsLosingPods, 1}},
    {"victims-on-one-node", {victimsOnOneNode, 0}},
    {"no-evictions", {noEvictions, 0}},
    {"recalls", {recalls, 1}},
    {"one-wave", {oneWave, 0}},
    {"reason", {reason, 2}},
    {"warning", {warning, 1}},
    {"used", {used, 2}},
};

// Jobs an expectation allows to lose pods.
std::set<std::string> mayLose(const Scenario& scenario) {
  std::set<std::string> names;
  for (const Expectation& e : scenario.expectations) {
    if (e.kind == "evicted") names.insert(e.args.begin(), e.args.end());
    if (e.kind == "evicted-any") names.insert(e.args.begin() + 1, e.args.end());
    if (e.kind == "evicted-pods") names.insert(e.args.front());
  }
  return names;
}

// What holds in every case: nobody else is stopped, nobody twice, no gang is left between nothing and its
// minimum, and no node gets more than it has.
void always(const Outcome& outcome, Failures& failures) {
  const std::set<std::string> allowed = mayLose(outcome.scenario());
  for (const std::string& name : outcome.jobsLosingPods())
    if (!allowed.contains(name))
      failures.push_back(fmt::format("{} loses pods, nothing expects it to", name));
  for (const auto& [pod, times] : outcome.lostPods())
    if (times > 1) failures.push_back(fmt::format("{} is stopped {} times", pod, times));
  for (const auto& [name, job] : outcome.scenario().jobs) {
    const auto atStart = static_cast<std::size_t>(std::ranges::count_if(
        job.pods, [&](const std::string& pod) { return !outcome.startNodeOf(pod).empty(); }));
    const auto least =
        std::min(static_cast<std::size_t>(job.minMember), atStart == 0 ? job.pods.size() : atStart);
    if (outcome.bound(name) > 0 && outcome.bound(name) < least)
      failures.push_back(fmt::format("gang {} is broken: {} of at least {} pods run", name,
                                     outcome.bound(name), job.minMember));
  }
}

void nodesHold(const Outcome& outcome, Failures& failures) {
  std::map<std::string, std::int64_t> used;
  std::map<std::string, std::int64_t> usedAtStart;
  for (const auto& [pod, node] : outcome.nodes()) {
    used[node] += outcome.gpusOf(pod);
    usedAtStart[outcome.startNodeOf(pod)] += outcome.gpusOf(pod);
  }
  for (const api::Object& object : outcome.scenario().objects) {
    const auto* node = std::get_if<api::Node>(&object);
    if (node == nullptr) continue;
    const std::string& name = node->metadata.name;
    const std::int64_t has = node->status.allocatable.at(kGpu).value();
    if (used[name] > std::max(has, usedAtStart[name]))
      failures.push_back(fmt::format("node {} has {} GPUs, {} are used", name, has, used[name]));
  }
}

}  // namespace

std::vector<std::string> judge(const Scenario& scenario, const plan::PlanResult& result) {
  const Outcome outcome(scenario, result);
  Failures failures;
  for (const Expectation& expectation : scenario.expectations) {
    const CheckOf& check = kChecks.at(expectation.kind);
    Failures found;
    if (expectation.args.size() < check.leastArgs) {
      found.push_back("too few words after " + expectation.kind);
    } else {
      check.check(outcome, expectation.args, found);
    }
    for (const std::string& text : found)
      failures.push_back(fmt::format("{}:{}: {}", scenario.file, expectation.line, text));
  }
  Failures found;
  always(outcome, found);
  nodesHold(outcome, found);
  for (const std::string& text : found) failures.push_back(fmt::format("{}: {}", scenario.file, text));
  return failures;
}

std::string record(const plan::PlanResult& result) {
  std::string out;
  for (const plan::Bind& bind : result.binds) out += fmt::format("bind {} {}\n", bind.pod, bind.node);
  for (const plan::Recall& recall : result.recalls) {
    out += fmt::format("{} {} nodes {} lost {} gap {:.3f}\n", recall.kind, recall.queue,
                       fmt::join(recall.nodes, ","), recall.cost.lostGpuSeconds, recall.gap);
  }
  for (const plan::Eviction& eviction : result.evictions)
    out += fmt::format("evict {}: {}\n", eviction.pod, eviction.reason);
  for (const plan::Bind& bind : result.pipelined) out += fmt::format("pipeline {} {}\n", bind.pod, bind.node);
  for (const plan::Pending& pending : result.pending)
    out += fmt::format("wait {}: {}\n", pending.pod, pending.reason);
  for (const std::string& warning : result.warnings) out += fmt::format("warning {}\n", warning);
  return out;
}

}  // namespace tidegate::scenario
