#include "world/rest/patches.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <utility>

namespace tidegate::rest {

namespace {

namespace json = boost::json;

// The field that names an item of a list; "" for lists that are replaced as a whole.
std::string_view mergeKeyOf(std::string_view list) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kKeys = {{
      {"conditions", "type"},
      {"containers", "name"},
      {"initContainers", "name"},
      {"env", "name"},
      {"volumes", "name"},
      {"volumeMounts", "mountPath"},
      {"imagePullSecrets", "name"},
      {"ownerReferences", "uid"},
      {"taints", "key"},
  }};
  const auto* found = std::ranges::find(kKeys, list, &std::pair<std::string_view, std::string_view>::first);
  return found == kKeys.end() ? std::string_view{} : found->second;
}

json::array& arrayIn(json::object& object, std::string_view name) {
  json::value& value = object[name];
  if (!value.is_array()) value.emplace_array();
  return value.as_array();
}

bool isDirective(const json::object& object, const char* what) {
  const json::value* directive = object.if_contains("$patch");
  return directive && directive->is_string() && directive->as_string() == what;
}

void mergeObject(json::object& target, const json::object& patch);

void mergeItem(json::array& items, const json::object& patch, std::string_view key) {
  const json::value* name = patch.if_contains(key);
  auto* const same = std::find_if(items.begin(), items.end(), [&](const json::value& item) {
    const json::value* other = item.is_object() ? item.as_object().if_contains(key) : nullptr;
    return name && other && *other == *name;
  });
  if (isDirective(patch, "delete")) {
    if (same != items.end()) items.erase(same);
  } else if (same == items.end()) {
    items.push_back(patch);
  } else {
    mergeObject(same->as_object(), patch);
  }
}

void mergeList(json::object& target, std::string_view name, const json::array& patch) {
  const std::string_view key = mergeKeyOf(name);
  json::array& items = arrayIn(target, name);
  if (name == "finalizers") {
    for (const json::value& item : patch) {
      if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
    }
  } else if (key.empty()) {
    items = patch;
  } else {
    for (const json::value& item : patch) {
      if (item.is_object()) mergeItem(items, item.as_object(), key);
    }
  }
}

void removeFromList(json::object& target, std::string_view name, const json::value& gone) {
  if (!gone.is_array()) return;
  json::array& items = arrayIn(target, name);
  for (const json::value& item : gone.as_array()) {
    auto* const found = std::find(items.begin(), items.end(), item);
    if (found != items.end()) items.erase(found);
  }
}

void mergeObject(json::object& target, const json::object& patch) {
  static constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";
  if (isDirective(patch, "replace")) target.clear();
  for (const auto& [key, value] : patch) {
    const std::string_view name(key.data(), key.size());
    if (name.starts_with(kDelete)) {
      removeFromList(target, name.substr(kDelete.size()), value);
    } else if (name.starts_with('$')) {
      continue;  // $patch, and orders and keys that change no content
    } else if (value.is_null()) {
      target.erase(name);
    } else if (value.is_object()) {
      json::value& inner = target[name];
      if (!inner.is_object()) inner.emplace_object();
      mergeObject(inner.as_object(), value.as_object());
    } else if (value.is_array()) {
      mergeList(target, name, value.as_array());
    } else {
      target[name] = value;
    }
  }
}

Result<json::value> parse(std::string_view text) {
  boost::system::error_code failure;
  json::value value = json::parse(json::string_view(text.data(), text.size()), failure);
  if (failure || !value.is_object()) return fail("want a JSON object");
  return value;
}

}  // namespace

Result<std::string> strategicMerge(std::string_view target, std::string_view patch) {
  TIDEGATE_TRY(json::value object, parse(target));
  TIDEGATE_TRY(const json::value changes, parse(patch));
  mergeObject(object.as_object(), changes.as_object());
  return json::serialize(object);
}

}  // namespace tidegate::rest
