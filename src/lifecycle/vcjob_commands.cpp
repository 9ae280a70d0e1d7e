#include "lifecycle/vcjob_commands.hpp"

#include <fmt/format.h>

#include "api/names.hpp"
#include "api/write.hpp"
#include "lifecycle/objects.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

bool isAborted(const api::VcJob& job) {
  return job.status.state.phase == "Aborting" || job.status.state.phase == "Aborted";
}

void command(const api::VcJob& job, const std::string& recall, const std::string& action, Acts& acts) {
  api::BusCommand order;
  order.metadata.namespace_ = job.metadata.namespace_;
  order.metadata.name =
      fmt::format("tidegate-{}-{}-{}", recall, action == "AbortJob" ? "abort" : "resume", job.metadata.uid);
  order.action = action;
  order.target = {.apiVersion = api::VcJob::kApiVersion,
                  .kind = api::VcJob::kKind,
                  .name = job.metadata.name,
                  .uid = job.metadata.uid,
                  .controller = true};
  order.reason = "Recalled";
  order.message = "by " + recall;
  acts.add(fmt::format("{}/{}/{}", recall, action, keyOf(job.metadata)),
           Create{.target = api::refOf(order), .json = api::toJson(order)});
}

}  // namespace

void abortJob(const ClusterState& state, const Owner& owner, const std::string& recall, Acts& acts) {
  const auto found = state.vcJobs().find(owner.key);
  if (owner.kind != OwnerKind::VcJob || found == state.vcJobs().end()) return;
  const std::string* by = annotation(found->second.metadata, names::kAbortedBy);
  if (by == nullptr || *by != recall || isAborted(found->second) || isFinished(state, owner)) return;
  command(found->second, recall, "AbortJob", acts);
}

void resumeAborted(const ClusterState& state, Acts& acts) {
  for (const auto& [key, job] : state.vcJobs()) {
    const std::string* by = annotation(job.metadata, names::kAbortedBy);
    if (by == nullptr || annotation(job.metadata, names::kSuspend) != nullptr) continue;
    if (isAborted(job)) {
      command(job, *by, "ResumeJob", acts);
      continue;
    }
    Patch patch = patchOf(api::refOf(job), job.metadata.uid);
    patch.annotations[names::kAbortedBy] = std::nullopt;
    acts.add(fmt::format("{}/resumed/{}", *by, key), std::move(patch));
  }
}

}  // namespace tidegate::lifecycle
