// Bare pods that are made again after a recall: pods that nothing owns and that carry
// tidegate.dev/recreate: "true".
//
// Such a pod is its own owner, so what it is must be stored before it is deleted: as a SuspendedPod of its
// namespace and name. That is to the pod what a suspended owner is to its pods: it carries the recall's mark
// (annotation suspend), keeps its place among those that wait, and loses the mark when it resumes. From then
// on its pod is made, once: there is never a second pod of a name, and the SuspendedPod goes as soon as its
// pod is seen. Who deletes it first has no pod made. Why a kind of its own: docs/decisions/0014.
//
// A gang whose PodGroup bare pods share is stored as a whole or, if one of its pods does not ask for it, not
// at all; and comes back as a whole.
#pragma once

#include <vector>

#include "lifecycle/suspended_jobs.hpp"
#include "lifecycle/victim_acts.hpp"
#include "protocol/outbox.hpp"

namespace tidegate::lifecycle {

// The victim's pods will be made again: they are bare and ask for it; of a gang that is stopped whole, all.
bool comesBack(const api::RecallVictim& victim, const VictimContext& context);

// Asks for the records that a victim's pods lack. True while one is missing: no pod is deleted yet.
bool awaitsRecords(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);

// Adds the gangs and single pods that wait to come back. Not those whose queue or PodGroup is gone.
void collectSuspendedPods(const ClusterState& state, std::vector<SuspendedJob>& jobs);
// Lets the first `count` pods of such a job resume: all of them, of a gang that was stopped whole.
void resumePods(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now, Acts& acts);

// Makes the pods that have resumed, and takes off records that are of no use any more: of pods that are made,
// that have ended by themselves, or that have lived through their recall.
void remakePods(const ClusterState& state, Acts& acts);

// What follows from the answer to a RemakePod: the record goes, or its users are told why there is no pod.
void remade(const Outbox::Sent& sent, const CommandDone& answer, Outbox& outbox, Time now);

}  // namespace tidegate::lifecycle
