// Rules that look at more than one field or object. Each finding tells the place of the value at fault.
#pragma once

#include <span>

#include "api/findings.hpp"
#include "api/objects.hpp"
#include "api/read.hpp"

namespace tidegate::api {

// An object together with where it came from, while a file is being read.
struct Located {
  Object object;
  const Value* tree = nullptr;
  const std::string* file = nullptr;
};

// Errors: a name given twice, a parent that is the queue itself, a cycle of parents, children guaranteed more
// than their parent declares. Errors if strict, else warnings: an unknown parent, guarantee > deserved,
// deserved or guarantee > capability, children deserving more than their parent declares, a child's
// capability above its parent's. Warning: a resource that no node of the input offers. Only values that are
// present are compared: absent is not zero.
void checkQueues(std::span<const Located> objects, Strictness strictness, Findings& findings);

// Errors: a vcjob's minAvailable above its replicas, in one task or in all. Warning: other kinds' names given
// twice.
void checkJobs(std::span<const Located> objects, Findings& findings);
void checkNames(std::span<const Located> objects, Findings& findings);

// The position of the deepest part of `path` that is in the tree.
Position locate(const Value& tree, std::span<const std::string_view> path);

}  // namespace tidegate::api
