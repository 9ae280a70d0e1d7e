#include "world/sim/kubelet.hpp"

#include <algorithm>
#include <utility>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

Kubelet::Kubelet(PodServices services, std::string node)
    : services_(std::move(services)), node_(std::move(node)) {
  services_.slow = services_.faults.kubeletFactor(node_);
}

PodProcess* Kubelet::find(const std::string& uid) {
  const auto found = processes_.find(uid);
  return found == processes_.end() ? nullptr : found->second.get();
}

std::size_t Kubelet::countOf(const std::string& key) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(processes_, [&](const auto& entry) { return entry.second->key() == key; }));
}

void Kubelet::sync(const std::string& key, const std::string& uid) {
  if (!alive_) return;
  const auto pod = services_.api.store().find<api::Pod>(key);
  const std::shared_ptr<PodProcess> process =
      processes_.contains(uid) ? processes_.at(uid) : std::shared_ptr<PodProcess>{};
  if (!pod || pod->metadata.uid != uid) {
    if (process) process->abandon();
    return;
  }
  if (isTerminal(*pod)) return;
  if (!process) {
    if (!isTerminating(*pod)) return admit(*pod);
    services_.api.remove(refTo<api::Pod>(pod->metadata.namespace_, pod->metadata.name),
                         {.uid = uid, .graceSeconds = 0});
    return;
  }
  const auto request = pod->metadata.annotations.find(api::names::kCheckpointRequested);
  if (request != pod->metadata.annotations.end()) process->seeRequest(request->second);
  if (isTerminating(*pod)) process->terminate(pod->metadata.deletionGracePeriodSeconds.value_or(0));
}

void Kubelet::admit(const api::Pod& pod) {
  const std::string& uid = pod.metadata.uid;
  if (admitted_.contains(uid) && pod.spec.restartPolicy == "Never") return refuse(pod, "NodeRestarted");
  if (const auto resource = lacking(pod)) return refuse(pod, "OutOf" + *resource);
  admitted_.insert(uid);
  const auto process = std::make_shared<PodProcess>(services_, pod, [this, uid] { processes_.erase(uid); });
  processes_.emplace(uid, process);
  process->start();
}

// The resource this node has too little of for the pod, counting every process whose devices are not free
// yet.
std::optional<std::string> Kubelet::lacking(const api::Pod& pod) const {
  const auto node = services_.api.store().find<api::Node>(node_);
  if (!node) return "Node";
  ResourceTable table;
  ResourceVec wanted = requestsOf(pod.spec, table);
  const ResourceVec allocatable = ResourceVec::fromList(node->status.allocatable, table);
  for (const auto& [uid, process] : processes_) wanted += requestsOf(process->spec(), table);
  for (ResourceId id = 0; id < wanted.size(); ++id) {
    if (wanted[id] > allocatable[id]) return table.name(id);
  }
  return std::nullopt;
}

void Kubelet::refuse(const api::Pod& pod, const std::string& reason) {
  services_.api.modify<api::Pod>(keyOf(pod.metadata), pod.metadata.uid, [&](api::Pod& it) {
    it.status.phase = "Failed";
    it.status.reason = reason;
  });
}

void Kubelet::crash() {
  alive_ = false;
  for (const auto& [uid, process] : std::exchange(processes_, {})) process->crash();
}

void Kubelet::recover() {
  alive_ = true;
  for (const auto& pod : services_.api.store().podsOn(node_)) sync(keyOf(pod->metadata), pod->metadata.uid);
}

Kubelets::Kubelets(PodServices services) : services_(std::move(services)) {
  services_.api.feed().subscribe([this](const Change& change) { watch(change); });
}

Kubelet* Kubelets::find(const std::string& node) {
  const auto found = kubelets_.find(node);
  return found == kubelets_.end() ? nullptr : &found->second;
}

PodProcess* Kubelets::process(const std::string& uid) {
  for (auto& [node, kubelet] : kubelets_) {
    if (PodProcess* process = kubelet.find(uid)) return process;
  }
  return nullptr;
}

std::size_t Kubelets::countOf(const std::string& key) const {
  std::size_t count = 0;
  for (const auto& [node, kubelet] : kubelets_) count += kubelet.countOf(key);
  return count;
}

void Kubelets::watch(const Change& change) {
  if (const auto* node = std::get_if<api::Node>(&change.object())) {
    const std::string& name = node->metadata.name;
    if (!change.before && !kubelets_.try_emplace(name, services_, name).second) {
      services_.clock.after({}, [this, name] { find(name)->recover(); });
    }
    if (!change.after) services_.clock.after({}, [this, name] { find(name)->crash(); });
    return;
  }
  const auto* pod = std::get_if<api::Pod>(&change.object());
  if (!pod || pod->spec.nodeName.empty()) return;
  services_.clock.after(services_.options.syncDelay, [this, node = pod->spec.nodeName,
                                                      key = keyOf(pod->metadata), uid = pod->metadata.uid] {
    if (Kubelet* kubelet = find(node)) kubelet->sync(key, uid);
  });
}

}  // namespace tidegate::sim
