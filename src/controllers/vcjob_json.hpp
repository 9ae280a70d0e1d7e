// Short words for building and changing JSON values.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "api/objects.hpp"

namespace tidegate::vcjob {

namespace json = boost::json;

// The text as an object; an empty one if it is no JSON object.
json::object parsedObject(std::string_view text);
// The object or array under that key; made if it is missing (or of another type).
json::object& objectAt(json::object& object, std::string_view key);
json::array& arrayAt(json::object& object, std::string_view key);
json::object toJson(const api::StringMap& map);
json::object toJson(const ResourceList& list);
std::string text(const json::object& object);

// Reference of what the job owns: {"apiVersion","kind","name","uid","controller":true,...}.
json::object ownerReference(const api::VcJob& job);
// {"apiVersion","kind","metadata":{"name","namespace","ownerReferences"}} of an object the job owns.
struct Owned {
  const char* apiVersion;
  const char* kind;
  std::string name;
};
json::object ownedObject(const api::VcJob& job, const Owned& owned);

}  // namespace tidegate::vcjob
