// What a Volcano Job asks for, with the defaults Volcano's webhook would fill in, and the names of what is
// made for it. Source: Volcano's pkg/webhooks/admission/jobs/mutate, pkg/controllers/job/helpers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/objects.hpp"

namespace tidegate::vcjob {

// The job with its defaults filled in: queue, scheduler, task names ("default0"), retries, and the plugins
// that others need (pytorch and tensorflow: svc; mpi: svc and ssh).
api::VcJob withDefaults(api::VcJob job);

std::int32_t taskMinimum(const api::TaskSpec& task);
std::int32_t jobMinimum(const api::VcJob& job);
std::int32_t jobReplicas(const api::VcJob& job);
// How many pods the job may have: all, or what annotation tidegate.dev/replicas-limit shrinks it to.
std::int32_t replicasLimit(const api::VcJob& job);
// Annotation tidegate.dev/suspend is set: no pods are wanted.
bool isSuspended(const api::VcJob& job);

std::string podGroupName(const api::VcJob& job);  // "<job>-<uid>"
std::string podName(const api::VcJob& job, const api::TaskSpec& task, std::int32_t index);
// A pod's address by the svc plugin: the template's hostname and subdomain, else "<pod>.<job>".
std::string hostName(const api::VcJob& job, const api::TaskSpec& task, std::int32_t index);
// The names a task is reached by: one per replica, or one if the template fixes the hostname.
std::vector<std::string> hostNames(const api::VcJob& job, const api::TaskSpec& task);

std::size_t taskIndex(const api::VcJob& job, const std::string& name);  // number of tasks if there is none

using Priorities = std::map<std::string, std::int32_t>;  // PriorityClass -> value
// The tasks by the priority of their pods, highest first: in this order pods are made and counted.
std::vector<std::size_t> tasksByPriority(const api::VcJob& job, const Priorities& priorities);
// What the gang needs at least: the requests of its minimum of pods, tasks of high priority first.
ResourceList minResources(const api::VcJob& job, const Priorities& priorities);

}  // namespace tidegate::vcjob
