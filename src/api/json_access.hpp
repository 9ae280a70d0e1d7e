// Looking into parsed JSON whose shape is not known for sure: what is missing, or of another type, is absent.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tidegate::api {

using JsonPath = std::initializer_list<std::string_view>;

// The value a path of members leads to; nullptr if there is none.
const boost::json::value* jsonAt(const boost::json::object& object, JsonPath path);
// "" if there is no text there.
std::string textAt(const boost::json::object& object, JsonPath path);
std::optional<std::int64_t> numberAt(const boost::json::object& object, JsonPath path);
// nullptr if there is no object there.
const boost::json::object* objectAt(const boost::json::object& object, JsonPath path);

}  // namespace tidegate::api
