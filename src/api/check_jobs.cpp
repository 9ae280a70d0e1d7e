#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "api/checks.hpp"

namespace tidegate::api {
namespace {

void checkVcJob(const Located& located, const VcJob& job, Findings& findings) {
  findings.enterFile(*located.file);
  std::int64_t replicas = 0;
  for (std::size_t i = 0; i < job.spec.tasks.size(); ++i) {
    const TaskSpec& task = job.spec.tasks[i];
    replicas += task.replicas;
    if (task.minAvailable.value_or(0) <= task.replicas) continue;
    const std::vector<std::string_view> path = {"spec", "tasks"};
    findings.error(locate(*located.tree, path), fmt::format("spec.tasks[{}].minAvailable", i),
                   fmt::format("task {} wants at least {} of its {} replicas", task.name, *task.minAvailable,
                               task.replicas));
  }
  if (job.spec.minAvailable.value_or(0) <= replicas) return;
  const std::vector<std::string_view> path = {"spec", "minAvailable"};
  findings.error(locate(*located.tree, path), "spec.minAvailable",
                 fmt::format("job {} wants at least {} of its {} replicas", job.metadata.name,
                             *job.spec.minAvailable, replicas));
}

}  // namespace

Position locate(const Value& tree, std::span<const std::string_view> path) {
  const Value* at = &tree;
  for (std::string_view step : path) {
    const Value* next = at->find(step);
    if (next == nullptr) break;
    at = next;
  }
  return at->at;
}

void checkJobs(std::span<const Located> objects, Findings& findings) {
  for (const Located& located : objects) {
    if (const VcJob* job = std::get_if<VcJob>(&located.object)) checkVcJob(located, *job, findings);
  }
}

void checkNames(std::span<const Located> objects, Findings& findings) {
  std::map<ObjectRef, const Located*> seen;
  for (const Located& located : objects) {
    if (std::holds_alternative<Queue>(located.object)) continue;  // an error, told by checkQueues
    const auto [first, isNew] = seen.try_emplace(refOf(located.object), &located);
    if (isNew) continue;
    const ObjectRef& ref = first->first;
    findings.enterFile(*located.file);
    findings.warn(located.tree->at, "metadata.name",
                  fmt::format("{} {}{}{} is given twice; this one replaces {}:{}", ref.kind, ref.namespace_,
                              ref.namespace_.empty() ? "" : "/", ref.name, *first->second->file,
                              first->second->tree->at.line));
  }
}

}  // namespace tidegate::api
