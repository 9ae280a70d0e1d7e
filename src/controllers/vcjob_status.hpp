// The status of a job: counts, phases as Volcano's table of states has them, and its text for the API server.
// Source: Volcano's pkg/controllers/job/state.
#pragma once

#include <string>

#include "controllers/vcjob_book.hpp"

namespace tidegate::vcjob {

bool isFinal(const std::string& phase);     // Completed | Failed | Terminated
bool isStopping(const std::string& phase);  // Aborting | Terminating | Completing, and Aborted

// Pods by phase, of the job and of each task.
void countPods(const Book& book, api::VcJobStatus& status);

struct NewState {
  std::string phase;
  std::string reason = {};
  std::string message = {};
};
// Enters a phase, or changes why it is in it. A change of phase is noted in conditions with its time.
void setState(api::VcJobStatus& status, const NewState& state, Time now);

// Where a Pending or Running job goes by its counts.
std::string syncedPhase(const Book& book);

// The status as JSON. All counts are there, also zeroes, and what `before` has and the status has not is
// null: the text is a merge patch.
std::string statusText(const api::VcJobStatus& status, const api::VcJobStatus& before);

}  // namespace tidegate::vcjob
