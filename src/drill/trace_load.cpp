#include "drill/trace_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/text.hpp"

namespace tidegate::drill {
namespace {

constexpr std::array<std::string_view, 6> kColumns = {"id",    "duration_s", "workers", "gpus_per_worker",
                                                      "class", "priority"};
enum Column { kId, kDuration, kWorkers, kGpus, kClass, kPriority };
constexpr double kLargestNumber = 1e9;

// Where each of kColumns stands in a row.
using Places = std::array<std::size_t, kColumns.size()>;

Error errorAt(const std::string& file, int line, std::string_view field, std::string message) {
  return {.message = std::move(message), .where = {.file = file, .line = line}, .field = std::string{field}};
}

Result<Places> readHead(std::string_view line, const std::string& file) {
  const std::vector<std::string_view> heads = splitText(line, ',');
  Places places{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::ranges::find_if(heads, [&](auto head) { return trimText(head) == kColumns[i]; });
    if (found == heads.end()) return fail(errorAt(file, 1, kColumns[i], "the first row has no such column"));
    places[i] = static_cast<std::size_t>(found - heads.begin());
  }
  return places;
}

class Row {
 public:
  Row(std::string_view line, const Places& places, const std::string& file, int number)
      : cells_(splitText(line, ',')), places_(places), file_(file), number_(number) {}

  Result<std::string_view> text(Column column) const {
    if (places_[column] < cells_.size()) return trimText(cells_[places_[column]]);
    return fail(errorAt(file_, number_, kColumns[column], "the row ends before this column"));
  }

  Result<double> amount(Column column, double least) const {
    TIDEGATE_TRY(const std::string_view cell, text(column));
    const std::string copy{cell};
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    const bool complete = !copy.empty() && end == copy.c_str() + copy.size();
    if (complete && value >= least && value <= kLargestNumber) return value;
    return fail(errorAt(file_, number_, kColumns[column],
                        fmt::format("want a number of at least {}, got \"{}\"", least, copy)));
  }

 private:
  std::vector<std::string_view> cells_;
  const Places& places_;
  const std::string& file_;
  int number_;
};

Result<TraceJob> readJob(const Row& row) {
  TIDEGATE_TRY(const std::string_view id, row.text(kId));
  TIDEGATE_TRY(const double duration, row.amount(kDuration, 0));
  TIDEGATE_TRY(const double workers, row.amount(kWorkers, 1));
  TIDEGATE_TRY(const double gpus, row.amount(kGpus, 0));
  TIDEGATE_TRY(const double priority, row.amount(kPriority, -kLargestNumber));
  return TraceJob{.id = std::string{id},
                  .workers = static_cast<int>(workers),
                  .gpusPerWorker = static_cast<int>(std::ceil(gpus)),
                  .priority = static_cast<int>(priority),
                  .duration = fromSeconds(duration)};
}

}  // namespace

Result<std::vector<TraceJob>> readTrace(std::string_view csv, const std::string& file) {
  const std::vector<std::string_view> lines = splitText(csv, '\n');
  if (trimText(csv).empty()) return fail(errorAt(file, 1, "", "the file is empty"));
  TIDEGATE_TRY(const Places places, readHead(lines.front(), file));
  std::vector<TraceJob> out;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (trimText(lines[i]).empty()) continue;
    const Row row(lines[i], places, file, static_cast<int>(i) + 1);
    TIDEGATE_TRY(const std::string_view kind, row.text(kClass));
    if (kind != "offline") continue;
    TIDEGATE_TRY(TraceJob job, readJob(row));
    if (job.gpusPerWorker > 0) out.push_back(std::move(job));
  }
  if (out.empty()) return fail(errorAt(file, 1, "class", "no offline job with GPUs is in this trace"));
  return out;
}

std::vector<TraceJob> drawJobs(std::vector<TraceJob> jobs, const DrawLimits& limits, Rng rng) {
  std::vector<TraceJob> out;
  int gpus = 0;
  for (std::size_t left = jobs.size(); left > 0 && gpus < limits.gpus; --left) {
    std::swap(jobs[rng.below(left)], jobs[left - 1]);
    const TraceJob& job = jobs[left - 1];
    if (job.gpusPerWorker > limits.gpusPerWorker || job.gpus() > limits.gpusPerJob) continue;
    gpus += job.gpus();
    out.push_back(job);
  }
  return out;
}

}  // namespace tidegate::drill
