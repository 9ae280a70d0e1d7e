// Turns a solved recall into the decision that is carried out and told, and a failure into words.
#pragma once

#include <string>
#include <vector>

#include "scheduler/recall_attempt.hpp"

namespace tidegate::scheduler {

struct Solved {
  BuiltProblem built;
  std::optional<recall::Plan> plan;
  recall::NoPlan noPlan;
};

RecallDecision describeRecall(PlanContext context, VictimJudge& judge, const Solved& solved,
                              const std::vector<placement::Slot>& nodes,
                              const std::vector<placement::Placement>& placed, Amount smallestNode);

std::string whyNoRecall(const placement::Session& session, const Attempt& attempt, const Solved& solved);

}  // namespace tidegate::scheduler
