// What the controller makes of a job, and what becomes of it.
#include "controllers/vcjob.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/vcjob_fake.hpp"

namespace tidegate::vcjob {
namespace {

namespace names = api::names;
using test::FakeCluster;
using test::jobText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kJob = "Job/default/j";

struct VcJobTest : testing::Test {
  void start(const std::string& text) {
    ASSERT_TRUE(cluster.create(text));
    cluster.settle();
  }
  std::string groupName() { return "j-" + cluster.job().metadata.uid; }
  api::Pod pod(const std::string& name) { return cluster.find<api::Pod>(name).value(); }
  std::string reason() { return cluster.job().status.state.reason; }
  void giveOrder(const std::string& action) {
    cluster.create(fmt::format(
        "{{apiVersion: bus.volcano.sh/v1alpha1, kind: Command, metadata: {{name: c{}, namespace: default}}, "
        "action: {}, target: {{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: {}}}}}",
        ++orders, action, cluster.job().metadata.uid));
  }
  void order(const std::string& action) {
    giveOrder(action);
    cluster.settle();
  }
  void replicas(int count) {
    json::object job = *cluster.raw(kJob);
    json::array tasks = job.at("spec").at("tasks").as_array();
    tasks[0].as_object()["replicas"] = count;
    cluster.change(kJob, {{"spec", json::object{{"tasks", tasks}}}});
    cluster.settle();
  }

  FakeCluster cluster;
  int orders = 0;
};

TEST_F(VcJobTest, MakesPodsAndPodGroupAsVolcanoDoes) {
  start(jobText(3, "queue: research, priorityClassName: high, minAvailable: 2,"));
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-worker-0", "j-worker-1", "j-worker-2"));
  const api::Pod it = pod("j-worker-1");
  EXPECT_EQ(it.metadata.labels, (api::StringMap{{"volcano.sh/job-name", "j"},
                                                {"volcano.sh/job-namespace", "default"},
                                                {"volcano.sh/task-spec", "worker"},
                                                {"volcano.sh/task-index", "1"},
                                                {"volcano.sh/queue-name", "research"}}));
  EXPECT_EQ(it.metadata.annotations, (api::StringMap{{"scheduling.k8s.io/group-name", groupName()},
                                                     {"scheduling.volcano.sh/group-name", groupName()},
                                                     {"volcano.sh/job-name", "j"},
                                                     {"volcano.sh/task-spec", "worker"},
                                                     {"volcano.sh/task-index", "1"},
                                                     {"volcano.sh/queue-name", "research"},
                                                     {"volcano.sh/job-version", "0"},
                                                     {"volcano.sh/job-retry-count", "0"},
                                                     {"volcano.sh/template-uid", "j-worker"}}));
  EXPECT_EQ(it.spec.schedulerName, "volcano");
  EXPECT_EQ(it.spec.priorityClassName, "high");
  const json::object* raw = cluster.raw("Pod/default/j-worker-1");
  EXPECT_EQ(text(raw->at("metadata").at("ownerReferences").at(0).as_object()),
            R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":")" +
                cluster.job().metadata.uid + R"(","controller":true,"blockOwnerDeletion":true})");

  const api::PodGroup group = cluster.find<api::PodGroup>(groupName()).value();
  EXPECT_EQ(group.spec.minMember, 2);
  EXPECT_EQ(group.spec.minTaskMember, (std::map<std::string, std::int32_t>{{"worker", 3}}));
  EXPECT_EQ(group.spec.queue, "research");
  EXPECT_EQ(group.spec.priorityClassName, "high");
  EXPECT_EQ(group.spec.minResources, (ResourceList{{"nvidia.com/gpu", Quantity::ofInteger(2)}}));
}

TEST_F(VcJobTest, ItsPodGroupIsInTheNamespacesQueueUnlessItNamesOne) {
  cluster.create(
      "{apiVersion: v1, kind: Namespace, metadata: {name: default, namespace: default, annotations: "
      "{scheduling.volcano.sh/queue-name: research}}}");
  start(jobText(1));
  EXPECT_EQ(cluster.find<api::PodGroup>(groupName())->spec.queue, "research");
}

TEST_F(VcJobTest, StatusCountsPodsByTaskAndNotesPhases) {
  start(jobText(3));
  const api::VcJobStatus status = cluster.job().status;
  EXPECT_EQ(status.state.phase, "Running");
  EXPECT_EQ(status.running, 3);
  EXPECT_EQ(status.minAvailable, 3);
  EXPECT_EQ(status.taskStatusCount.at("worker").phase, (std::map<std::string, std::int32_t>{{"Running", 3}}));
  ASSERT_THAT(status.conditions, SizeIs(2));
  EXPECT_EQ(status.conditions[0].status, "Pending");
  EXPECT_EQ(status.conditions[1].status, "Running");
}

TEST_F(VcJobTest, TemplatesFieldsItDoesNotKnowReachThePods) {
  start(
      "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j, namespace: default}, spec: "
      "{tasks: [{replicas: 1, template: {metadata: {labels: {a: b}}, spec: {hostNetwork: true, containers: "
      "[{name: main, image: i, securityContext: {runAsUser: 7}}]}}}]}}");
  const json::object* raw = cluster.raw("Pod/default/j-default0-0");
  ASSERT_NE(raw, nullptr);
  EXPECT_EQ(raw->at("spec").at("hostNetwork"), true);
  EXPECT_EQ(raw->at("spec").at("containers").at(0).at("securityContext").at("runAsUser"), 7);
  EXPECT_EQ(raw->at("metadata").at("labels").at("a"), "b");
}

TEST_F(VcJobTest, CompletesOrFailsWhenAllPodsHaveEnded) {
  start(jobText(2, "minAvailable: 1,"));
  cluster.setPod("j-worker-0", "Succeeded");
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Running");
  cluster.advance(seconds(90));
  cluster.setPod("j-worker-1", "Failed", 1);
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Completed");
  EXPECT_EQ(cluster.job().status.runningDuration, "1m30s");
  EXPECT_THAT(cluster.podNames(), SizeIs(2)) << "what has ended stays to be looked at";
}

TEST_F(VcJobTest, FailsWhenTooFewSucceed) {
  start(jobText(2));
  cluster.setPod("j-worker-0", "Succeeded");
  cluster.setPod("j-worker-1", "Failed", 1);
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Failed");
}

TEST_F(VcJobTest, MinSuccessEndsTheJobAndItsOtherPods) {
  start(jobText(3, "minSuccess: 1, minAvailable: 1,"));
  cluster.setPod("j-worker-2", "Succeeded");
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Completed");
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-worker-2"));
}

TEST_F(VcJobTest, TimeToLiveDeletesTheJobAfterItsEnd) {
  start(jobText(1, "ttlSecondsAfterFinished: 60,"));
  cluster.setPod("j-worker-0", "Succeeded");
  cluster.advance(seconds(59));
  EXPECT_EQ(cluster.phase(), "Completed");
  cluster.advance(seconds(2));
  EXPECT_FALSE(cluster.find<api::VcJob>("j"));
  EXPECT_THAT(cluster.podNames(), IsEmpty());
}

TEST_F(VcJobTest, ScalesUpAndDownWhileRunning) {
  start(jobText(2, "minAvailable: 1, plugins: {svc: []},"));
  replicas(4);
  EXPECT_THAT(cluster.podNames(), SizeIs(4));
  EXPECT_EQ(cluster.raw("ConfigMap/default/j-svc")->at("data").at("VC_WORKER_NUM"), "4");
  replicas(1);
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-worker-0"));
  EXPECT_EQ(cluster.raw("ConfigMap/default/j-svc")->at("data").at("VC_WORKER_NUM"), "1");
  EXPECT_EQ(cluster.find<api::PodGroup>(groupName())->spec.minTaskMember.at("worker"), 1);
  EXPECT_EQ(cluster.job().status.retryCount, 0);
}

TEST_F(VcJobTest, PodGroupFollowsMinAvailable) {
  start(jobText(4));
  cluster.change(kJob, {{"spec", json::object{{"minAvailable", 2}}}});
  cluster.settle();
  EXPECT_EQ(cluster.find<api::PodGroup>(groupName())->spec.minMember, 2);
  EXPECT_EQ(cluster.find<api::PodGroup>(groupName())->spec.minResources.at("nvidia.com/gpu"),
            Quantity::ofInteger(2));
}

TEST_F(VcJobTest, WithoutAPolicyAnEvictedPodIsMadeAnewAndAFailedOneStays) {
  start(jobText(2));
  const std::string before = pod("j-worker-0").metadata.uid;
  cluster.evict("j-worker-0");
  cluster.setPod("j-worker-1", "Failed", 1);
  cluster.settle();
  EXPECT_NE(pod("j-worker-0").metadata.uid, before);
  EXPECT_EQ(pod("j-worker-1").status.phase, "Failed");
  EXPECT_EQ(cluster.job().status.retryCount, 0);
}

TEST_F(VcJobTest, RetriesEndInFailed) {
  start(jobText(2, "policies: [{event: PodEvicted, action: RestartJob}],"));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(cluster.phase(), "Running");
    cluster.evict("j-worker-0");
    cluster.settle();
    EXPECT_EQ(cluster.job().status.retryCount, i);
  }
  EXPECT_EQ(cluster.phase(), "Failed");
  EXPECT_EQ(reason(), "RetriesUsedUp");
  EXPECT_THAT(cluster.podNames(), IsEmpty());
}

TEST_F(VcJobTest, SeveralEndsOfOneMomentMakeOneRestart) {
  start(jobText(4, "policies: [{event: PodEvicted, action: RestartJob}],"));
  const std::string group = cluster.find<api::PodGroup>(groupName())->metadata.uid;
  cluster.evict("j-worker-0");
  cluster.evict("j-worker-3");
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Running");
  EXPECT_EQ(cluster.job().status.retryCount, 1);
  EXPECT_NE(cluster.find<api::PodGroup>(groupName())->metadata.uid, group) << "a new one, as in Volcano";
  EXPECT_EQ(pod("j-worker-0").metadata.annotations.at("volcano.sh/job-version"), "1");
}

TEST_F(VcJobTest, DependsOnWaitsForItsTasks) {
  cluster.startsPods = false;
  const std::string pods = "template: {spec: {containers: [{name: main, image: i}]}}";
  start(fmt::format(
      "{{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {{name: j, namespace: default}}, spec: "
      "{{tasks: [{{name: a, replicas: 2, {0}}}, {{name: b, replicas: 1, {0}}}, "
      "{{name: all, replicas: 1, dependsOn: {{name: [a, b]}}, {0}}}, "
      "{{name: any, replicas: 1, dependsOn: {{name: [a, b], iteration: any}}, {0}}}]}}}}",
      pods));
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-a-0", "j-a-1", "j-b-0"));
  cluster.setPod("j-a-0", "Running");
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), SizeIs(3)) << "half of a task is no task";
  cluster.setPod("j-a-1", "Running");
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-a-0", "j-a-1", "j-any-0", "j-b-0"));
  cluster.setPod("j-b-0", "Succeeded");
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-a-0", "j-a-1", "j-all-0", "j-any-0", "j-b-0"));
}

TEST_F(VcJobTest, OrdersAreDeletedFirstAndCarriedOut) {
  start(jobText(2));
  order("AbortJob");
  EXPECT_EQ(cluster.phase(), "Aborted");
  EXPECT_THAT(cluster.podNames(), IsEmpty());
  EXPECT_FALSE(cluster.find<api::PodGroup>(groupName()));
  EXPECT_FALSE(cluster.find<api::BusCommand>("c1"));
  order("ResumeJob");
  EXPECT_EQ(cluster.phase(), "Running");
  EXPECT_EQ(cluster.job().status.retryCount, 1) << "as in Volcano's table of states";
  order("RestartJob");
  EXPECT_EQ(cluster.phase(), "Running");
  EXPECT_EQ(cluster.job().status.retryCount, 2);
  order("CompleteJob");
  EXPECT_EQ(cluster.phase(), "Completed");
  order("TerminateJob");
  EXPECT_EQ(cluster.phase(), "Completed") << "it has ended";
}

TEST_F(VcJobTest, AnOrderSomebodyElseDeletedIsNotCarriedOut) {
  start(jobText(2));
  giveOrder("TerminateJob");
  cluster.remove("Command/default/c1");  // before the controller has heard of it
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Running");
}

TEST_F(VcJobTest, AbortWaitsForTheLastPod) {
  start(jobText(2));
  cluster.stopsPods = false;
  order("AbortJob");
  EXPECT_EQ(cluster.phase(), "Aborting");
  EXPECT_EQ(cluster.job().status.terminating, 2);
  cluster.stopsPods = true;
  cluster.settle();
  EXPECT_EQ(cluster.phase(), "Aborted");
}

// No event comes of a deletion that failed: the job itself has to ask again.
TEST_F(VcJobTest, APodWhoseDeletionFailedIsDeletedAgain) {
  start(jobText(2));
  cluster.deletes = Outcome::Unknown;
  order("RestartJob");
  cluster.advance(seconds(5));
  EXPECT_EQ(cluster.phase(), "Restarting");
  cluster.deletes = Outcome::Succeeded;
  cluster.advance(seconds(10));
  EXPECT_EQ(cluster.phase(), "Running");
  EXPECT_EQ(pod("j-worker-1").metadata.annotations.at("volcano.sh/job-version"), "1");
}

TEST_F(VcJobTest, RefusedPodsEndTheJobAfterFifteenAttempts) {
  cluster.creates = Outcome::Rejected;
  start(jobText(1));
  cluster.advance(seconds(300));
  EXPECT_EQ(cluster.phase(), "Terminated");
  EXPECT_THAT(cluster.sent<Emit>(), testing::Contains(testing::Field(&Emit::reason, "FailedCreate")));
}

TEST_F(VcJobTest, PodsOfAnEarlierJobOfThatNameAreWaitedFor) {
  start(jobText(1));
  const std::string before = pod("j-worker-0").metadata.uid;
  cluster.stopsPods = false;
  cluster.annotate("Pod/default/j-worker-0", "x", "y");
  json::object orphan = *cluster.raw("Pod/default/j-worker-0");
  cluster.remove(kJob);
  cluster.settle();
  orphan["metadata"].as_object()["uid"] = "old";
  ASSERT_TRUE(cluster.create(text(orphan)));  // its old pod is still there
  start(jobText(1));
  EXPECT_NE(cluster.phase(), "Failed");
  cluster.remove("Pod/default/j-worker-0");
  cluster.settle();
  ASSERT_TRUE(cluster.find<api::Pod>("j-worker-0"));
  EXPECT_EQ(pod("j-worker-0").metadata.ownerReferences.at(0).uid, cluster.job().metadata.uid);
  EXPECT_NE(pod("j-worker-0").metadata.uid, before);
}

}  // namespace
}  // namespace tidegate::vcjob
