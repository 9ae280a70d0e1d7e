// Jobs of other projects' operators, all kinds of api/operators.hpp in one: what they make, and what they do
// about their suspend flag.
//
// As their sources have it (see there): a JobSet makes batch Jobs and hands its flag on to them; a RayJob
// makes a RayCluster, and deletes it when it is suspended; all others make pods and delete them, each with
// its own grace. A pod that is deleted by somebody else, or fails, is made again. A job has ended when
// everything that it made has.
#pragma once

#include <map>

#include "world/sim/controller.hpp"

namespace tidegate::sim {

class OperatorController {
 public:
  explicit OperatorController(ControllerServices services);
  OperatorController(const OperatorController&) = delete;
  OperatorController& operator=(const OperatorController&) = delete;

 private:
  // A job as one look finds it.
  struct Look {
    std::size_t row = 0;
    api::ObjectRef ref;
    const api::OperatorJob& job;
    api::OperatorFacts facts;
    api::OwnerReference self;  // for what it makes
  };
  enum class Standing : std::uint8_t { Running, Stopping, Stopped, Finished };

  void watch(const Change& change);
  void wake(const api::ObjectRef& ref);
  void reconcile(const api::ObjectRef& ref);
  Standing keepPods(const Look& look);
  Standing keepJobs(const Look& look);
  Standing keepCluster(const Look& look);
  void tell(const Look& look, Standing standing);

  ControllerServices services_;
  std::map<api::ObjectRef, bool> due_;
};

}  // namespace tidegate::sim
