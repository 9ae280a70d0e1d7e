// Checkpoints on request: how a process answers a recall.
#include <utility>

#include "api/names.hpp"
#include "core/text.hpp"
#include "world/sim/pod_process.hpp"

namespace tidegate::sim {

void PodProcess::seeRequest(const std::string& annotation) {
  if (annotation == requested_) return;
  requested_ = annotation;
  const std::string recall{splitText(annotation, ' ').front()};
  if (recall.empty()) return;
  services_.clock.after(services_.options.downwardDelay, [self = weak_from_this(), recall] {
    if (const auto process = self.lock()) process->save(recall, [](bool) {});
  });
}

void PodProcess::save(const std::string& recall, SaveAnswer answer) {
  if (savedFor_ == recall) return answer(true);
  if (!savingFor_.empty()) {
    waiting_.push_back(std::move(answer));
    return;
  }
  if (!canSave()) return answer(false);
  waiting_.push_back(std::move(answer));
  savingFor_ = recall;
  note(TraceKind::CheckpointRequested, recall);
  services_.work.beginSave(uid());
  later(saving_, *timing_.checkpoint, &PodProcess::finishSave);
}

void PodProcess::finishSave() {
  services_.work.endSave(uid());
  note(TraceKind::CheckpointSaved, savingFor_);
  writeStatus([recall = savingFor_, now = services_.clock.now()](api::Pod& pod) {
    pod.metadata.annotations[api::names::kCheckpointDone] = recall;
    pod.metadata.annotations[api::names::kLastCheckpoint] = formatTime(now);
  });
  savedFor_ = std::exchange(savingFor_, {});
  for (const SaveAnswer& answer : std::exchange(waiting_, {})) answer(true);
  // A process that was told to end while it saved ends now.
  if (stage_ == Stage::Stopping && timing_.saveOnSigterm) later(next_, timing_.stop, &PodProcess::stopNow);
}

void PodProcess::dropSave() {
  ++saving_.newest;
  savingFor_.clear();
  for (const SaveAnswer& answer : std::exchange(waiting_, {})) answer(false);
}

}  // namespace tidegate::sim
