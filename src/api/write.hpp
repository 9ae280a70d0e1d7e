// Objects as text: the fields tidegate knows, in the order of their descriptions, left out where they have
// their default. Reading the text gives an equal object.
#pragma once

#include <string>

#include "api/json_writer.hpp"
#include "api/objects.hpp"

namespace tidegate::api {

std::string toJson(const Object& object);
std::string toYaml(const Object& object);
// As one value of a larger JSON text.
void writeJson(JsonWriter& json, const Object& object);
// A resource list as {"cpu":"1500m","nvidia.com/gpu":"8"}.
void writeJson(JsonWriter& json, const ResourceList& list);

}  // namespace tidegate::api
