// The simulated cluster: API server, controllers, kubelets and a brain, in virtual time. Equal options (with
// their seed) and equal scripts give equal runs, to the byte of the trace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "world/sim/batch_job_controller.hpp"
#include "world/sim/brain_host.hpp"
#include "world/sim/controller_port.hpp"
#include "world/sim/deployment_controller.hpp"
#include "world/sim/garbage_collector.hpp"
#include "world/sim/node_lifecycle.hpp"
#include "world/sim/operator_controller.hpp"
#include "world/sim/options.hpp"
#include "world/sim/vcjob_controller.hpp"
#include "world/sim/work_ledger.hpp"

namespace tidegate::sim {

class SimWorld {
 public:
  // Without a brain nothing is bound. The brain must outlive the world.
  explicit SimWorld(SimOptions options, BrainPort* brain = nullptr);
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  Time start() const { return options_.start; }
  Time now() const { return clock_.now(); }
  Duration elapsed() const { return now() - start(); }

  // Reading.
  const ObjectStore& store() const { return api_.store(); }
  const Trace& trace() const { return trace_; }
  std::string traceText() const { return trace_.text(options_.start); }
  const WorkLedger& work() const { return work_; }
  const Kubelets& kubelets() const { return kubelets_; }
  std::uint64_t commandsSent() const { return host_ ? host_->commandsSent() : 0; }

  // Acting now, as a user with kubectl would.
  SimApiServer& api() { return api_; }
  void crashNode(const std::string& node) { nodes_.crash(node); }
  void recoverNode(const std::string& node) { nodes_.recover(node); }
  void restartBrain(Duration downFor);

  // Makes a controller with no memory, as its process does when it starts.
  using MakeController = std::function<std::unique_ptr<Controller>()>;
  // Starts a further process beside the brain, with watches, client and draws of its own. The name must be
  // new.
  void host(const std::string& name, MakeController make);
  // The process dies and comes up again after a while, with a new controller.
  void restartHosted(const std::string& name, Duration downFor);
  // What the process runs, or ran before it died; null if there is none of that name.
  Controller* hosted(const std::string& name);

  // Acting later: a script. Times count from the start.
  void at(Duration sinceStart, std::function<void(SimWorld&)> action);
  void createAt(Duration sinceStart, api::Object object);
  void deleteAt(Duration sinceStart, const api::ObjectRef& ref);

  // Called after every event.
  void observe(std::function<void(const SimWorld&)> observer) { observers_.push_back(std::move(observer)); }
  void subscribe(ObjectStore::Listener listener) { api_.feed().subscribe(std::move(listener)); }

  // Runs all events up to and including this time since the start.
  void runUntil(Duration sinceStart);
  // Runs until the predicate holds after an event; false if it never did up to the limit.
  bool runUntil(const std::function<bool(const SimWorld&)>& predicate, Duration limit);
  // Runs until the store has not changed for a while; false if it never was so up to the limit.
  bool runUntilQuiet(Duration quiet, Duration limit);

 private:
  // One more process: what it runs, and its connection to the world.
  struct HostedController {
    std::unique_ptr<ControllerPort> port;
    std::unique_ptr<BrainHost> host;
  };

  void step();
  void startBrain(BrainPort& brain);
  void injectFaults();
  void releaseFinalizer(const Change& change);
  void publishCheckpoint(const JobWork& work, const std::vector<std::string>& uids);
  WorkLedger::Hooks workHooks();
  ControllerServices controllerServices() { return {clock_, api_, faults_, options_.api.controllerDelay}; }

  SimOptions options_;
  EventQueue clock_;
  FaultDraws faults_;
  Trace trace_;
  SimApiServer api_;
  WorkLedger work_;
  Kubelets kubelets_;
  NodeLifecycle nodes_;
  DeploymentController deployments_;
  BatchJobController batchJobs_;
  OperatorController operators_;
  std::unique_ptr<VcJobController> vcJobs_;  // null: switched off
  GarbageCollector garbage_;
  std::unique_ptr<BrainHost> host_;
  std::map<std::string, HostedController> hosted_;
  std::vector<std::function<void(const SimWorld&)>> observers_;
};

}  // namespace tidegate::sim
