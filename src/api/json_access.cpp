#include "api/json_access.hpp"

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

namespace tidegate::api {

namespace json = boost::json;

const json::value* jsonAt(const json::object& object, JsonPath path) {
  const json::object* level = &object;
  const json::value* found = nullptr;
  for (const std::string_view step : path) {
    found = level == nullptr ? nullptr : level->if_contains(step);
    level = found == nullptr ? nullptr : found->if_object();
  }
  return found;
}

std::string textAt(const json::object& object, JsonPath path) {
  const json::value* found = jsonAt(object, path);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::optional<std::int64_t> numberAt(const json::object& object, JsonPath path) {
  const json::value* found = jsonAt(object, path);
  return found != nullptr && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
}

const json::object* objectAt(const json::object& object, JsonPath path) {
  const json::value* found = jsonAt(object, path);
  return found == nullptr ? nullptr : found->if_object();
}

}  // namespace tidegate::api
