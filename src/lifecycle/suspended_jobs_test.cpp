#include "lifecycle/suspended_jobs.hpp"

#include <gtest/gtest.h>

#include "lifecycle/lifecycle_fixture.hpp"

namespace tidegate::lifecycle::test {
namespace {

class SuspendedScaleTest : public testing::TestWithParam<OwnerKind> {
 protected:
  // As a recall leaves it: four replicas are remembered, none are there.
  void suspended() {
    shape_ = {.name = "web", .pods = 4, .owner = GetParam()};
    api_.put(ownerObject(shape_));
    scale(0);
    annotate(names::kSuspend, "recall-1");
    annotate(names::kSuspendedReplicas, "4");
    api_.show(state_);
  }

  void edit(auto change) {
    if (GetParam() == OwnerKind::Deployment) {
      api_.change<api::Deployment>("web", change);
    } else {
      api_.change<api::StatefulSet>("web", change);
    }
    api_.show(state_);
  }
  void scale(std::int32_t replicas) {
    edit([&](auto& it) { it.spec.replicas = replicas; });
  }
  void annotate(const char* name, const std::string& value) {
    edit([&](auto& it) { it.metadata.annotations[name] = value; });
  }

  Acts kept() {
    Acts acts;
    keepSuspended(state_, acts);
    return acts;
  }
  void carryOut(const Acts& acts) {
    for (const auto& act : acts.list) api_.carryOut(act.action, kStart);
    api_.show(state_);
  }
  std::int32_t replicas() {
    return GetParam() == OwnerKind::Deployment ? *api_.find<api::Deployment>("web")->spec.replicas
                                               : *api_.find<api::StatefulSet>("web")->spec.replicas;
  }
  Acts resumed() {
    const SuspendedJob job = suspendedJobs(state_).at(0);
    Acts acts;
    resume(state_, job, static_cast<std::int32_t>(job.query.pods.size()), kStart, acts);
    return acts;
  }

  JobShape shape_;
  TinyApi api_;
  ClusterState state_;
};

TEST_P(SuspendedScaleTest, WhoScalesItUpGetsThatManyWhenItResumes) {
  suspended();
  EXPECT_TRUE(kept().list.empty());
  scale(6);
  carryOut(kept());
  EXPECT_EQ(replicas(), 0) << "no pods while it is suspended";
  EXPECT_TRUE(kept().list.empty());
  carryOut(resumed());
  EXPECT_EQ(replicas(), 6);
}

TEST_P(SuspendedScaleTest, FewerThanBeforeIsAWishToo) {
  suspended();
  scale(2);
  carryOut(kept());
  carryOut(resumed());
  EXPECT_EQ(replicas(), 2);
}

TEST_P(SuspendedScaleTest, AWishThatComesWithTheResumeIsNotAddedToIt) {
  suspended();
  scale(6);
  carryOut(resumed());
  EXPECT_EQ(replicas(), 6);
}

TEST_P(SuspendedScaleTest, LeftAloneItGetsBackWhatItHad) {
  suspended();
  carryOut(resumed());
  EXPECT_EQ(replicas(), 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SuspendedScaleTest,
                         testing::Values(OwnerKind::Deployment, OwnerKind::StatefulSet));

}  // namespace
}  // namespace tidegate::lifecycle::test
