// From what happened to figures: the rows, totals and drawings of the report. Judges nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drill/inputs.hpp"
#include "drill/played.hpp"
#include "report/model.hpp"

namespace tidegate::drill {

// What one drill amounts to, and the pods it is about.
struct Measured {
  report::PolicyRun run;                   // all but policy, bars and notes
  std::vector<const PodLife*> burst = {};  // pods of the burst
  std::vector<const PodLife*> victims =
      {};  // others that were made to stop between the burst and the peak's end
};

Measured measure(const DrillOptions& options, const Inputs& inputs, const Played& played);

// The parts, for those who need only one of them.

// Offline jobs of which pods were made to stop, the largest first.
std::vector<report::JobRow> measureJobs(const Played& played, const std::vector<const PodLife*>& victims);

// Recalls that began after the burst, by name.
std::vector<const api::Recall*> recallsOf(const Played& played);

}  // namespace tidegate::drill
