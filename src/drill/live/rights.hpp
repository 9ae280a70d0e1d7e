// What a drill does on a cluster, as the rights it needs; asked for before the first object is made. The
// ClusterRole of deploy/rbac/drill.yaml grants these and no others.
//
// The question is a SelfSubjectAccessReview (authorization.k8s.io/v1), which every user may ask.
#pragma once

#include <string>
#include <vector>

#include "drill/live/options.hpp"
#include "drill/live/writer.hpp"

namespace tidegate::drill::live {

struct Right {
  std::string verb;
  std::string resource;     // "queues.scheduling.volcano.sh", as Resource::title() has it
  bool namespaced = false;  // needed in the drill's namespace only

  bool operator==(const Right&) const = default;
  std::string text() const { return verb + " " + resource; }
};

std::vector<Right> rightsNeeded(const LiveOptions& options);

// Those that are refused. An error: the server does not say (why not).
Result<std::vector<Right>> missingRights(Writer& writer, const std::vector<Right>& rights,
                                         const std::string& nameSpace);

// Lines for a user who lacks them.
std::vector<std::string> explainMissing(const std::vector<Right>& missing);

}  // namespace tidegate::drill::live
