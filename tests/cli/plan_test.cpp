// `tidegate plan` from files to its output, as docs/plan-json.md describes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "program.hpp"

namespace tidegate::clitest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kCluster = R"(apiVersion: v1
kind: Node
metadata: {name: n1}
spec: {unschedulabel: true}
status:
  allocatable: {cpu: "64", memory: 1Ti, nvidia.com/gpu: "8", pods: "110"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: online}
spec: {guarantee: {resource: {nvidia.com/gpu: 8}}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: offline}
spec: {weight: 2}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: train, creationTimestamp: "2026-06-18T19:00:00Z"}
spec: {minMember: 2, queue: offline}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: serve, creationTimestamp: "2026-06-18T20:00:00Z"}
spec: {minMember: 1, queue: online}
)";

std::string pod(const std::string& name, const std::string& group, int gpus, const std::string& node) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", uid: " + name +
         ", annotations: {scheduling.k8s.io/group-name: " + group + "}}\nspec:\n  schedulerName: volcano\n" +
         (node.empty() ? "" : "  nodeName: " + node + "\n") +
         "  containers: [{name: main, resources: {requests: {nvidia.com/gpu: " + std::to_string(gpus) +
         "}}}]\n" + "status: {phase: " + (node.empty() ? "Pending" : "Running") + "}\n";
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    program_.write("cluster.yaml", kCluster);
    program_.write("pods.yaml", pod("train-0", "train", 4, "n1") + pod("train-1", "train", 4, "n1") +
                                    pod("serve-0", "serve", 8, ""));
  }
  boost::json::object plan(const std::string& arguments) {
    const Ran ran = program_.run("plan -o json " + arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return boost::json::parse(ran.out).as_object();
  }
  static std::vector<std::string> podsOf(const boost::json::object& plan, const char* list) {
    std::vector<std::string> pods;
    for (const auto& entry : plan.at(list).as_array()) pods.emplace_back(entry.at("pod").as_string());
    return pods;
  }

  Program program_;
};

TEST_F(PlanTest, RecallsABorrowedNode) {
  const boost::json::object result = plan("-f cluster.yaml -f pods.yaml");
  EXPECT_THAT(podsOf(result, "binds"), ElementsAre("default/serve-0"));
  EXPECT_THAT(podsOf(result, "evictions"), ElementsAre("default/train-0", "default/train-1"));
  EXPECT_THAT(podsOf(result, "pending"), ElementsAre("default/train-0", "default/train-1"));
  EXPECT_THAT(podsOf(result, "pipelined"), ElementsAre());
  EXPECT_EQ(result.at("now").as_string(), "2026-06-18T20:00:00Z");

  const auto& recall = result.at("recalls").as_array().at(0);
  EXPECT_EQ(recall.at("queue").as_string(), "online");
  EXPECT_TRUE(recall.at("guaranteeBacked").as_bool());
  EXPECT_EQ(recall.at("nodes").as_array(), boost::json::array{"n1"});
  EXPECT_EQ(recall.at("jobs").as_array(), boost::json::array{"default/train"});
  EXPECT_EQ(recall.at("cost").at("gpusStopped").as_int64(), 8);
  EXPECT_EQ(recall.at("gap").to_number<double>(), 0);
}

TEST_F(PlanTest, TellsHowQueuesStand) {
  const boost::json::object result = plan("-f cluster.yaml -f pods.yaml --cycles 1 --keep-terminating");
  for (const auto& queue : result.at("queues").as_array()) {
    if (queue.at("name").as_string() != "offline") continue;
    EXPECT_EQ(queue.at("used").at("nvidia.com/gpu").as_int64(), 8);
    EXPECT_EQ(queue.at("borrowed").at("nvidia.com/gpu").as_int64(), 8);
  }
}

TEST_F(PlanTest, KeepsTerminatingPodsAndShowsWhoWaitsForThem) {
  const boost::json::object result = plan("-f cluster.yaml -f pods.yaml --keep-terminating");
  EXPECT_THAT(podsOf(result, "binds"), ElementsAre());
  EXPECT_THAT(podsOf(result, "evictions"), ElementsAre("default/train-0", "default/train-1"));
  EXPECT_THAT(podsOf(result, "pipelined"), ElementsAre("default/serve-0"));
}

TEST_F(PlanTest, OrderOfFilesChangesNothing) {
  const std::string one = program_.run("plan -o json -f cluster.yaml -f pods.yaml").out;
  const std::string other = program_.run("plan -o json -f pods.yaml -f cluster.yaml").out;
  EXPECT_EQ(one, other);
}

TEST_F(PlanTest, ReadsStandardInput) {
  const boost::json::object result = plan("-f cluster.yaml -f - < pods.yaml");
  EXPECT_THAT(podsOf(result, "binds"), ElementsAre("default/serve-0"));
}

TEST_F(PlanTest, WarnsOfAFieldNobodyKnows) {
  const boost::json::object result = plan("-f cluster.yaml");
  const std::string warning(result.at("warnings").as_array().at(0).as_string());
  EXPECT_THAT(warning, HasSubstr("cluster.yaml:4:"));
  EXPECT_THAT(warning, HasSubstr("did you mean unschedulable"));
}

TEST_F(PlanTest, HonoursTheActionsOfTheConf) {
  program_.write("conf", "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n");
  const boost::json::object result = plan("-f cluster.yaml -f pods.yaml --conf conf");
  EXPECT_THAT(podsOf(result, "evictions"), ElementsAre());
  EXPECT_THAT(podsOf(result, "pending"), ElementsAre("default/serve-0"));
}

TEST_F(PlanTest, TextNamesTheJobTheReasonAndTheQueues) {
  const Ran ran = program_.run("plan -f cluster.yaml -f pods.yaml");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("default/serve-0  -> n1"));
  EXPECT_THAT(ran.out, HasSubstr("default/train (queue offline"));
  EXPECT_THAT(ran.out, HasSubstr("lower bound"));
  EXPECT_THAT(ran.out, HasSubstr("BORROWED"));
}

TEST_F(PlanTest, HelpNamesEveryOption) {
  const Ran ran = program_.run("plan --help");
  EXPECT_EQ(ran.code, 0);
  for (const char* option : {"--file", "--conf", "--now", "--cycles", "--keep-terminating", "--output"})
    EXPECT_THAT(ran.out, HasSubstr(option));
}

TEST_F(PlanTest, VersionIsOneLine) {
  for (const char* word : {"version", "--version", "-V"})
    EXPECT_THAT(program_.run(word).out, HasSubstr("tidegate 0.")) << word;
}

}  // namespace
}  // namespace tidegate::clitest
