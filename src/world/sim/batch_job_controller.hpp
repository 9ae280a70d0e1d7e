// batch/v1 Job: parallelism, completions, back-off, suspend.
//
// As "Jobs" in the Kubernetes documentation and its controller do: a pod that fails, or is deleted by anybody
// but this controller, counts as failed and is replaced after a back-off (10 s, doubling, at most 6 min);
// more than backoffLimit failures fail the Job. Suspending deletes the active pods at once, and these do not
// count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "world/sim/controller.hpp"

namespace tidegate::sim {

class BatchJobController : public OwnerController<api::BatchJob> {
 public:
  using OwnerController::OwnerController;

 private:
  // What the real controller keeps in finalizers and in its back-off queue.
  struct Memory {
    std::set<std::string> living;   // pods that may still fail or succeed
    std::set<std::string> removed;  // pods this controller has deleted
    std::int32_t failuresInRow = 0;
    std::optional<Time> lastFailure;
  };

  void reconcile(const api::BatchJob& job) override;
  void forget(const std::string& uid) override { memory_.erase(uid); }

  void count(Memory& memory, const std::vector<PodPtr>& pods, api::JobStatus& status);
  void removePods(Memory& memory, const std::vector<PodPtr>& pods);
  void scale(Memory& memory, const api::BatchJob& job, const api::JobStatus& status,
             const std::vector<PodPtr>& active);
  std::optional<Time> backoffEnd(const Memory& memory) const;

  std::map<std::string, Memory> memory_;  // by uid of the Job
};

}  // namespace tidegate::sim
