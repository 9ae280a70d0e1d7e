// Whether a leader can do its work, and what to do if it cannot.
//
// Of the kinds it watches, three must be installed: queues, pod groups and recalls. All others may be absent:
// no objects of theirs exist then. Whether a kind may be read is said by its reflector.
#pragma once

#include <string>
#include <vector>

#include "run/http_server.hpp"
#include "world/kube/kube_host.hpp"

namespace tidegate::run {

// Without it nothing is scheduled or recalled.
bool isRequired(const kube::Resource& resource);

// Where a kind that is not installed is told of: "the Queue CRD (queues.scheduling.volcano.sh) is not
// installed; ...".
std::string absentText(const kube::Resource& resource);

// The answer of /readyz: 200, or 503 with one line for each thing that is wrong.
Page readiness(const std::vector<const kube::Reflector*>& reflectors);

// Those that are required are looked for again soon.
void lookForRequired(kube::HostOptions& options);

}  // namespace tidegate::run
