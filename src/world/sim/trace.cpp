#include "world/sim/trace.hpp"

#include <fmt/format.h>

#include <array>

#include "api/conditions.hpp"
#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

namespace names = api::names;

constexpr std::array<std::string_view, 24> kNames = {
    "PodCreated",      "PodBound",       "PodRunning",   "PodReady",   "PodRecalled", "CheckpointRequested",
    "CheckpointSaved", "PodTerminating", "PodSigterm",   "PodKilled",  "PodFinished", "PodGone",
    "NodeNotReady",    "NodeReady",      "JobSuspended", "JobResumed", "JobPhase",    "WorkSaved",
    "WorkLost",        "WorkResumed",    "WorkDone",     "Command",    "Emitted",     "Fault"};

void recordPodUpdate(Trace& trace, Time now, const api::Pod& before, const api::Pod& after) {
  const auto add = [&](TraceKind kind, std::string detail = {}) {
    trace.add(podEntry(now, kind, after, std::move(detail)));
  };
  if (before.spec.nodeName.empty() && !after.spec.nodeName.empty()) add(TraceKind::PodBound);
  if (before.status.phase != after.status.phase && after.status.phase == "Running")
    add(TraceKind::PodRunning);
  if (!isReady(before) && isReady(after)) add(TraceKind::PodReady);
  if (!before.metadata.annotations.contains(names::kRecalledBy)) {
    const auto recall = after.metadata.annotations.find(names::kRecalledBy);
    if (recall != after.metadata.annotations.end()) add(TraceKind::PodRecalled, recall->second);
  }
  if (before.metadata.deletionGracePeriodSeconds != after.metadata.deletionGracePeriodSeconds) {
    add(TraceKind::PodTerminating,
        fmt::format("grace={}s", after.metadata.deletionGracePeriodSeconds.value_or(0)));
  }
  if (!isTerminal(before) && isTerminal(after)) {
    add(TraceKind::PodFinished,
        after.status.phase + (after.status.reason.empty() ? "" : " " + after.status.reason));
  }
}

void recordPod(Trace& trace, Time now, const Change& change) {
  if (!change.before) {
    const auto& pod = std::get<api::Pod>(*change.after);
    trace.add(podEntry(now, TraceKind::PodCreated, pod));
    if (!pod.spec.nodeName.empty()) trace.add(podEntry(now, TraceKind::PodBound, pod));
  } else if (!change.after) {
    trace.add(podEntry(now, TraceKind::PodGone, std::get<api::Pod>(*change.before)));
  } else {
    recordPodUpdate(trace, now, std::get<api::Pod>(*change.before), std::get<api::Pod>(*change.after));
  }
}

bool nodeReady(const api::Node& node) {
  const api::Condition* ready = findCondition(node.status.conditions, "Ready");
  return !ready || ready->status == "True";
}

void recordNode(Trace& trace, Time now, const Change& change) {
  const bool before = change.before && nodeReady(std::get<api::Node>(*change.before));
  const bool after = change.after && nodeReady(std::get<api::Node>(*change.after));
  if (before == after) return;
  trace.add({.at = now,
             .kind = after ? TraceKind::NodeReady : TraceKind::NodeNotReady,
             .object = keyOf(api::metadataOf(change.object())),
             .detail = change.after ? "" : "deleted"});
}

template <class Job>
void recordSuspension(Trace& trace, Time now, const Job& before, const Job& after, bool wasSuspended,
                      bool isSuspended) {
  if (wasSuspended == isSuspended) return;
  trace.add({.at = now,
             .kind = isSuspended ? TraceKind::JobSuspended : TraceKind::JobResumed,
             .object = keyOf(after.metadata),
             .uid = before.metadata.uid,
             .detail = Job::kApiVersion});
}

void recordVcJob(Trace& trace, Time now, const api::VcJob& before, const api::VcJob& after) {
  recordSuspension(trace, now, before, after, before.metadata.annotations.contains(names::kSuspend),
                   after.metadata.annotations.contains(names::kSuspend));
  if (before.status.state.phase == after.status.state.phase) return;
  trace.add({.at = now,
             .kind = TraceKind::JobPhase,
             .object = keyOf(after.metadata),
             .uid = after.metadata.uid,
             .detail = fmt::format("{} retries={}", after.status.state.phase, after.status.retryCount)});
}

void recordBatchJob(Trace& trace, Time now, const api::BatchJob& before, const api::BatchJob& after) {
  recordSuspension(trace, now, before, after, before.spec.suspend.value_or(false),
                   after.spec.suspend.value_or(false));
  for (const char* type : {"Complete", "Failed"}) {
    if (findCondition(before.status.conditions, type) || !findCondition(after.status.conditions, type))
      continue;
    trace.add({.at = now,
               .kind = TraceKind::JobPhase,
               .object = keyOf(after.metadata),
               .uid = after.metadata.uid,
               .detail = type});
  }
}

}  // namespace

std::string_view name(TraceKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

TraceEntry podEntry(Time at, TraceKind kind, const api::Pod& pod, std::string detail) {
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  return {.at = at,
          .kind = kind,
          .object = keyOf(pod.metadata),
          .uid = pod.metadata.uid,
          .owner = owner ? owner->kind + " " + keyOf(pod.metadata.namespace_, owner->name) : "",
          .node = pod.spec.nodeName,
          .gpus = gpusOf(pod.spec),
          .detail = std::move(detail)};
}

void recordChange(Trace& trace, Time now, const Change& change) {
  const api::Object& object = change.object();
  if (std::holds_alternative<api::Pod>(object)) return recordPod(trace, now, change);
  if (std::holds_alternative<api::Node>(object)) return recordNode(trace, now, change);
  if (!change.before || !change.after) return;
  if (const auto* job = std::get_if<api::VcJob>(&object)) {
    recordVcJob(trace, now, std::get<api::VcJob>(*change.before), *job);
  } else if (const auto* batch = std::get_if<api::BatchJob>(&object)) {
    recordBatchJob(trace, now, std::get<api::BatchJob>(*change.before), *batch);
  }
}

std::string Trace::text(Time start) const {
  std::string out;
  for (const TraceEntry& entry : entries_) {
    fmt::format_to(std::back_inserter(out), "{:+.6f} {} {}", toSeconds(entry.at - start), name(entry.kind),
                   entry.object);
    if (!entry.node.empty()) fmt::format_to(std::back_inserter(out), " node={}", entry.node);
    if (!entry.uid.empty()) fmt::format_to(std::back_inserter(out), " uid={}", entry.uid);
    if (!entry.detail.empty()) fmt::format_to(std::back_inserter(out), " {}", entry.detail);
    out += '\n';
  }
  return out;
}

}  // namespace tidegate::sim
