// The offline load of a drill: which jobs come when, and how they behave.
//
// What a job does not declare is drawn from the seed, per job: run time 80 to 180 minutes (longer than the
// drill needs to reach the burst, so that the pool stays full), a save every 5 to 30 minutes that takes 2 to
// 8 s (LoRA and mid-size fine-tuning to node-local storage), 0.5 to 2 s from SIGTERM to exit.
#pragma once

#include <string>
#include <vector>

#include "api/objects.hpp"
#include "core/rng.hpp"
#include "core/time.hpp"
#include "drill/options.hpp"
#include "drill/trace_load.hpp"

namespace tidegate::drill {

// An object that a user creates at a time, counted from the start of the drill.
struct Submission {
  Duration at{};
  api::Object object;
};

inline constexpr Duration kFillTime = std::chrono::minutes(20);  // submissions are spread over it

// Trace jobs as vcjobs of one queue; each with the PriorityClass its priority asks for.
std::vector<api::Object> jobsFromTrace(const std::vector<TraceJob>& jobs, const std::string& queue);

// Sends every job and Deployment of the load to `queue`.
void redirect(std::vector<api::Object>& load, const std::string& queue);

// Gives every vcjob its behaviour and spreads the load over kFillTime, in the order given.
std::vector<Submission> scheduleLoad(std::vector<api::Object> load, const Timings& timings, Rng rng);

}  // namespace tidegate::drill
