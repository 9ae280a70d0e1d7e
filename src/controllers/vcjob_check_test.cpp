// Jobs the webhook would refuse end as Failed with a warning, and nothing is made for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/vcjob_check.hpp"
#include "controllers/vcjob_fake.hpp"

namespace tidegate::vcjob {
namespace {

using test::FakeCluster;
using test::jobText;
using testing::HasSubstr;
using testing::IsEmpty;

struct Bad {
  const char* job;   // what the job says
  const char* task;  // what its task says
  const char* message;
};

TEST(VcJobCheck, BadJobsFailWithAWarning) {
  const Bad table[] = {
      {"plugins: {warp: []},", "", "there is no plugin named warp"},
      {"", "dependsOn: {name: [worker]},", "depend on each other in a circle"},
      {"", "dependsOn: {name: [nobody]},", "depends on nobody, which is no task"},
      {"policies: [{event: PodLost, action: RestartJob}],", "", "unknown event PodLost"},
      {"policies: [{event: PodFailed, action: Explode}],", "", "unknown action Explode"},
      {"policies: [{event: PodPending, action: AbortJob}],", "", "needs a timeout"},
      {"policies: [{exitCode: 0, action: AbortJob}],", "", "exit code 0"},
      {"policies: [{event: PodFailed, exitCode: 1, action: AbortJob}],", "",
       "both an event and an exit code"},
      {"volumes: [{mountPath: /x}],", "", "names no claim"},
  };
  for (const Bad& bad : table) {
    FakeCluster cluster;
    ASSERT_TRUE(cluster.create(jobText(2, bad.job, bad.task)));
    cluster.settle();
    EXPECT_EQ(cluster.phase(), "Failed") << bad.message;
    EXPECT_THAT(cluster.job().status.state.message, HasSubstr(bad.message));
    EXPECT_THAT(cluster.podNames(), IsEmpty());
    ASSERT_FALSE(cluster.sent<Emit>().empty());
    EXPECT_TRUE(cluster.sent<Emit>()[0].warning);
  }
}

TEST(VcJobCheck, MinimaAndNames) {
  api::VcJob job;
  job.spec.minAvailable = 3;
  job.spec.tasks.resize(2);
  for (api::TaskSpec& task : job.spec.tasks) {
    task.name = "a";
    task.template_.spec.containers.resize(1);
  }
  EXPECT_THAT(problems(job),
              testing::ElementsAre("two tasks are named a", "the job wants at least 3 of its 2 replicas"));
}

}  // namespace
}  // namespace tidegate::vcjob
