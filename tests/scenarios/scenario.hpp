// A scheduling case in a few lines of text: a cluster, its queues and jobs, and what has to come of it.
// The format is described in tests/scenarios/README.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.hpp"
#include "core/error.hpp"
#include "core/time.hpp"
#include "plan/plan.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scenario {

// "expect KIND ARGS..."
struct Expectation {
  int line = 0;
  std::string kind;
  std::vector<std::string> args;  // name ranges expanded
};

struct Job {
  std::int32_t minMember = 0;
  std::vector<std::string> pods = {};  // "default/name-0", ...; running ones first, as the file has them
};

struct Scenario {
  std::string file;
  std::string source;  // where the case was reported; empty for our own
  std::string why;     // why the expectation is right
  std::vector<api::Object> objects;
  std::map<std::string, Job> jobs;
  scheduler::Policy policy;
  plan::PlanOptions options;
  std::vector<Expectation> expectations;
  std::string body;                     // the file up to the record
  std::optional<std::string> recorded;  // what stands below "---": decisions as last recorded
};

// Errors carry file and line.
Result<Scenario> parse(std::string_view text, const std::string& file);

// What the plan fails to do, one line each; empty: it holds.
std::vector<std::string> judge(const Scenario& scenario, const plan::PlanResult& result);

// The decisions of a plan, one line each, as they are recorded below "---".
std::string record(const plan::PlanResult& result);

}  // namespace tidegate::scenario
