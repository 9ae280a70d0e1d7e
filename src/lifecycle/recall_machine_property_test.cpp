// The recall machine in random worlds: events late, acts lost, the record's last writes lost in a restart,
// pods that answer or do not, stop early or late. Whatever happens, its promises hold and it comes to an end.
#include <gtest/gtest.h>

#include "core/rng.hpp"
#include "lifecycle/lifecycle_fixture.hpp"
#include "scheduler/victims.hpp"

namespace tidegate::lifecycle::test {
namespace {

class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed) : rng_(seed), state_(std::make_unique<ClusterState>()) {
    api_.put(nodeOf("n1", 64));
    api_.putJob(demandShape());
    const auto jobs = rng_.between(1, 3);
    for (std::int64_t i = 0; i < jobs; ++i) addJob(i);
    api_.putJob({.name = "bystander"});
    api_.show(*state_);
    record_ = stored_ = recallOf(jobs_, seconds(rng_.between(5, 30)));
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      record_.spec.victims[i].gang = state_->gang(state_->pod(state_->findPod(podKey(jobs_[i], 0))).gang).key;
    }
    stored_ = record_;
  }

  void run() {
    for (int i = 0; i < 2000 && isActive(record_); ++i) {
      now_ += milliseconds(rng_.between(0, 800));
      if (rng_.chance(0.5)) api_.showOne(*state_);
      if (rng_.chance(0.3)) api_.show(*state_);
      podsMove();
      if (rng_.chance(0.03)) restart();
      stepOnce();
      if (HasFailure()) return;
    }
    api_.show(*state_);
    checkEnd();
  }

 private:
  static bool HasFailure() { return testing::Test::HasFailure(); }
  static std::string podKey(const JobShape& job, std::int32_t i) {
    return fmt::format("default/{}-{}", job.name, i);
  }

  void addJob(std::int64_t i) {
    JobShape job{.name = fmt::format("job{}", i), .pods = static_cast<std::int32_t>(rng_.between(1, 4))};
    const std::uint64_t kind = rng_.below(4 + api::kOperatorRows);
    job.owner = kind < 4 ? static_cast<OwnerKind>(kind) : kindOfRow(kind - 4);
    job.group = rng_.chance(0.6);
    if (rng_.chance(0.6)) job.podAnnotations[names::kCheckpointDuration] = "2s";
    if (rng_.chance(0.3)) job.podAnnotations[names::kCheckpointPort] = "80";
    jobs_.push_back(job);
    api_.putJob(job);
  }

  bool demandIsSettled() {
    const auto* web = api_.find<api::Pod>("web-0");
    return web == nullptr || !web->spec.nodeName.empty();
  }

  void podsMove() {
    if (rng_.chance(0.2)) api_.controllersAct(now_);
    if (rng_.chance(0.002) && !demandIsSettled()) {  // somebody else makes room for the demand
      api_.change<api::Pod>("web-0", [](auto& pod) { pod.spec.nodeName = "n1"; });
    }
    for (const auto& job : jobs_) {
      for (std::int32_t i = 0; i < job.pods; ++i) movePod(fmt::format("{}-{}", job.name, i));
    }
  }

  void movePod(const std::string& name) {
    auto* pod = api_.find<api::Pod>(name);
    if (pod == nullptr) return;
    const auto& metadata = pod->metadata;
    if (metadata.deletionTimestamp && (now_ >= *metadata.deletionTimestamp || rng_.chance(0.1))) {
      if (rng_.chance(0.9)) return api_.drop(api::refOf(*pod));
      return;
    }
    if (metadata.annotations.contains(names::kCheckpointRequested) && rng_.chance(0.2)) {
      if (metadata.annotations.contains(names::kCheckpointPort)) {
        answered_.insert(metadata.uid);
      } else if (!metadata.annotations.contains(names::kCheckpointDone)) {
        api_.change<api::Pod>(name,
                              [](auto& it) { it.metadata.annotations[names::kCheckpointDone] = "recall-1"; });
      }
    }
  }

  void restart() {
    record_ = stored_;
    answered_.clear();
    state_ = std::make_unique<ClusterState>();
    api_.showAnew(*state_);
  }

  void stepOnce() {
    const api::Recall before = record_;
    auto next = step(record_, {.state = *state_, .answered = answered_}, options_, now_);
    record_ = next.record;
    for (std::size_t i = 0; i < record_.spec.victims.size(); ++i) {
      checkStop(before.spec.victims[i], record_.spec.victims[i]);
    }
    for (const auto& act : next.acts.list) {
      check(act);
      if (rng_.chance(0.8)) api_.carryOut(act.action, now_);
    }
    if (rng_.chance(0.7)) stored_ = record_;
  }

  // A job is stopped when all that were asked have answered, or when its time is up.
  void checkStop(const api::RecallVictim& before, const api::RecallVictim& after) {
    if (stopBegun(victimPhase(before.phase)) || !stopBegun(victimPhase(after.phase))) return;
    const bool timeUp =
        now_ >= *record_.spec.deadline - options_.stopAllowance - scheduler::kTeardownAllowance;
    for (const auto& member : after.pods) {
      const PodInfo* pod = livePod(*state_, member);
      if (pod == nullptr || pod->terminating || timeUp) continue;
      const auto& annotations = pod->object->metadata.annotations;
      const bool asked =
          annotations.contains(names::kCheckpointPort) || annotations.contains(names::kCheckpointDuration);
      EXPECT_TRUE(!asked || annotations.contains(names::kCheckpointDone) || answered_.contains(pod->uid))
          << pod->key << " was stopped before it could save";
    }
  }

  void check(const Act& act) {
    if (const auto* order = std::get_if<DeletePod>(&act.action)) {
      EXPECT_FALSE(order->name.starts_with("bystander"));
      EXPECT_GE(order->graceSeconds, 1);
      EXPECT_LE(now_ + seconds(order->graceSeconds), std::max(*record_.spec.deadline, now_ + seconds(1)));
      checkTurn(*order);
      const auto& victims = record_.spec.victims;
      EXPECT_TRUE(std::ranges::any_of(victims, [&](const auto& victim) {
        return stopBegun(victimPhase(victim.phase)) &&
               std::ranges::any_of(victim.pods, [&](const auto& pod) { return pod.uid == order->uid; });
      })) << "deleted, and its job is not being stopped";
    }
  }

  // A pod of a batch Job that is deleted before the Job is suspended counts as failed.
  void checkTurn(const DeletePod& order) {
    const auto* pod = api_.find<api::Pod>(order.name);
    if (pod == nullptr || pod->metadata.deletionTimestamp || pod->metadata.ownerReferences.empty()) return;
    const auto& owner = pod->metadata.ownerReferences[0];
    if (owner.apiVersion != api::BatchJob::kApiVersion) return;
    const auto& job = *api_.find<api::BatchJob>(owner.name);
    EXPECT_TRUE(job.spec.suspend.value_or(false)) << "its Job has not been suspended yet";
    const auto since = parseTime(job.metadata.annotations.at(names::kSuspendedAt));
    EXPECT_GE(now_, *since + seconds(1)) << "its Job had no time to act";
  }

  void checkEnd() {
    ASSERT_FALSE(isActive(record_)) << "never came to an end: " << record_.status.phase;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const auto& victim = record_.spec.victims[i];
      const Owner owner{.kind = jobs_[i].owner, .key = "default/" + jobs_[i].name};
      const auto& annotations = ownerMetadata(*state_, owner)->annotations;
      const bool cancelled = victimPhase(victim.phase) == VictimPhase::Cancelled;
      EXPECT_EQ(annotations.contains(names::kSuspend), !cancelled);
      if (!cancelled) {
        EXPECT_EQ(annotations.at(names::kEvictions), "1") << "counted more than once";
      }
      if (victimPhase(victim.phase) != VictimPhase::Released) continue;
      for (const auto& pod : victim.pods) EXPECT_EQ(livePod(*state_, pod), nullptr);
    }
    EXPECT_EQ(api_.find<api::VcJob>("bystander")->metadata.annotations.size(), 0u);
  }

  Rng rng_;
  TinyApi api_;
  std::unique_ptr<ClusterState> state_;
  RecallOptions options_;
  std::vector<JobShape> jobs_;
  api::Recall record_;
  api::Recall stored_;
  std::set<std::string> answered_;
  Time now_ = kStart;
};

TEST(RecallMachineProperty, KeepsItsPromisesUnderLossDelayAndRestart) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tidegate::lifecycle::test
