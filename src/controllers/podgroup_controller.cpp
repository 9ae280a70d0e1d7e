#include "controllers/podgroup_controller.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "api/write.hpp"
#include "state/cluster_state.hpp"
#include "state/translate.hpp"

namespace tidegate::controllers {
namespace names = api::names;

namespace {

constexpr std::string_view kPrefix = "podgroup-";
constexpr std::size_t kNamedAtOnce = 32;  // of one gang, at a look

std::string namespaceIn(const std::string& key) {
  return key.substr(0, key.find('/'));
}
std::string nameIn(const std::string& key) {
  return key.substr(key.find('/') + 1);
}

api::ObjectRef groupRef(const std::string& key) {
  return {.kind = api::PodGroup::kKind,
          .apiVersion = api::PodGroup::kApiVersion,
          .namespace_ = namespaceIn(key),
          .name = nameIn(key)};
}

// Owners whose annotations count: those that Volcano reads, less DaemonSets.
bool isWatched(const api::OwnerReference& owner) {
  return owner.kind == api::ReplicaSet::kKind || owner.kind == api::StatefulSet::kKind ||
         (owner.kind == api::BatchJob::kKind && owner.apiVersion == api::BatchJob::kApiVersion);
}

std::string mergeFor(const api::PodGroup& group) {
  api::JsonWriter json;
  json.beginObject();
  json.key("spec");
  json.beginObject();
  json.member("minMember", group.spec.minMember);
  json.key("minResources");
  api::writeJson(json, group.spec.minResources);
  json.endObject();
  json.endObject();
  return json.take();
}

}  // namespace

// ---- what happens -------------------------------------------------------------------------------

void PodGroupController::seen(const api::Object& object, Time now) {
  if (const auto* pod = std::get_if<api::Pod>(&object)) seenPod(*pod, now);
  if (const auto* group = std::get_if<api::PodGroup>(&object)) seenGroup(*group);
  if (const auto* space = std::get_if<api::Namespace>(&object)) queues_.seen(*space);
  if (const auto* set = std::get_if<api::ReplicaSet>(&object)) {
    seenOwner(set->metadata, api::refOf(object), set->spec.replicas.value_or(1));
  }
  if (const auto* set = std::get_if<api::StatefulSet>(&object)) {
    seenOwner(set->metadata, api::refOf(object), set->spec.replicas.value_or(1));
  }
  if (const auto* job = std::get_if<api::BatchJob>(&object)) {
    seenOwner(job->metadata, api::refOf(object), std::nullopt);
  }
}

PodGroupController::Member PodGroupController::memberFrom(const api::Pod& pod) const {
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  const std::string named = groupNamedBy(pod);
  const std::string implicit = implicitGroupName(pod);
  const bool ours = options_.schedulers.contains(pod.spec.schedulerName) &&
                    (owner == nullptr || owner->kind != "DaemonSet") && (named.empty() || named == implicit);
  if (!ours) return {};
  return {.gang = keyOf(pod.metadata.namespace_, implicit),
          .live = !isTerminal(pod) && !pod.metadata.deletionTimestamp,
          .lacking = named.empty()};
}

void PodGroupController::seenPod(const api::Pod& pod, Time now) {
  const std::string key = keyOf(pod.metadata);
  const Member member = memberFrom(pod);
  const bool known = pods_.find(key) != nullptr;
  if ((member.gang.empty() && !known) || !pods_.isNews(key, pod.metadata)) return;
  const auto before = pods_.put(key, pod.metadata, member);
  if (before && before->gang != member.gang) leave(pod.metadata.name, before->gang);
  if (member.gang.empty()) return;
  auto [at, added] = gangs_.try_emplace(member.gang);
  Gang& gang = at->second;
  if (added) gang.since = now;
  gang.pods[pod.metadata.name] = member.live;
  if (member.live && member.lacking)
    gang.nameless.insert(pod.metadata.name);
  else
    gang.nameless.erase(pod.metadata.name);
  if (added || pod.metadata.name <= gang.draftedBy) {
    gang.draftedBy = pod.metadata.name;
    gang.draft = groupDraft(pod, resources_);
  }
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  gang.ownerWatched = owner != nullptr && isWatched(*owner);
  if (!member.lacking) forget("name", member.gang, pod.metadata.name);
  touch(member.gang);
}

void PodGroupController::leave(const std::string& pod, const std::string& key) {
  auto gang = gangs_.find(key);
  if (gang == gangs_.end()) return;
  gang->second.pods.erase(pod);
  gang->second.nameless.erase(pod);
  if (gang->second.pods.empty()) gangs_.erase(gang);
  forget("name", key, pod);
  touch(key);
}

void PodGroupController::seenGroup(const api::PodGroup& group) {
  if (!group.metadata.name.starts_with(kPrefix)) return;
  const std::string key = keyOf(group.metadata);
  if (!groups_.isNews(key, group.metadata)) return;
  groups_.put(key, group.metadata,
              {.minMember = group.spec.minMember,
               .recalled = annotation(group.metadata, names::kRecalledBy) != nullptr,
               .leaving = group.metadata.deletionTimestamp.has_value()});
  for (const char* verb : {"create", "merge", "delete"}) effectSeen(verb, key);
  touch(key);
}

void PodGroupController::seenOwner(const api::ObjectMeta& metadata, const api::ObjectRef& ref,
                                   std::optional<std::int32_t> replicas) {
  if (!owners_.isNews(metadata.uid, metadata)) return;
  owners_.put(metadata.uid, metadata, groupOwner(metadata, replicas));
  ownerUids_[ref] = metadata.uid;
  touch(keyOf(metadata.namespace_, std::string(kPrefix) + metadata.uid));
}

void PodGroupController::ownerGone(const api::ObjectRef& ref, const std::string& uid) {
  auto known = ownerUids_.find(ref);
  const std::string gone = !uid.empty() ? uid : known != ownerUids_.end() ? known->second : "";
  owners_.remove(gone, gone);
  if (known != ownerUids_.end() && known->second == gone) ownerUids_.erase(known);
  touch(keyOf(ref.namespace_, std::string(kPrefix) + gone));
}

void PodGroupController::gone(const api::ObjectRef& ref, const std::string& uid) {
  const std::string key = keyOf(ref.namespace_, ref.name);
  if (ref.kind == api::Pod::kKind) {
    if (const auto before = pods_.remove(key, uid)) leave(ref.name, before->gang);
  } else if (ref.kind == api::PodGroup::kKind) {
    if (!groups_.remove(key, uid)) return;
    for (const char* verb : {"create", "merge", "delete"}) forget(verb, key);
    touch(key);
  } else if (ref.kind == api::ReplicaSet::kKind || ref.kind == api::StatefulSet::kKind ||
             (ref.kind == api::BatchJob::kKind && ref.apiVersion == api::BatchJob::kApiVersion)) {
    ownerGone(ref, uid);
  }
}

// ---- what follows -------------------------------------------------------------------------------

const GroupOwner* PodGroupController::ownerOf(const std::string& gang) const {
  const std::string name = nameIn(gang);
  const auto* owner = name.starts_with(kPrefix) ? owners_.find(name.substr(kPrefix.size())) : nullptr;
  return owner == nullptr ? nullptr : &owner->info;
}

void PodGroupController::reconcile(const std::string& key, Time now) {
  const auto* group = groups_.find(key);
  if (group != nullptr && group->info.leaving) return;
  const auto gang = gangs_.find(key);
  if (gang == gangs_.end()) {
    if (group != nullptr) removeIfUnused(key, now);
    return;
  }
  if (group == nullptr) {
    make(key, gang->second, now);
    return;
  }
  nameMembers(key, gang->second, now);
  keepMinimum(key, gang->second, now);
}

// When its group may be made: its owner may have more to say, and what is made in vain is not made at once
// again (pods whose owner is gone wait for the garbage collector, as their groups do).
std::optional<Time> PodGroupController::notBefore(const std::string& key, const Gang& gang) const {
  std::optional<Time> at;
  if (ownerOf(key) == nullptr && gang.ownerWatched) at = gang.since + options_.ownerDue;
  if (gang.made) at = std::max(at.value_or(Time{}), *gang.made + options_.again);
  return at;
}

void PodGroupController::make(const std::string& key, Gang& gang, Time now) {
  const bool wanted = std::ranges::any_of(gang.pods, [](const auto& pod) { return pod.second; });
  const GroupOwner* owner = ownerOf(key);
  if (!wanted || (owner != nullptr && owner->atZero)) return;
  if (const auto at = notBefore(key, gang); at && now < *at) {
    wake(*at);
    return;
  }
  api::PodGroup group = groupFor(gang.draft, owner, resources_);
  group.spec.queue = queues_.queueFor(group.metadata.namespace_, group.spec.queue);
  if (send("create", key, Create{.target = groupRef(key), .json = api::toJson(group)}, now)) gang.made = now;
}

void PodGroupController::answered(const Outbox::Sent& sent, const CommandDone& done) {
  if (verbOf(sent.key) != "create" || done.outcome == Outcome::Succeeded) return;
  if (auto gang = gangs_.find(keyIn(sent.key)); gang != gangs_.end()) gang->second.made.reset();
}

// In turn, so that those that are refused keep no others waiting.
void PodGroupController::nameMembers(const std::string& key, Gang& gang, Time now) {
  const std::string ns = namespaceIn(key);
  const std::size_t most = std::min(gang.nameless.size(), kNamedAtOnce);
  for (std::size_t i = 0; i < most; ++i) {
    const std::string& name = gang.namedLast = *nextInTurn(gang.nameless, gang.namedLast);
    const auto* pod = pods_.find(keyOf(ns, name));
    Patch patch{.target = {.kind = api::Pod::kKind,
                           .apiVersion = api::Pod::kApiVersion,
                           .namespace_ = ns,
                           .name = name},
                .uid = pod->uid};
    patch.annotations[names::kGroupName] = nameIn(key);
    send("name", key, std::move(patch), now, name);
  }
}

// An owner may change its mind about the minimum.
void PodGroupController::keepMinimum(const std::string& key, const Gang& gang, Time now) {
  const GroupOwner* owner = ownerOf(key);
  const auto* held = groups_.find(key);
  if (owner == nullptr || !owner->minMember || *owner->minMember == held->info.minMember) return;
  const api::PodGroup group = groupFor(gang.draft, owner, resources_);
  send("merge", key, Merge{.target = groupRef(key), .uid = held->uid, .json = mergeFor(group)}, now);
}

void PodGroupController::removeIfUnused(const std::string& key, Time now) {
  const GroupOwner* owner = ownerOf(key);
  const auto* group = groups_.find(key);
  if (owner == nullptr || !owner->atZero || owner->suspended || group->info.recalled) return;
  send("delete", key, Delete{.target = groupRef(key), .uid = group->uid}, now);
}

}  // namespace tidegate::controllers
