// What a job is made of: its pods, its PodGroup, its volumes' claims.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controllers/vcjob_plugins.hpp"
#include "controllers/vcjob_spec.hpp"

namespace tidegate::vcjob {

// What a new pod carries besides its template.
struct PodMaking {
  std::int32_t version = 0;  // the job's, see VcJobStatus
  std::int32_t retryCount = 0;
  std::string checkpoint;  // what it may resume from, RFC 3339; empty: nothing
};
Create makePod(const PodPlace& place, const PodMaking& making);

// `queue`: the job's, or what its namespace has in place of the default one.
Create makePodGroup(const api::VcJob& job, const Priorities& priorities, const std::string& queue);
// The part of the PodGroup's spec that follows the job when it is changed, as a merge patch; nullopt: it is
// as it should be.
std::optional<std::string> podGroupChange(const api::VcJob& job, const api::PodGroup& group,
                                          const Priorities& priorities);

// A claim for every volume that describes one; its name is the volume's, or "<job>-volume-<i>".
std::vector<Create> volumeClaims(const api::VcJob& job);

}  // namespace tidegate::vcjob
