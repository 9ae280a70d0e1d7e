// Jobs of other projects' operators: who is told to stop, with what, and how they come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/lifecycle_fixture.hpp"
#include "lifecycle/owner.hpp"
#include "lifecycle/recall_record.hpp"
#include "lifecycle/suspended_jobs.hpp"

namespace tidegate::lifecycle::test {
namespace {

StopOrder order(const std::string& recall = "recall-1") {
  return {.recall = recall, .whole = true, .keep = 0, .now = at(10), .checkpoint = at(4)};
}

// By the row of its kind and version.
class OperatorJobs : public testing::TestWithParam<std::size_t> {
 protected:
  void given(const std::string& status = "") {
    const JobShape shape{.pods = 3, .owner = kindOfRow(GetParam())};
    api_.put(api::makeOperatorJob(
        GetParam(), {.metadata = ownerMeta(shape), .spec = operatorSpec(shape), .status = status}));
    api_.put(groupOf(shape));
    for (std::int32_t i = 0; i < 3; ++i) api_.put(podOf(shape, i));
    api_.show(state_);
    owner_ = ownerOf(state_, state_.gang(state_.findGang("default/train-pg")));
  }
  void edit(auto change) {
    for (const auto& [ref, object] : api_.objects()) {
      if (api::operatorRowOf(object) != GetParam()) continue;
      api::Object copy = object;
      change(*api::operatorJobIn(copy));
      api_.put(std::move(copy));
      break;
    }
    api_.show(state_);
  }
  const OperatorJobInfo& info() {
    return state_.operatorJobs(operatorOf(owner_.kind).value()).at("default/train");
  }
  void carryOut(const Acts& acts) {
    for (const auto& act : acts.list) api_.carryOut(act.action, at(50));
    api_.show(state_);
  }

  TinyApi api_;
  ClusterState state_;
  Owner owner_;
};

TEST_P(OperatorJobs, IsSuspendedByItsFlagAndComesBackWhole) {
  given();
  EXPECT_EQ(ownerKind(text(owner_.kind)), owner_.kind);
  const auto patch = stopPatch(state_, owner_, order());
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->target.apiVersion, api::kOperatorKinds[GetParam()].apiVersion);
  EXPECT_EQ(patch->uid, "uid-train");
  EXPECT_EQ(patch->suspend, true);
  api_.carryOut(*patch, at(10));
  api_.show(state_);
  EXPECT_TRUE(info().facts.suspended);
  EXPECT_TRUE(isStopped(state_, owner_, order()));
  EXPECT_FALSE(stopPatch(state_, owner_, order())) << "asked twice";

  const auto jobs = suspendedJobs(state_);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].query.pods.size(), 3u);
  EXPECT_EQ(jobs[0].query.minMember, 2) << "its PodGroup's";
  EXPECT_EQ(jobs[0].query.queue, "offline");
  EXPECT_EQ(jobs[0].recall, "recall-1");
  Acts acts;
  resume(state_, jobs[0], 3, at(50), acts);
  carryOut(acts);
  EXPECT_FALSE(info().facts.suspended);
  EXPECT_FALSE(info().object.metadata.annotations.contains(names::kSuspend));
  EXPECT_FALSE(info().object.metadata.annotations.contains(names::kSuspendedQueue));
  EXPECT_EQ(info().object.metadata.annotations.at(names::kResumedAt), formatTime(at(50)));
  EXPECT_TRUE(suspendedJobs(state_).empty());
}

TEST_P(OperatorJobs, ItsQueueIsRememberedWhenItsPodGroupGoes) {
  given();
  carryOut([&] {
    Acts acts;
    acts.add("stop", *stopPatch(state_, owner_, order()));
    return acts;
  }());
  api_.drop(api::refOf(groupOf({})));
  for (std::int32_t i = 0; i < 3; ++i) api_.drop(api::refOf(podOf({}, i)));
  api_.show(state_);
  const auto jobs = suspendedJobs(state_);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].query.queue, "offline");
  EXPECT_EQ(jobs[0].query.minMember, 3);
  EXPECT_EQ(jobs[0].gang, kNone);
}

TEST_P(OperatorJobs, WhatItsUserHasSuspendedIsNeitherMarkedNorResumed) {
  given();
  edit([&](api::OperatorJob& job) { job.spec = api::withSuspend(GetParam(), job.spec, true); });
  EXPECT_TRUE(isStopped(state_, owner_, order()));
  EXPECT_FALSE(stopPatch(state_, owner_, order()));
  EXPECT_TRUE(suspendedJobs(state_).empty());
}

TEST_P(OperatorJobs, OneThatHasEndedIsLeftAlone) {
  const api::StatusMark mark = api::kOperatorKinds[GetParam()].finished[0];
  if (std::string_view(mark.value).empty()) {  // it does not end by itself
    given();
    EXPECT_FALSE(isFinished(state_, owner_));
    return;
  }
  given(std::string_view(mark.field).empty()
            ? fmt::format(R"({{"conditions":[{{"type":"{}","status":"True"}}]}})", mark.value)
            : fmt::format(R"({{"{}":"{}"}})", mark.field, mark.value));
  EXPECT_TRUE(isFinished(state_, owner_));
  EXPECT_FALSE(stopPatch(state_, owner_, order()));
}

INSTANTIATE_TEST_SUITE_P(Rows, OperatorJobs, testing::Range(std::size_t{0}, api::kOperatorRows),
                         [](const auto& row) {
                           return std::string(api::kOperatorKinds[row.param].kind) +
                                  std::to_string(row.param);
                         });

// A JobSet of two child Jobs, each with a gang of its own.
class JobSetOfTwo : public testing::Test {
 protected:
  void SetUp() override {
    set_ = {.name = "set", .pods = 4, .owner = kindOfRow(0)};
    api_.put(ownerObject(set_));
    for (const char* name : {"set-a", "set-b"}) {
      const JobShape child{.name = name, .pods = 2, .owner = OwnerKind::BatchJob};
      api::Object job = ownerObject(child);
      api::metadataOf(job).ownerReferences = {ownerReference(set_)};
      api_.put(job);
      api_.put(groupOf(child));
      for (std::int32_t i = 0; i < 2; ++i) api_.put(podOf(child, i));
    }
    api_.show(state_);
  }
  Owner ownerOfGang(const char* key) { return ownerOf(state_, state_.gang(state_.findGang(key))); }
  void sayStopped(const char* status) {
    auto* job = api_.find<api::OperatorJobOf<0>>("set");
    api::OperatorJobOf<0> copy = *job;
    copy.status = status;
    api_.put(copy);
    api_.show(state_);
  }

  JobShape set_;
  TinyApi api_;
  ClusterState state_;
};

constexpr const char* kSaysSuspended = R"({"conditions":[{"type":"Suspended","status":"True"}]})";

TEST_F(JobSetOfTwo, ItsChildJobsAreNeverSuspendedThemselves) {
  const Owner owner = ownerOfGang("default/set-a-pg");
  EXPECT_EQ(text(owner.kind), "JobSet.jobset.x-k8s.io");
  EXPECT_EQ(owner.key, "default/set");
  EXPECT_EQ(ownerOfGang("default/set-b-pg"), owner);
  EXPECT_EQ(gangsOf(state_, owner).size(), 2u);
}

TEST_F(JobSetOfTwo, AChildOfAJobSetThatIsNotKnownCannotBeSuspended) {
  api_.drop(
      {.kind = "JobSet", .apiVersion = "jobset.x-k8s.io/v1alpha2", .namespace_ = "default", .name = "set"});
  api_.show(state_);
  const Owner owner = ownerOfGang("default/set-a-pg");
  EXPECT_EQ(ownerMetadata(state_, owner), nullptr);
  EXPECT_FALSE(stopPatch(state_, owner, order()));
}

TEST_F(JobSetOfTwo, ItIsStoppedWhenItsChildJobsAreToo) {
  const Owner owner = ownerOfGang("default/set-a-pg");
  sayStopped(kSaysSuspended);
  EXPECT_FALSE(controllerIsDone(state_, owner, true)) << "a pod deleted now counts as a failure of its Job";
  for (const char* name : {"set-a", "set-b"}) {
    api_.change<api::BatchJob>(name, [](api::BatchJob& job) {
      job.status.conditions = {
          {.type = "Suspended", .status = "True", .reason = {}, .message = {}, .lastTransitionTime = {}}};
    });
  }
  api_.show(state_);
  EXPECT_TRUE(controllerIsDone(state_, owner, false));
}

TEST_F(JobSetOfTwo, AllItsGangsAreRepairedTogether) {
  const api::Recall record = makeRepairRecord(state_, state_.findGang("default/set-b-pg"),
                                              {.name = "recall-1", .now = at(0), .deadline = at(15)});
  ASSERT_EQ(record.spec.victims.size(), 2u);
  EXPECT_EQ(record.spec.victims[0].owner, record.spec.victims[1].owner);
}

TEST_F(JobSetOfTwo, NoneOfItsGangsStopsBeforeAllHaveSaved) {
  api::Recall recall = recallOf({});
  for (const char* name : {"set-a", "set-b"}) {
    const JobShape child{.name = name, .pods = 2, .owner = OwnerKind::BatchJob};
    api::RecallVictim victim = recallOf({child}).spec.victims.at(0);
    victim.ownerKind = text(set_.owner);
    victim.owner = "default/set";
    recall.spec.victims.push_back(victim);
  }
  api_.put(podOf(demandShape(), 0));
  for (std::int32_t i = 0; i < 2; ++i) {  // only one of them can be asked
    api_.change<api::Pod>(fmt::format("set-b-{}", i),
                          [](api::Pod& pod) { pod.metadata.annotations[names::kCheckpointDuration] = "2s"; });
  }
  api_.show(state_);
  std::set<std::string> answered;
  const auto stopsAt = [&](double t) {
    RecallStep result = step(recall, {.state = state_, .answered = answered}, {}, at(t));
    recall = result.record;
    return std::ranges::any_of(result.acts.list,
                               [](const auto& act) { return act.key == "recall-1/stop/default/set"; });
  };
  EXPECT_FALSE(stopsAt(1));
  EXPECT_EQ(recall.spec.victims[0].phase, "Signalled");
  for (std::int32_t i = 0; i < 2; ++i) answered.insert(fmt::format("uid-set-b-{}-0", i));
  EXPECT_TRUE(stopsAt(2));
  EXPECT_EQ(recall.spec.victims[0].phase, "Stopping");
  EXPECT_EQ(recall.spec.victims[1].phase, "Stopping");
}

TEST(RayJobs, OneWhoseOperatorTakesNoSuspensionIsNotToldToStop) {
  TinyApi api;
  ClusterState state;
  const std::size_t row = api::operatorKindOf("RayJob", "ray.io/v1").value();
  const JobShape shape{.name = "ray", .owner = operatorKind(row)};
  api.put(api::makeOperatorJob(row, {.metadata = ownerMeta(shape), .spec = "{}", .status = ""}));
  const JobShape cluster{.name = "ray-x",
                         .owner = operatorKind(api::operatorKindOf("RayCluster", "ray.io/v1").value())};
  api::Object made = ownerObject(cluster);
  api::metadataOf(made).ownerReferences = {ownerReference(shape)};
  api.put(made);
  api.put(groupOf(cluster));
  api.put(podOf(cluster, 0));
  api.show(state);
  const Owner owner = ownerOf(state, state.gang(state.findGang("default/ray-x-pg")));
  EXPECT_EQ(owner.key, "default/ray") << "not its RayCluster: it would fail without";
  EXPECT_EQ(ownerMetadata(state, owner), nullptr);
  EXPECT_FALSE(stopPatch(state, owner, order()));
}

}  // namespace
}  // namespace tidegate::lifecycle::test
