#include "drill/recorder.hpp"

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::drill {
namespace {

namespace names = api::names;

// What users call the owner's kind, and the owner's own key. A ReplicaSet stands for its Deployment.
std::pair<std::string, std::string> ownerOf(const api::Pod& pod) {
  const api::OwnerReference* owner = api::controllerOf(pod.metadata);
  if (owner == nullptr) return {"Pod", sim::keyOf(pod.metadata)};
  const std::string key = sim::keyOf(pod.metadata.namespace_, owner->name);
  if (owner->kind == "ReplicaSet") return {"Deployment", key.substr(0, key.rfind('-'))};
  if (owner->kind == "Job" && owner->apiVersion.starts_with("batch.volcano.sh/")) return {"vcjob", key};
  return {owner->kind, key};
}

std::string annotationOf(const api::ObjectMeta& metadata, const char* name) {
  const auto found = metadata.annotations.find(name);
  return found == metadata.annotations.end() ? "" : found->second;
}

std::string gangOf(const api::Pod& pod) {
  const std::string name = annotationOf(pod.metadata, names::kGroupName);
  return name.empty() ? "" : sim::keyOf(pod.metadata.namespace_, name);
}

}  // namespace

Recorder::Recorder(sim::SimWorld& world)
    : Recorder(world.store(), [&world] { return world.now(); }, FreeWhen::Ended) {
  world.subscribe([this](const sim::Change& change) { see(change); });
}

Recorder::Recorder(const sim::ObjectStore& store, Clock now, FreeWhen freeWhen)
    : store_(store), now_(std::move(now)), freeWhen_(freeWhen) {}

void Recorder::see(const sim::Change& change) {
  if (std::holds_alternative<api::Pod>(change.object())) podChanged(change);
  if (const auto* recall = std::get_if<api::Recall>(&change.object()))
    recalls_[recall->metadata.name] = *recall;
}

std::string Recorder::queueOf(const api::Pod& pod) const {
  const std::string gang = gangOf(pod);
  const auto group = gang.empty() ? nullptr : store_.find<api::PodGroup>(gang);
  if (group) return group->spec.queue;
  const std::string queue = annotationOf(pod.metadata, names::kQueueName);
  return queue.empty() ? names::kDefaultQueue : queue;
}

PodLife Recorder::born(const api::Pod& pod) const {
  auto [kind, owner] = ownerOf(pod);
  return {.uid = pod.metadata.uid,
          .key = sim::keyOf(pod.metadata),
          .owner = std::move(owner),
          .ownerKind = std::move(kind),
          .gang = gangOf(pod),
          .queue = queueOf(pod),
          .node = "",
          .gpus = static_cast<int>(sim::gpusOf(pod.spec)),
          .created = now_()};
}

void Recorder::use(const PodLife& pod, int sign) {
  usage_.push_back({.at = now_(), .queue = pod.queue, .gpus = sign * pod.gpus});
}

void Recorder::podChanged(const sim::Change& change) {
  const auto& pod = std::get<api::Pod>(change.object());
  auto found = pods_.find(pod.metadata.uid);
  if (found == pods_.end()) {
    order_.push_back(pod.metadata.uid);
    found = pods_.emplace(pod.metadata.uid, born(pod)).first;
  }
  PodLife& life = found->second;
  const bool lingers = freeWhen_ == FreeWhen::Gone && sim::isTerminating(pod);
  const bool ended = !change.after || (sim::isTerminal(pod) && !lingers);
  if (!life.bound) life.queue = queueOf(pod);  // its PodGroup may come to be known later
  if (!life.bound && !pod.spec.nodeName.empty()) {
    life.node = pod.spec.nodeName;
    life.bound = now_();
    use(life, +1);
  }
  if (!life.ready && sim::isReady(pod)) life.ready = now_();
  if (!life.signalled && pod.metadata.annotations.contains(names::kCheckpointRequested))
    life.signalled = now_();
  if (!life.terminating && sim::isTerminating(pod) && !life.free) life.terminating = now_();
  if (!life.ended && (!change.after || sim::isTerminal(pod))) life.ended = now_();
  if (!life.free && ended) {
    life.free = now_();
    if (life.bound) use(life, -1);
  }
}

std::vector<const PodLife*> Recorder::pods() const {
  std::vector<const PodLife*> out;
  out.reserve(order_.size());
  for (const std::string& uid : order_) out.push_back(&pods_.at(uid));
  return out;
}

}  // namespace tidegate::drill
