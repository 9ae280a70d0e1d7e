// What is done to one job in a recall: each function asks for what the objects do not show yet.
#pragma once

#include <string>

#include "lifecycle/owner.hpp"
#include "lifecycle/recall_machine.hpp"
#include "protocol/act.hpp"

namespace tidegate::lifecycle {

struct VictimContext {
  const ClusterState& state;
  const api::Recall& recall;
  const RecallOptions& options;
  Time now;

  const std::string& id() const { return recall.metadata.name; }
  Time deadline() const { return recall.spec.deadline.value_or(now); }
  // When the job's time to save is used up: what it needs to stop is kept back from the deadline.
  Time stopBy(const api::RecallVictim& victim) const;
  // From its stop: so long its controller may take to act before its pods are deleted past it.
  Time patience(const api::RecallVictim& victim) const;
  // When the last of its live pods should be gone: at the end of its grace; the deadline, if it has none yet.
  Time goneBy(const api::RecallVictim& victim) const;
};

// "recall-3/<what>/<whom>": one intention of this recall.
std::string keyFor(const VictimContext& context, const char* what, std::string_view whom);
Owner ownerOf(const api::RecallVictim& victim);

// What the job can resume from: the save it has just confirmed, else the oldest of what its pods have
// reported (a collective resumes from a step that every rank has).
std::optional<Time> resumePoint(const api::RecallVictim& victim, const ClusterState& state);

// A pod that declares how it can be asked for a checkpoint: a port, or a duration or mode with the annotation
// as signal.
bool declaresCheckpoint(const PodInfo& pod);
// It has answered this recall's request by annotation.
bool hasSaved(const PodInfo& pod, const std::string& recall);

// The pod that is to be placed, while it lives under the same uid.
const PodInfo* demandPod(const ClusterState& state, const api::RecallPlacement& placement);

// Hold: no new pod of the job is bound from now on. A gang stopped whole is marked at its PodGroup; pods of a
// shrunk or an implicit gang one by one.
void mark(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);
void unmark(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);
bool isMarked(const api::RecallVictim& victim, const VictimContext& context);

void askForCheckpoint(const api::RecallPod& member, const VictimContext& context, Acts& acts);

// Tells the owner to keep no pods (or fewer), and the PodGroup that it was recalled.
void keepStopped(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);
bool ownerStopped(const api::RecallVictim& victim, const VictimContext& context);

// Kubernetes events for the people whose job it is.
void announce(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);
void warnUnanswered(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);

}  // namespace tidegate::lifecycle
