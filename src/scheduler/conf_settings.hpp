// The section `configurations` of volcano-scheduler.conf: arguments per action, and tidegate's own settings
// among them.
#pragma once

#include "api/findings.hpp"
#include "api/value.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

void readConfigurations(const api::Value& section, Policy& policy, api::Findings& findings);

}  // namespace tidegate::scheduler
