#include "api/operators.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "api/field_reader.hpp"
#include "api/kinds.hpp"

namespace tidegate::api {

namespace {

constexpr std::int64_t kMostPods = 1'000'000;

Value parsed(const std::string& json) {
  auto documents = readDocuments(json.empty() ? "{}" : json, "");
  return documents && documents->size() == 1 ? std::move(documents->front()) : Value{};
}

std::optional<std::int64_t> numberIn(const Value& value, std::string_view name) {
  const std::string_view text = value.textOf(name);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return std::min(number, kMostPods);
}

bool flagIn(const Value& value, std::string_view name) {
  return value.textOf(name) == "true";
}

bool holds(const Value& status, const StatusMark& mark) {
  const std::string_view wanted = mark.value;
  if (wanted.empty()) return false;
  if (const std::string_view field = mark.field; !field.empty()) return status.textOf(field) == wanted;
  const Value* conditions = status.find("conditions");
  const Items* items = conditions == nullptr ? nullptr : conditions->items();
  return items != nullptr && std::ranges::any_of(*items, [&](const Value& each) {
           return each.textOf("type") == wanted && each.textOf("status") == "True";
         });
}

// The pod template of a group of pods; nullptr if this is none.
const Value* templateIn(const Value& group) {
  const Value* found = group.find("template");
  const Value* spec = found == nullptr ? nullptr : found->find("spec");
  return spec != nullptr && spec->find("containers") != nullptr ? found : nullptr;
}

// How often a group asks for its template, or for the groups in it: replicas (Kubeflow, JobSet, Ray's
// workers, of which it has no fewer than minReplicas), numOfHosts each (Ray), parallelism (batch Job).
std::int64_t countIn(const Value& group) {
  const std::int64_t least = numberIn(group, "minReplicas").value_or(0);
  std::int64_t count = std::max(numberIn(group, "replicas").value_or(least > 0 ? least : 1), least);
  count *= numberIn(group, "numOfHosts").value_or(1);
  std::int64_t parallel = numberIn(group, "parallelism").value_or(1);
  if (const auto completions = numberIn(group, "completions")) parallel = std::min(parallel, *completions);
  return std::min(count * parallel, kMostPods);
}

void collectPods(const Value& value, std::int64_t times, std::vector<PodShape>& pods) {
  if (const Items* items = value.items()) {
    for (const Value& item : *items) collectPods(item, times, pods);
  }
  const Members* members = value.members();
  if (members == nullptr) return;
  times = std::min(times * countIn(value), kMostPods);
  if (const Value* found = templateIn(value)) {
    Findings findings;
    FieldReader reader(findings);
    PodShape shape{.template_ = {}, .count = static_cast<std::int32_t>(times)};
    reader.read(*found, shape.template_);
    if (times > 0) pods.push_back(std::move(shape));
    return;
  }
  for (const Member& member : *members) collectPods(member.value, times, pods);
}

}  // namespace

std::optional<std::size_t> operatorKindOf(std::string_view kind, std::string_view apiVersion) {
  for (std::size_t row = 0; row < kOperatorRows; ++row) {
    const OperatorKind& each = kOperatorKinds[row];
    if (kind == each.kind && groupOfVersion(apiVersion) == groupOfVersion(each.apiVersion)) return row;
  }
  return std::nullopt;
}

OperatorFacts factsOf(std::size_t row, const OperatorJob& job) {
  const OperatorKind& kind = kOperatorKinds.at(row);
  const std::string_view in = kind.suspendIn;
  const Value spec = parsed(job.spec);
  const Value status = parsed(job.status);
  const Value* holder = in.empty() ? &spec : spec.find(in);
  OperatorFacts facts;
  facts.suspended = holder != nullptr && flagIn(*holder, "suspend");
  facts.stopped = holds(status, kind.stopped);
  facts.finished =
      std::ranges::any_of(kind.finished, [&](const StatusMark& mark) { return holds(status, mark); });
  const std::string_view needs = kind.needs;
  facts.suspendable = needs.empty() || flagIn(spec, needs);
  collectPods(spec, 1, facts.pods);
  return facts;
}

std::string withSuspend(std::size_t row, const std::string& spec, bool suspend) {
  namespace json = boost::json;
  boost::system::error_code failure;
  json::value value = json::parse(spec.empty() ? "{}" : spec, failure);
  if (failure || !value.is_object()) value.emplace_object();
  json::object* holder = &value.get_object();
  if (const std::string_view in = kOperatorKinds.at(row).suspendIn; !in.empty()) {
    json::value& inner = (*holder)[in];
    if (!inner.is_object()) inner.emplace_object();
    holder = &inner.get_object();
  }
  (*holder)["suspend"] = suspend;
  return json::serialize(value);
}

}  // namespace tidegate::api
