// A Volcano Job under Volcano's controllers: aborted and resumed by Commands, each asked for until it shows.
#include "lifecycle/vcjob_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/recall_machine_fixture.hpp"
#include "lifecycle/suspended_jobs.hpp"

namespace tidegate::lifecycle::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class VcJobCommands : public RecallMachineTest {
 protected:
  void SetUp() override {
    options_.vcjobCommands = true;
    given({});
  }
  void phaseIs(const std::string& phase) {
    api_.change<api::VcJob>("train", [&](auto& job) { job.status.state.phase = phase; });
    api_.show(state_);
  }
  std::vector<Create> resumes() {
    Acts acts;
    resumeAborted(state_, acts);
    std::vector<Create> found;
    for (const auto& act : acts.list) {
      api_.carryOut(act.action, at(50));
      if (const auto* create = std::get_if<Create>(&act.action)) found.push_back(*create);
    }
    api_.show(state_);
    return found;
  }
  const api::StringMap& annotations() { return api_.find<api::VcJob>("train")->metadata.annotations; }
};

TEST_F(VcJobCommands, AbortIsAskedForUnderOneNameUntilTheJobShowsIt) {
  stepAt(0);
  EXPECT_EQ(annotations().at(names::kAbortedBy), "recall-1");
  const auto first = actsAt<Create>(0.1);
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_THAT(first[0].json, HasSubstr(R"("action":"AbortJob")"));
  EXPECT_THAT(first[0].json, HasSubstr(R"("uid":"uid-train")"));
  EXPECT_EQ(first[0].target.kind, "Command");
  ASSERT_THAT(actsAt<Create>(2), SizeIs(1));
  EXPECT_EQ(actsAt<Create>(2)[0].target, first[0].target);
  phaseIs("Aborting");
  EXPECT_THAT(actsAt<Create>(2.1), SizeIs(0));
}

TEST_F(VcJobCommands, PodsAreLeftToVolcano) {
  stepAt(0);
  EXPECT_THAT(actsAt<DeletePod>(0.1), SizeIs(0));
  api_.controllersAct(at(0.2));
  api_.show(state_);
  EXPECT_THAT(actsAt<DeletePod>(0.2), SizeIs(2));
}

TEST_F(VcJobCommands, ResumeIsAskedForOnceTheMarksAreOffAndUntilTheJobShowsIt) {
  stepAt(0);
  phaseIs("Aborted");
  EXPECT_THAT(resumes(), SizeIs(0)) << "it is still suspended";
  Acts acts;
  resume(state_, suspendedJobs(state_).at(0), 2, at(40), acts);
  for (const auto& act : acts.list) api_.carryOut(act.action, at(40));
  api_.show(state_);
  ASSERT_THAT(resumes(), SizeIs(1));
  EXPECT_THAT(resumes()[0].json, HasSubstr(R"("action":"ResumeJob")"));
  EXPECT_TRUE(annotations().contains(names::kAbortedBy)) << "the first Command may have been lost";
  phaseIs("Pending");
  EXPECT_THAT(resumes(), SizeIs(0));
  EXPECT_FALSE(annotations().contains(names::kAbortedBy));
}

TEST_F(VcJobCommands, WithoutTheOptionTheAnnotationIsAll) {
  options_.vcjobCommands = false;
  stepAt(0);
  EXPECT_THAT(actsAt<Create>(0.1), SizeIs(0));
  EXPECT_FALSE(annotations().contains(names::kAbortedBy));
}

}  // namespace
}  // namespace tidegate::lifecycle::test
