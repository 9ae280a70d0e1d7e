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

// Names the PodDisruptionBudget that stands in the way, and the gang whose minimum run time is waited for.
std::string whyNoRecall(const placement::Session& session, const Attempt& attempt, const VictimJudge& judge,
                        const Solved& solved);

}  // namespace tidegate::scheduler
