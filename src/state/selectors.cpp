#include "state/selectors.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "state/cluster_state.hpp"

namespace tidegate {
namespace {

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool compares(const std::string& label, const std::vector<std::string>& values, bool greater) {
  if (values.size() != 1) return false;
  const auto left = integer(label);
  const auto right = integer(values.front());
  return left && right && (greater ? *left > *right : *left < *right);
}

}  // namespace

bool matches(const api::LabelSelectorRequirement& requirement, const api::StringMap& labels) {
  auto found = labels.find(requirement.key);
  const bool present = found != labels.end();
  const auto& values = requirement.values;
  const bool listed = present && std::ranges::find(values, found->second) != values.end();
  if (requirement.operator_ == "In") return listed;
  if (requirement.operator_ == "NotIn") return !listed;
  if (requirement.operator_ == "Exists") return present;
  if (requirement.operator_ == "DoesNotExist") return !present;
  if (requirement.operator_ == "Gt") return present && compares(found->second, values, true);
  if (requirement.operator_ == "Lt") return present && compares(found->second, values, false);
  return false;
}

bool matches(const api::LabelSelector& selector, const api::StringMap& labels) {
  for (const auto& [key, value] : selector.matchLabels) {
    auto found = labels.find(key);
    if (found == labels.end() || found->second != value) return false;
  }
  return std::ranges::all_of(selector.matchExpressions,
                             [&](const auto& need) { return matches(need, labels); });
}

bool matches(const api::NodeSelectorTerm& term, const NodeInfo& node) {
  if (term.matchExpressions.empty() && term.matchFields.empty()) return false;
  const api::StringMap fields = {{"metadata.name", node.name}};
  return std::ranges::all_of(term.matchExpressions,
                             [&](const auto& need) { return matches(need, node.labels); }) &&
         std::ranges::all_of(term.matchFields, [&](const auto& need) { return matches(need, fields); });
}

bool selects(const PodConstraints& pod, const NodeInfo& node) {
  for (const auto& [key, value] : pod.nodeSelector) {
    auto found = node.labels.find(key);
    if (found == node.labels.end() || found->second != value) return false;
  }
  if (!pod.nodeAffinity) return true;
  const auto& required = pod.nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution;
  return !required || std::ranges::any_of(required->nodeSelectorTerms,
                                          [&](const auto& term) { return matches(term, node); });
}

}  // namespace tidegate
