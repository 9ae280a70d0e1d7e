// Which records of finished recalls are kept: what happened lately can be looked up, and the API server is
// not filled with the past.
#pragma once

#include "protocol/outbox.hpp"
#include "state/cluster_state.hpp"

namespace tidegate {

struct ShelfOptions {
  std::size_t keep = 50;  // the newest finished
  Duration keepFor = std::chrono::hours(1);
};

// Deletes finished recalls beyond the newest `keep`, once they are older than `keepFor` (from their start),
// and no suspended or shrunk job names them: such a job asks its record whether the demand still waits.
void pruneRecalls(const ClusterState& state, const ShelfOptions& options, Outbox& outbox, Time now);

}  // namespace tidegate
