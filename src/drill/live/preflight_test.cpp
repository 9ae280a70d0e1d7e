#include "drill/live/preflight.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drill/cluster.hpp"
#include "drill/live/outfit.hpp"

namespace tidegate::drill::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Preflight : public testing::Test {
 protected:
  Preflight() : inputs(*readInputs({})) {
    DrillOptions cluster;
    cluster.nodes = 25;
    for (api::Object& node : makeNodes(cluster)) store.put(std::move(node));
  }

  void addPod(const std::string& name, const std::string& node, int gpus) {
    api::Pod pod;
    pod.metadata.name = name;
    pod.metadata.namespace_ = "prod";
    pod.spec.nodeName = node;
    pod.status.phase = node.empty() ? "Pending" : "Running";
    api::Container container;
    if (gpus > 0) container.resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
    pod.spec.containers = {container};
    store.put(pod);
  }
  void addQueue(const std::string& name, const std::string& drill = "") {
    api::Queue queue;
    queue.metadata.name = name;
    if (!drill.empty()) queue.metadata.labels[kDrillLabel] = drill;
    store.put(queue);
  }
  void changeNode(const std::string& name, const std::function<void(api::Node&)>& change) {
    api::Node node = *store.find<api::Node>(name);
    change(node);
    store.put(node);
  }
  std::string against() const {
    std::string out;
    for (const std::string& line : objections(options, inputs, store)) out += line + "\n";
    return out;
  }

  sim::ObjectStore store;
  LiveOptions options;
  Inputs inputs;
};

TEST_F(Preflight, AnEmptyClusterIsFine) {
  EXPECT_EQ(against(), "");
  const Pool pool = poolOf(store, "");
  EXPECT_EQ(pool.nodes.size(), 25u);
  EXPECT_EQ(pool.gpus, 200);
  EXPECT_EQ(pool.idleNodes, 25);
  EXPECT_FALSE(pool.simulated);
}

TEST_F(Preflight, WorkThatCouldBeStoppedIsListed) {
  addPod("web", "gpu-01", 0);
  addPod("train", "gpu-02", 8);
  addPod("next", "", 4);
  EXPECT_THAT(against(), HasSubstr("pod prod/train (8 GPUs, on gpu-02)"));
  EXPECT_THAT(against(), HasSubstr("pod prod/next (4 GPUs, waiting)"));
  EXPECT_THAT(against(), Not(HasSubstr("prod/web")));
  options.liveVictims = true;
  addQueue("promo-online-queue");
  addQueue("offline-research-queue");
  EXPECT_EQ(against(), "");
}

TEST_F(Preflight, WorkElsewhereIsLeftAlone) {
  options.poolLabel = "pool=drill";
  for (int i = 1; i <= 20; ++i)
    changeNode(fmt::format("gpu-{:02}", i), [](api::Node& it) { it.metadata.labels["pool"] = "drill"; });
  addPod("train", "gpu-25", 8);
  EXPECT_EQ(against(), "");
  EXPECT_EQ(poolOf(store, options.poolLabel).nodes.size(), 20u);
}

TEST_F(Preflight, QueuesOfTheSameNamesAreNotTouched) {
  addQueue("promo-online-queue");
  addQueue("offline-research-queue", "xyz");
  EXPECT_THAT(against(), HasSubstr("queue promo-online-queue\n"));
  EXPECT_THAT(against(), HasSubstr("kubectl delete queue -l tidegate.dev/drill=xyz"));
}

TEST_F(Preflight, WithLiveVictimsTheQueuesMustBeThere) {
  options.liveVictims = true;
  addQueue("promo-online-queue");
  EXPECT_THAT(against(), HasSubstr("no queue offline-research-queue"));
}

TEST_F(Preflight, NodesThatTakeNoPodsDoNotCount) {
  changeNode("gpu-01", [](api::Node& it) { it.spec.unschedulable = true; });
  changeNode("gpu-02", [](api::Node& it) { it.status.conditions[0].status = "Unknown"; });
  changeNode("gpu-03", [](api::Node& it) { it.spec.taints = {{"maintenance", "", "NoSchedule"}}; });
  changeNode("gpu-04", [](api::Node& it) { it.spec.taints = {{"nvidia.com/gpu", "", "NoSchedule"}}; });
  changeNode("gpu-05", [](api::Node& it) { it.status.allocatable.erase("nvidia.com/gpu"); });
  EXPECT_EQ(poolOf(store, "").nodes.size(), 21u);
}

TEST_F(Preflight, TooFewIdleNodesAreTold) {
  options.drill.onlineGpus = 160;
  EXPECT_THAT(against(), HasSubstr("need 28 idle nodes of 8 GPUs; there are 25"));
  options.drill.shape = {.pods = 1, .gpusPerPod = 16};
  EXPECT_THAT(against(), HasSubstr("a pod of 16 GPUs fits no node"));
}

TEST(PoolLabel, IsAKeyAndAValue) {
  EXPECT_EQ(selectorOf("pool=drill")->at("pool"), "drill");
  EXPECT_THAT(*selectorOf(""), IsEmpty());
  EXPECT_FALSE(selectorOf("pool").has_value());
  EXPECT_FALSE(selectorOf("=drill").has_value());
}

}  // namespace
}  // namespace tidegate::drill::live
