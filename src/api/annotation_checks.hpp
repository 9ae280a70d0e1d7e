// Annotations with values that cannot be meant, and what is used in their place. The values are those of
// docs/annotations.md.
#pragma once

#include <string>
#include <vector>

#include "api/objects.hpp"

namespace tidegate::api {

struct BadAnnotation {
  std::string name;
  std::string value;  // shortened
  const char* want;   // "a duration such as 30s, not negative"
  const char* used;   // "the default is used"

  // `annotation tidegate.dev/min-runtime: want a duration …, got "-5m"; the default is used`
  std::string text() const;
};

// Those of an object, in the order of their names. None of kinds whose annotations are not read.
std::vector<BadAnnotation> badAnnotations(const Object& object);

}  // namespace tidegate::api
