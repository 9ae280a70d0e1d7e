// Volcano's Jobs under Volcano's own controllers, which know no annotation of ours: a recalled job is aborted
// and later resumed by bus Commands (Volcano: pkg/controllers/job/state). The annotation tidegate.dev/suspend
// still says that the job is suspended, tidegate.dev/aborted-by that a Command has to bring it back.
//
// A Command is deleted by the controller before it acts, so one can be lost. Each is therefore asked for
// until the job's phase shows it; its name follows from the recall, so that there are never two of one.
#pragma once

#include "lifecycle/owner.hpp"
#include "protocol/act.hpp"

namespace tidegate::lifecycle {

// Asks for the abort of a job that this recall has marked, until it is under way.
void abortJob(const ClusterState& state, const Owner& owner, const std::string& recall, Acts& acts);

// Every aborted job that is no longer suspended is resumed; one that is resumed loses its mark.
void resumeAborted(const ClusterState& state, Acts& acts);

}  // namespace tidegate::lifecycle
