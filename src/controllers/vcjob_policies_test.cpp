// Every event a policy may name, with every action, on the job and on a task.
#include "controllers/vcjob_policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/vcjob_fake.hpp"

namespace tidegate::vcjob {
namespace {

using test::FakeCluster;
using test::jobText;
using testing::IsEmpty;
using testing::SizeIs;

struct Cause {
  const char* event;
  const char* more;  // what else the policy says
  const char* task;  // what else the task says
};
struct Effect {
  const char* action;
  const char* phase;
  int retries;
  int restarted;  // pods made anew; those of ended jobs do not matter
};

constexpr Cause kCauses[] = {
    {"PodFailed", "", ""},  {"PodEvicted", "", ""},    {"PodPending", "timeout: 10s,", ""},
    {"Unknown", "", ""},    {"TaskCompleted", "", ""}, {"TaskFailed", "", "maxRetry: 2,"},
    {"JobUpdated", "", ""},
};
constexpr Effect kEffects[] = {
    {"RestartJob", "Running", 1, 3},       {"RestartTask", "Running", 1, 3},
    {"RestartPartition", "Running", 1, 3}, {"RestartPod", "Running", 1, 1},
    {"AbortJob", "Aborted", 0, 0},         {"TerminateJob", "Terminated", 0, 0},
    {"CompleteJob", "Completed", 0, 0},
};

void happen(FakeCluster& cluster, const std::string& event) {
  const std::string key = "Pod/default/j-worker-1";
  if (event == "PodFailed") cluster.setPod("j-worker-1", "Failed", 7);
  if (event == "PodEvicted") cluster.evict("j-worker-1");
  if (event == "PodPending") cluster.setPod("j-worker-1", "Pending");
  if (event == "Unknown") {
    cluster.change("PodGroup/default/j-" + cluster.job().metadata.uid,
                   {{"status", json::object{{"phase", "Unknown"}}}});
  }
  if (event == "TaskCompleted") {
    for (const char* pod : {"j-worker-0", "j-worker-1", "j-worker-2"}) cluster.setPod(pod, "Succeeded");
  }
  if (event == "TaskFailed") {
    const json::object status{{"name", "main"}, {"restartCount", 2}};
    cluster.change(key, {{"status", json::object{{"containerStatuses", json::array{status}}}}});
  }
  if (event == "JobUpdated") {
    cluster.change("Job/default/j", {{"spec", json::object{{"priorityClassName", "low"}}}});
  }
  cluster.startsPods = event != "PodPending";
  cluster.advance(seconds(11));
  cluster.startsPods = true;
  cluster.settle();
}

// A pod of its own for actions that need one.
bool isOfAPod(const std::string& event) {
  return event.starts_with("Pod");
}
bool isOfTheJob(const std::string& event) {
  return event == "Unknown" || event == "JobUpdated";
}

struct Case {
  Cause cause;
  Effect effect;
};
class PolicyTable : public testing::TestWithParam<Case> {};

TEST_P(PolicyTable, OnTheJob) {
  const auto& [cause, effect] = GetParam();
  const std::string action = effect.action;
  // A task or a pod can only be restarted where the event is about one.
  if (isOfTheJob(cause.event) && (action == "RestartTask" || action == "RestartPartition")) return;
  if (!isOfAPod(cause.event) && action == "RestartPod") return;
  FakeCluster cluster;
  ASSERT_TRUE(cluster.create(
      jobText(3, fmt::format("policies: [{{event: {}, {} action: {}}}],", cause.event, cause.more, action),
              cause.task)));
  cluster.settle();
  std::map<std::string, std::string> before;
  for (const auto& pod : cluster.pods()) before[pod.metadata.name] = pod.metadata.uid;
  happen(cluster, cause.event);
  EXPECT_EQ(cluster.phase(), effect.phase);
  EXPECT_EQ(cluster.job().status.retryCount, effect.retries);
  int restarted = 0;
  for (const auto& pod : cluster.pods()) restarted += before[pod.metadata.name] != pod.metadata.uid;
  EXPECT_EQ(restarted, effect.restarted);
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const Cause& cause : kCauses) {
    for (const Effect& effect : kEffects) cases.push_back({cause, effect});
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(EventsAndActions, PolicyTable, testing::ValuesIn(allCases()), [](const auto& it) {
  return std::string(it.param.cause.event) + it.param.effect.action;
});

api::LifecyclePolicy policyOf(std::vector<std::string> events, std::optional<int> code, const char* action) {
  return {.action = action, .event = {}, .events = std::move(events), .exitCode = code, .timeout = {}};
}
JobEvent failed(std::size_t task, int code) {
  return {.name = event::kPodFailed, .task = task, .pod = "p", .podUid = "u", .exitCode = code};
}

TEST(Policies, TheTasksComeBeforeTheJobs) {
  api::VcJob job;
  job.spec.policies = {policyOf({"PodFailed", "PodEvicted"}, {}, "RestartJob")};
  job.spec.tasks.resize(2);
  job.spec.tasks[0].policies = {policyOf({"*"}, {}, "TerminateJob")};
  EXPECT_EQ(answerTo(job, failed(0, 1)).action, JobAction::TerminateJob);
  EXPECT_EQ(answerTo(job, failed(1, 1)).action, JobAction::RestartJob);
  JobEvent updated = failed(0, 0);
  updated.name = event::kJobUpdated;
  EXPECT_EQ(answerTo(job, updated).action, JobAction::Sync) << "any event is any that goes wrong or ends";
}

TEST(Policies, ExitCodesAreLookedUpInTheirOrder) {
  api::VcJob job;
  job.spec.tasks.resize(1);
  job.spec.tasks[0].policies = {policyOf({}, 3, "RestartPod"), policyOf({"PodFailed"}, {}, "AbortJob")};
  EXPECT_EQ(answerTo(job, failed(0, 3)).action, JobAction::RestartPod);
  EXPECT_EQ(answerTo(job, failed(0, 4)).action, JobAction::AbortJob);
}

TEST(Policies, ExitCodeOfAPodIsTheFirstThatIsNotZero) {
  FakeCluster cluster;
  ASSERT_TRUE(cluster.create(jobText(2, "policies: [{exitCode: 42, action: TerminateJob}],")));
  cluster.settle();
  cluster.setPod("j-worker-0", "Failed", 1);
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Running");
  cluster.setPod("j-worker-1", "Failed", 42);
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Terminated");
}

TEST(Policies, ATimeoutPutsTheActionOff) {
  FakeCluster cluster;
  ASSERT_TRUE(cluster.create(jobText(2, "policies: [{event: PodFailed, action: AbortJob, timeout: 1m}],")));
  cluster.settle();
  cluster.setPod("j-worker-0", "Failed", 1);
  cluster.advance(seconds(59));
  EXPECT_EQ(cluster.phase(), "Running");
  cluster.advance(seconds(2));
  EXPECT_EQ(cluster.phase(), "Aborted");
}

TEST(Policies, APodThatRunsInTimeIsNotPendingTooLong) {
  FakeCluster cluster;
  cluster.startsPods = false;
  ASSERT_TRUE(cluster.create(jobText(1, "policies: [{event: PodPending, action: AbortJob, timeout: 1m}],")));
  cluster.advance(seconds(59));
  cluster.setPod("j-worker-0", "Running");
  cluster.advance(seconds(60));
  EXPECT_EQ(cluster.phase(), "Running");
}

}  // namespace
}  // namespace tidegate::vcjob
