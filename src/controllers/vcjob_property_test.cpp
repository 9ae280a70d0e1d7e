// Whatever the order in which news arrive, whatever is lost or repeated, and wherever the controller is
// restarted: once all is quiet, the pods are exactly those the job asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "controllers/vcjob_fake.hpp"

namespace tidegate::vcjob {
namespace {

namespace names = api::names;
using test::FakeCluster;
using test::FakeFaults;

const std::string kJob = "Job/default/j";

struct Wanted {
  int a = 0;
  int b = 0;
  bool suspended = false;
};

std::string textFor(const Wanted& wanted) {
  const std::string pods = "template: {spec: {containers: [{name: main, image: i}]}}";
  return fmt::format(
      "{{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {{name: j, namespace: default}}, spec: "
      "{{minAvailable: 1, maxRetry: 1000, plugins: {{svc: [], ssh: []}}, policies: [{{event: PodEvicted, "
      "action: RestartJob}}, {{event: PodFailed, action: RestartTask}}], tasks: [{{name: a, replicas: {}, "
      "{}}}, {{name: b, replicas: {}, {}}}]}}}}",
      wanted.a, pods, wanted.b, pods);
}

void scale(FakeCluster& cluster, Wanted& wanted, Rng& rng) {
  wanted.a = static_cast<int>(1 + rng.below(4));
  wanted.b = static_cast<int>(rng.below(4));
  const json::object job = *cluster.raw(kJob);
  json::array tasks = job.at("spec").at("tasks").as_array();
  tasks[0].as_object()["replicas"] = wanted.a;
  tasks[1].as_object()["replicas"] = wanted.b;
  cluster.change(kJob, {{"spec", json::object{{"tasks", tasks}}}});
}

// Something happens in the cluster; the controller has not heard of it yet.
void disturb(FakeCluster& cluster, Wanted& wanted, Rng& rng) {
  const std::vector<std::string> pods = cluster.podNames();
  switch (rng.below(6)) {
    case 0:
      return scale(cluster, wanted, rng);
    case 1:
      wanted.suspended = !wanted.suspended;
      return cluster.annotate(kJob, names::kSuspend,
                              wanted.suspended ? json::value("recall-1") : json::value(nullptr));
    case 2:
      return cluster.restart();
    case 3:
      if (!pods.empty()) cluster.remove("Pod/default/" + pods[rng.below(pods.size())]);
      return;
    case 4:
      if (!pods.empty()) cluster.setPod(pods[rng.below(pods.size())], "Failed", 1);
      return;
    default:
      if (!pods.empty()) cluster.evict(pods[rng.below(pods.size())]);
  }
}

std::set<std::string> namesOf(const Wanted& wanted) {
  std::set<std::string> out;
  if (wanted.suspended) return out;
  for (int i = 0; i < wanted.a; ++i) out.insert("j-a-" + std::to_string(i));
  for (int i = 0; i < wanted.b; ++i) out.insert("j-b-" + std::to_string(i));
  return out;
}

void expectQuietAndRight(FakeCluster& cluster, const Wanted& wanted) {
  std::set<std::string> living;
  for (const api::Pod& pod : cluster.pods()) {
    EXPECT_EQ(pod.status.phase, "Running") << pod.metadata.name;
    living.insert(pod.metadata.name);
  }
  EXPECT_EQ(living, namesOf(wanted));
  EXPECT_EQ(cluster.phase(), wanted.suspended ? "Pending" : "Running");
  EXPECT_EQ(cluster.job().status.running, static_cast<int>(living.size()));
  EXPECT_TRUE(cluster.find<api::PodGroup>("j-" + cluster.job().metadata.uid));
  const std::size_t commands = cluster.log.size();
  cluster.advance(seconds(600));
  for (std::size_t i = commands; i < cluster.log.size(); ++i) {
    EXPECT_TRUE(std::holds_alternative<WakeAt>(cluster.log[i].action)) << "quiet, and a command";
  }
}

class VcJobProperty : public testing::TestWithParam<int> {};

TEST_P(VcJobProperty, OnceQuietPodsAreExactlyWhatTheJobAsks) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  FakeCluster cluster(FakeFaults{
      .seed = seed, .delay = 0.5, .repeat = 0.1, .lostAnswer = 0.05, .lostCommand = 0.05, .restart = 0.01});
  Rng rng(seed);
  Wanted wanted{.a = 3, .b = 2, .suspended = false};
  ASSERT_TRUE(cluster.create(textFor(wanted)));
  for (std::uint64_t i = rng.between(1, 6); i > 0; --i) {
    if (rng.chance(0.6)) cluster.advance(milliseconds(static_cast<std::int64_t>(rng.below(3000))));
    disturb(cluster, wanted, rng);
  }
  cluster.advance(seconds(60));
  cluster.faults() = FakeFaults{.seed = seed};
  cluster.advance(seconds(60));
  expectQuietAndRight(cluster, wanted);
}
INSTANTIATE_TEST_SUITE_P(Seeds, VcJobProperty, testing::Range(1, 101));

}  // namespace
}  // namespace tidegate::vcjob
