// From API objects to the values the mirror keeps: pure functions, no index, no sums.
#pragma once

#include "api/objects.hpp"
#include "core/resources.hpp"
#include "quota/queue_tree.hpp"
#include "state/cluster_state.hpp"

namespace tidegate {

// What a pod asks of a node, as the Kubernetes scheduler counts it: the sum of its containers or the largest
// init container, whichever is more, per resource; sidecars and overhead added; `pods: 1`. A limit without a
// request counts as the request. Negative amounts count as zero.
ResourceVec podRequest(const api::PodSpec& spec, ResourceTable& table);

quota::QueueConfig queueConfig(const api::Queue& queue, ResourceTable& table);

// Fills all that the Node object alone decides; sums and pods are left alone.
void readNode(const api::Node& node, ResourceTable& table, NodeInfo& info);

// Fills all that the Pod object alone decides; ids (gang, node, constraints), priority and whose it is
// (ours) are left alone.
void readPod(const api::Pod& pod, ResourceTable& table, PodInfo& info);

// Fills a gang from its PodGroup, or, implicit, from one of its pods. Queue id, priority and pods are left
// alone.
void readPodGroup(const api::PodGroup& group, GangInfo& info);
void readImplicitGang(const api::Pod& pod, GangInfo& info);

// Annotation values; unreadable ones and negative durations count as absent (controllers/object_checks.hpp
// tells of them).
const std::string* annotation(const api::ObjectMeta& metadata, const char* name);
std::optional<std::int32_t> intAnnotation(const api::ObjectMeta& metadata, const char* name);
std::optional<Time> timeAnnotation(const api::ObjectMeta& metadata, const char* name);
std::optional<Duration> durationAnnotation(const api::ObjectMeta& metadata, const char* name);

}  // namespace tidegate
