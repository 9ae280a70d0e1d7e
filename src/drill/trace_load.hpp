// Offline load from a trace of real jobs: sizes and run times from a CSV file, which of them by seed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/rng.hpp"
#include "core/time.hpp"

namespace tidegate::drill {

// One job of the trace.
struct TraceJob {
  std::string id;
  int workers = 1;
  int gpusPerWorker = 1;
  int priority = 0;
  Duration duration{};

  int gpus() const { return workers * gpusPerWorker; }
  bool operator==(const TraceJob&) const = default;
};

// Reads rows with the columns id, duration_s, workers, gpus_per_worker, class and priority, in any order;
// others are ignored, and so are rows whose class is not "offline". Parts of a GPU are rounded up to a whole
// one. Errors name file, line and column.
Result<std::vector<TraceJob>> readTrace(std::string_view csv, const std::string& file);

struct DrawLimits {
  int gpus = 0;           // draw until the sum is at least so many
  int gpusPerWorker = 8;  // leave out jobs that fit no node
  int gpusPerJob = 0;     // leave out jobs that fit no quota
};

// Draws jobs without repeating one, each row as likely as another.
std::vector<TraceJob> drawJobs(std::vector<TraceJob> jobs, const DrawLimits& limits, Rng rng);

}  // namespace tidegate::drill
