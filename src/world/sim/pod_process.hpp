// One pod's process on its node, from start to the last trace of it.
//
//   Starting -> Running -> PreStop -> Stopping -> TearingDown -> (reported)
//
// The grace clock starts when the kubelet learns of the deletion, before the preStop hook; the hook is cut
// when the clock runs out, and the process then still gets kMinimumGrace between SIGTERM and SIGKILL, as the
// kubelet grants
// ("Termination of Pods" in the Kubernetes documentation; minimumGracePeriodInSeconds in kuberuntime).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "world/sim/api_server.hpp"
#include "world/sim/pod_timing.hpp"
#include "world/sim/trace.hpp"
#include "world/sim/work_ledger.hpp"

namespace tidegate::sim {

struct PodServices {
  EventQueue& clock;
  SimApiServer& api;
  WorkLedger& work;
  Trace& trace;
  const FaultDraws& faults;
  KubeletOptions options;
  double slow = 1;  // this node's factor
};

class PodProcess : public std::enable_shared_from_this<PodProcess> {
 public:
  // True: the checkpoint is saved. False: the process ended before.
  using SaveAnswer = std::function<void(bool saved)>;

  // `released` is called when the pod's devices are free again.
  PodProcess(const PodServices& services, const api::Pod& pod, std::function<void()> released);

  void start();
  // The pod is being deleted; again with a shorter grace when that was cut.
  void terminate(std::int64_t graceSeconds);
  // The pod object is gone (forced deletion): SIGKILL, nothing to report.
  void abandon();
  // The machine dies.
  void crash();
  // Asks for a checkpoint on behalf of a recall. Asking again for the same recall answers with the first
  // save.
  void save(const std::string& recall, SaveAnswer answer);
  // The pod's downward API shows this value of checkpoint-requested.
  void seeRequest(const std::string& annotation);
  // The process ends by itself.
  void exit(int code);

  const std::string& uid() const { return pod_.metadata.uid; }
  std::string key() const { return keyOf(pod_.metadata); }
  const api::PodSpec& spec() const { return pod_.spec; }
  bool canSave() const { return stage_ == Stage::Running && timing_.checkpoint.has_value(); }

 private:
  enum class Stage : std::uint8_t { Starting, Running, PreStop, Stopping, TearingDown };

  // A step that is still to come; asking for another one of the same kind replaces it.
  struct Timer {
    std::uint64_t newest = 0;
  };
  void later(Timer& timer, Duration delay, void (PodProcess::*step)());
  void writeStatus(std::function<void(api::Pod&)> change);
  void note(TraceKind kind, std::string detail = {});

  void running();
  void ready();
  void sigterm();
  void sigkill();
  void stopNow() { exit(timing_.exitCode); }
  void fail() { exit(1); }
  void savedAtSigterm();
  void finishSave();
  void release();
  void dropSave();

  PodServices services_;
  api::Pod pod_;  // as it was admitted
  PodTiming timing_;
  std::function<void()> released_;
  Stage stage_ = Stage::Starting;
  int exitCode_ = 0;
  bool abandoned_ = false;
  Timer next_;    // the next stage
  Timer kill_;    // SIGKILL, or the end of preStop
  Timer saving_;  // end of a save
  Time killAt_ = Time::max();
  Time sigtermAt_{};
  std::int64_t graceSeconds_ = -1;   // last seen; -1: not terminating
  std::string requested_;            // last value of checkpoint-requested that was seen
  std::string savingFor_;            // recall whose save is under way
  std::string savedFor_;             // recall that was answered last
  std::vector<SaveAnswer> waiting_;  // for the save under way
};

}  // namespace tidegate::sim
