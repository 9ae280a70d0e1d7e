#include "controllers/vcjob_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "controllers/vcjob_policies.hpp"
#include "controllers/vcjob_spec.hpp"
#include "core/text.hpp"
#include "core/time.hpp"

namespace tidegate::vcjob {

namespace {

using Problems = std::vector<std::string>;

void checkEvents(const api::LifecyclePolicy& policy, const std::string& where, std::set<std::string>& seen,
                 Problems& out) {
  std::vector<std::string> events = policy.events;
  if (!policy.event.empty()) events.push_back(policy.event);
  if (policy.exitCode && !events.empty()) {
    out.push_back(fmt::format("a policy of {} has both an event and an exit code", where));
  }
  if (!policy.exitCode && events.empty()) {
    out.push_back(fmt::format("a policy of {} has neither an event nor an exit code", where));
  }
  for (const std::string& event : events) {
    if (!isUsableEvent(event)) {
      out.push_back(fmt::format("a policy of {} names the unknown event {}", where, event));
    } else if (event == event::kPodPending && policy.timeout.empty()) {
      out.push_back(fmt::format("the policy of {} for PodPending needs a timeout", where));
    }
    if (!seen.insert(event).second) {
      out.push_back(fmt::format("{} has two policies for the event {}", where, event));
    }
  }
  if (seen.contains("*") && seen.size() > 1) {
    out.push_back(fmt::format("{} has a policy for any event (*), and another besides", where));
  }
}

void checkPolicies(const std::vector<api::LifecyclePolicy>& policies, const std::string& where,
                   Problems& out) {
  std::set<std::string> events;
  std::set<std::int32_t> codes;
  for (const api::LifecyclePolicy& policy : policies) {
    checkEvents(policy, where, events, out);
    if (!parseAction(policy.action) || policy.action == "SyncJob") {
      out.push_back(fmt::format("a policy of {} names the unknown action {}", where, policy.action));
    }
    if (policy.exitCode == 0) out.push_back(fmt::format("a policy of {} is for exit code 0", where));
    if (policy.exitCode && !codes.insert(*policy.exitCode).second) {
      out.push_back(fmt::format("{} has two policies for exit code {}", where, *policy.exitCode));
    }
    if (!policy.timeout.empty() && !parseDuration(policy.timeout)) {
      out.push_back(
          fmt::format("a policy of {} has the timeout {}, which is no duration", where, policy.timeout));
    }
  }
}

void checkTask(const api::VcJob& job, const api::TaskSpec& task, Problems& out) {
  const std::string where = "task " + task.name;
  if (!isDnsLabel(task.name)) out.push_back(fmt::format("{} has a name that is no DNS label", where));
  if (taskMinimum(task) > task.replicas) {
    out.push_back(
        fmt::format("{} wants at least {} of its {} replicas", where, taskMinimum(task), task.replicas));
  }
  if (task.template_.spec.containers.empty()) out.push_back(fmt::format("{} has no containers", where));
  checkPolicies(task.policies, where, out);
  if (!task.dependsOn) return;
  for (const std::string& other : task.dependsOn->name) {
    if (taskIndex(job, other) == job.spec.tasks.size()) {
      out.push_back(fmt::format("{} depends on {}, which is no task of the job", where, other));
    }
  }
  const std::string& iteration = task.dependsOn->iteration;
  if (!iteration.empty() && iteration != "any" && iteration != "all") {
    out.push_back(fmt::format("{} depends on {} of its tasks: want any or all", where, iteration));
  }
}

// True if no order satisfies the dependencies: tasks are taken away while all they depend on are gone.
bool hasCycle(const api::VcJob& job) {
  std::set<std::string> left;
  for (const api::TaskSpec& task : job.spec.tasks) left.insert(task.name);
  for (bool progress = true; progress;) {
    progress = false;
    for (const api::TaskSpec& task : job.spec.tasks) {
      const bool waits = task.dependsOn && std::ranges::any_of(task.dependsOn->name, [&](const auto& name) {
                           return left.contains(name);
                         });
      if (!waits && left.erase(task.name) > 0) progress = true;
    }
  }
  return !left.empty();
}

void checkVolumes(const api::VcJob& job, Problems& out) {
  std::set<std::string> paths;
  for (const api::VcJobVolume& volume : job.spec.volumes) {
    if (volume.mountPath.empty()) out.push_back("a volume has no mountPath");
    if (!paths.insert(volume.mountPath).second) {
      out.push_back(fmt::format("two volumes are mounted at {}", volume.mountPath));
    }
    if (volume.volumeClaimName.empty() && volume.volumeClaimJson.empty()) {
      out.push_back(fmt::format("the volume at {} names no claim and describes none", volume.mountPath));
    }
  }
}

}  // namespace

bool isKnownPlugin(const std::string& name) {
  static const std::set<std::string> kKnown = {"env", "svc", "ssh", "pytorch", "tensorflow", "mpi"};
  return kKnown.contains(name);
}

std::vector<std::string> problems(const api::VcJob& job) {
  Problems out;
  if (job.spec.tasks.empty()) out.push_back("the job has no tasks");
  std::set<std::string> names;
  for (const api::TaskSpec& task : job.spec.tasks) {
    if (!names.insert(task.name).second) out.push_back(fmt::format("two tasks are named {}", task.name));
    checkTask(job, task, out);
  }
  if (jobMinimum(job) > jobReplicas(job)) {
    out.push_back(
        fmt::format("the job wants at least {} of its {} replicas", jobMinimum(job), jobReplicas(job)));
  }
  checkPolicies(job.spec.policies, "the job", out);
  for (const auto& [plugin, arguments] : job.spec.plugins) {
    if (!isKnownPlugin(plugin)) out.push_back(fmt::format("there is no plugin named {}", plugin));
  }
  if (hasCycle(job)) out.push_back("the tasks depend on each other in a circle");
  checkVolumes(job, out);
  return out;
}

}  // namespace tidegate::vcjob
