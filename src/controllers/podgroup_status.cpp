#include "controllers/podgroup_status.hpp"

#include <algorithm>

#include "api/conditions.hpp"
#include "api/json_writer.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::controllers {

namespace {

MemberCounts countsOf(const api::Pod& pod) {
  MemberCounts counts{.pods = 1};
  counts.succeeded = pod.status.phase == "Succeeded" ? 1 : 0;
  counts.failed = pod.status.phase == "Failed" ? 1 : 0;
  const bool bound = !pod.spec.nodeName.empty();
  counts.running = pod.status.phase == "Running" ? 1 : 0;
  counts.scheduled = bound || counts.running + counts.succeeded + counts.failed > 0 ? 1 : 0;
  return counts;
}

std::string patchOf(const api::PodGroupStatus& status) {
  api::JsonWriter json;
  json.beginObject();
  json.member("phase", status.phase);
  json.member("running", status.running);
  json.member("succeeded", status.succeeded);
  json.member("failed", status.failed);
  json.endObject();
  return json.take();
}

api::ObjectRef refOf(const std::string& key) {
  const std::size_t slash = key.find('/');
  return {.kind = api::PodGroup::kKind,
          .apiVersion = api::PodGroup::kApiVersion,
          .namespace_ = key.substr(0, slash),
          .name = key.substr(slash + 1)};
}

}  // namespace

std::string groupPhase(const GroupSituation& group, bool enqueueDecides) {
  const MemberCounts& members = group.members;
  if (members.pods == 0 && group.phase == "Completed") return "Completed";
  if (members.scheduled >= std::max(1, group.minMember)) {
    return members.succeeded + members.failed == members.scheduled ? "Completed" : "Running";
  }
  if (members.running > 0 && group.unschedulable) return "Unknown";
  return !enqueueDecides || group.phase == "Inqueue" ? "Inqueue" : "Pending";
}

void PodGroupStatusController::seen(const api::Object& object, Time) {
  if (const auto* pod = std::get_if<api::Pod>(&object)) seenPod(*pod);
  if (const auto* group = std::get_if<api::PodGroup>(&object)) seenGroup(*group);
}

void PodGroupStatusController::seenPod(const api::Pod& pod) {
  const std::string key = keyOf(pod.metadata);
  if (!pods_.isNews(key, pod.metadata) || !options_.schedulers.contains(pod.spec.schedulerName)) return;
  const Member member{.gang = gangKeyOf(pod), .counts = countsOf(pod)};
  if (const auto before = pods_.put(key, pod.metadata, member)) {
    if (before->gang == member.gang && before->counts == member.counts) return;
    count(*before, -1);
  }
  count(member, 1);
}

void PodGroupStatusController::seenGroup(const api::PodGroup& group) {
  const std::string key = keyOf(group.metadata);
  if (!groups_.isNews(key, group.metadata)) return;
  Group info{.minMember = group.spec.minMember,
             .leaving = group.metadata.deletionTimestamp.has_value(),
             .status = group.status,
             .uid = group.metadata.uid};
  info.status.conditions.clear();
  info.unschedulable = api::isTrue(group.status.conditions, "Unschedulable");
  groups_.put(key, group.metadata, std::move(info));
  effectSeen("status", key);
  touch(key);
}

void PodGroupStatusController::gone(const api::ObjectRef& ref, const std::string& uid) {
  const std::string key = keyOf(ref.namespace_, ref.name);
  if (ref.kind == api::Pod::kKind) {
    if (const auto before = pods_.remove(key, uid)) count(*before, -1);
  } else if (ref.kind == api::PodGroup::kKind && groups_.remove(key, uid)) {
    forget("status", key);
    written_.erase(key);
  }
}

void PodGroupStatusController::count(const Member& member, int sign) {
  MemberCounts& sum = counts_[member.gang];
  sum.scheduled += sign * member.counts.scheduled;
  sum.running += sign * member.counts.running;
  sum.succeeded += sign * member.counts.succeeded;
  sum.failed += sign * member.counts.failed;
  sum.pods += sign;
  if (sum.pods == 0) counts_.erase(member.gang);
  touch(member.gang);
}

void PodGroupStatusController::reconcile(const std::string& key, Time now) {
  const auto* held = groups_.find(key);
  if (held == nullptr || held->info.leaving) return;
  const Group& group = held->info;
  auto counted = counts_.find(key);
  const MemberCounts members = counted == counts_.end() ? MemberCounts{} : counted->second;
  const GroupSituation situation{.phase = group.status.phase,
                                 .minMember = group.minMember,
                                 .unschedulable = group.unschedulable,
                                 .members = members};
  const api::PodGroupStatus wanted{.phase = groupPhase(situation, options_.enqueueDecides),
                                   .conditions = {},
                                   .running = members.running,
                                   .succeeded = members.succeeded,
                                   .failed = members.failed};
  if (wanted == group.status) return;
  auto last = written_.find(key);
  if (wanted.phase == group.status.phase && last != written_.end() &&
      now < last->second + options_.interval) {
    wake(last->second + options_.interval);
    return;
  }
  WriteStatus write{
      .target = refOf(key), .uid = group.uid, .resourceVersion = "", .statusJson = patchOf(wanted)};
  if (send("status", key, std::move(write), now)) written_[key] = now;
}

}  // namespace tidegate::controllers
