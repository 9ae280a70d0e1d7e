// What Volcano's webhook refuses about a job. A job that reaches the API server without the webhook is held
// to the same rules here. Source: Volcano's pkg/webhooks/admission/jobs/validate (CREATE).
#pragma once

#include <string>
#include <vector>

#include "api/objects.hpp"

namespace tidegate::vcjob {

// One sentence per mistake; empty: the job is sound. The job has its defaults (withDefaults).
std::vector<std::string> problems(const api::VcJob& job);

bool isKnownPlugin(const std::string& name);

}  // namespace tidegate::vcjob
