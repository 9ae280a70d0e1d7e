// Everything a drill reads, checked and put together: queues, scheduler conf and offline load.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "api/objects.hpp"
#include "core/error.hpp"
#include "drill/options.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::drill {

// A queue of the drill and what it is promised and allowed in GPUs.
struct QueueRole {
  std::string name;
  std::optional<int> guarantee = {};
  std::optional<int> capability = {};
  bool reclaimable = true;
};

struct Inputs {
  std::vector<api::Object> setup;  // the queues, and what else their file holds
  QueueRole online;                // asks for its GPUs back
  QueueRole offline;               // has borrowed them
  scheduler::Policy policy;
  std::vector<api::Object> load;  // offline jobs, all for the offline queue
  std::vector<Error> warnings;
};

// Reads the files the options name, and the built-in ones where they name none.
std::expected<Inputs, std::vector<Error>> readInputs(const DrillOptions& options);

// Picks the two queues of a drill among those that have no children: online has the largest guarantee (or
// deserved) of GPUs, offline the smallest of the others. Ties go by weight, then by name.
Result<std::pair<QueueRole, QueueRole>> pickQueues(const std::vector<api::Object>& objects,
                                                   const std::string& file);

}  // namespace tidegate::drill
