// Questions about pods and conditions that several parts of the world ask.
#pragma once

#include <string_view>
#include <vector>

#include "api/objects.hpp"
#include "core/resources.hpp"
#include "core/time.hpp"

namespace tidegate::sim {

bool isTerminal(const api::Pod& pod);     // Succeeded or Failed
bool isTerminating(const api::Pod& pod);  // deletionTimestamp is set
bool isActive(const api::Pod& pod);       // neither: what controllers count as a living replica
bool isReady(const api::Pod& pod);

// Adds or replaces the condition of that type; the transition time moves only with the status.
void setCondition(std::vector<api::Condition>& conditions, api::Condition condition, Time now);

// What the pod asks of a node: containers summed, at least each init container, overhead, and one of "pods".
ResourceVec requestsOf(const api::PodSpec& spec, ResourceTable& table);
std::int64_t gpusOf(const api::PodSpec& spec);

bool matches(const api::LabelSelector& selector, const api::StringMap& labels);

}  // namespace tidegate::sim
