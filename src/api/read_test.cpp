#include "api/read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/write.hpp"

namespace tidegate::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Error>& errors) {
  std::vector<std::string> out;
  for (const Error& error : errors) out.push_back(error.text());
  return out;
}

Loaded load(std::string_view text) {
  ReadResult result = readObjects(text, "f.yaml");
  if (result) return std::move(*result);
  ADD_FAILURE() << testing::PrintToString(texts(result.error()));
  return {};
}

std::vector<std::string> errorsOf(std::string_view text) {
  const ReadResult result = readObjects(text, "f.yaml");
  return result ? std::vector<std::string>{} : texts(result.error());
}

template <class T>
T loadOne(std::string_view text) {
  Loaded loaded = load(text);
  EXPECT_EQ(loaded.objects.size(), 1U);
  if (loaded.objects.size() != 1 || !std::holds_alternative<T>(loaded.objects[0])) return {};
  return std::get<T>(std::move(loaded.objects[0]));
}

const std::string kPodHead = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\n";
const std::string kVcJobHead =
    "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j, namespace: n}\n";

TEST(Read, TakesTheFieldsOfAPodAndPassesOverTheRest) {
  Loaded loaded = load(kPodHead + R"(
spec:
  volumes: [{name: v, emptyDir: {}}]
  serviceAccountName: x
  terminationGracePeriodSeconds: 30
  nodeSelector: {gpu: A100}
  tolerations: [{operator: Exists}]
  containers:
  - name: main
    resources: {requests: {nvidia.com/gpu: 8, cpu: 1500m}}
    volumeMounts: [{name: v, mountPath: /v}]
status: {phase: Running, podIP: 10.0.0.1, containerStatuses: [{name: main, ready: true}]}
)");
  EXPECT_THAT(texts(loaded.warnings), IsEmpty());
  const Pod& pod = std::get<Pod>(loaded.objects.at(0));
  EXPECT_EQ(pod.spec.terminationGracePeriodSeconds, 30);
  EXPECT_EQ(pod.spec.containers.at(0).resources.requests.at("cpu").milliValue(), 1500);
  EXPECT_EQ(pod.spec.tolerations.at(0).operator_, "Exists");
  EXPECT_EQ(pod.status.phase, "Running");
}

TEST(Read, ScalarsInLabelsAndAnnotationsAreTheirText) {
  const Pod pod = loadOne<Pod>(
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  creationTimestamp: null\n"
      "  annotations: {volcano.sh/preemptable: false, n: 010, e: , q: 'true'}\n");
  EXPECT_THAT(pod.metadata.annotations,
              ElementsAre(std::pair("e", ""), std::pair("n", "010"), std::pair("q", "true"),
                          std::pair("volcano.sh/preemptable", "false")));
  EXPECT_EQ(pod.metadata.creationTimestamp, std::nullopt);
  EXPECT_EQ(pod.metadata.namespace_, "default");
}

TEST(Read, TheTwoJobsAreToldApartByTheirGroup) {
  EXPECT_EQ(loadOne<BatchJob>("apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n").metadata.name, "j");
  EXPECT_EQ(loadOne<VcJob>(kVcJobHead + "spec: {minAvailable: 0}").spec.minAvailable, std::nullopt);
}

TEST(Read, ListsOfAllForms) {
  const std::string item = R"({"metadata": {"name": "p"}})";
  const std::string full = R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})";
  EXPECT_EQ(load(R"({"apiVersion": "v1", "kind": "PodList", "items": [)" + item + "]}").objects.size(), 1U);
  EXPECT_EQ(
      load(R"({"apiVersion": "v1", "kind": "List", "items": [)" + full + ", " + full + "]}").objects.size(),
      2U);
  EXPECT_EQ(load("apiVersion: v1\nkind: List\nitems: []\n").objects.size(), 0U);
  EXPECT_THAT(errorsOf(R"({"apiVersion": "v1", "kind": "List", "items": [)" + item + "]}"),
              ElementsAre(HasSubstr("kind: missing")));
}

TEST(Read, UnknownKindsAreSkippedWithOneNoticeEach) {
  Loaded loaded = load(
      "{kind: Service, apiVersion: v1, metadata: {name: a}}\n---\n{kind: Service, apiVersion: v1}\n---\n"
      "{kind: PodGroup, apiVersion: scheduling.x-k8s.io/v1alpha1, metadata: {name: a}}\n");
  EXPECT_TRUE(loaded.objects.empty());
  EXPECT_THAT(
      texts(loaded.warnings),
      ElementsAre("f.yaml:1:1: kind: kind Service is not used here and skipped (and 1 more like this)",
                  HasSubstr("it is known in scheduling.volcano.sh/v1beta1")));
}

TEST(Read, AMisspeltKindIsAnErrorAndNotSkipped) {
  EXPECT_THAT(
      errorsOf("apiVersion: scheduling.volcano.sh/v1beta1\nkind: Qeue\nmetadata: {name: q}\n"),
      ElementsAre(
          "f.yaml:2:7: kind: unknown kind Qeue of scheduling.volcano.sh/v1beta1; did you mean Queue?"));
  EXPECT_THAT(errorsOf("kind: Queue\nmetadata: {name: q}\n"), ElementsAre(HasSubstr("apiVersion: missing")));
}

TEST(Read, AnUnknownFieldOfACoreKindIsAWarningWithTheNearestName) {
  Loaded loaded =
      load(kPodHead + "spec:\n  nodename: n1\n  containers: [{name: a, imag: x}, {name: b, imag: y}]\n");
  EXPECT_THAT(
      texts(loaded.warnings),
      ElementsAre(
          "f.yaml:5:3: spec.nodename: unknown field; did you mean nodeName?",
          "f.yaml:6:26: spec.containers[0].imag: unknown field; did you mean image? (and 1 more like this)"));
}

TEST(Read, AllErrorsOfAFileAreToldAtOnce) {
  EXPECT_THAT(errorsOf(kPodHead + "spec: {priority: many, nodeSelector: [a], containers: {name: x}}\n"),
              ElementsAre("f.yaml:4:18: spec.priority: want an integer, got \"many\"",
                          "f.yaml:4:38: spec.nodeSelector: want a map, got a list",
                          "f.yaml:4:55: spec.containers: want a list, got a map"));
  std::string many;
  for (int i = 0; i < 150; ++i) many += "---\n" + kPodHead + "spec: {priority: x}\n";
  const auto errors = errorsOf(many);
  EXPECT_EQ(errors.size(), 101U);
  EXPECT_EQ(errors.back(), "f.yaml: 50 more errors");
}

struct Wrong {
  const char* spec;
  const char* message;
};
class PodRefuses : public testing::TestWithParam<Wrong> {};
TEST_P(PodRefuses, WithFieldAndReason) {
  EXPECT_THAT(errorsOf(kPodHead + "spec: " + GetParam().spec + "\n"),
              ElementsAre(HasSubstr(GetParam().message)));
}
INSTANTIATE_TEST_SUITE_P(
    Values, PodRefuses,
    testing::Values(
        Wrong{"{containers: [{resources: {requests: {nvidia.com/gpu: -4}}}]}",
              "spec.containers[0].resources.requests.nvidia.com/gpu: want zero or more, got \"-4\""},
        Wrong{"{containers: [{resources: {requests: {memory: 8gb}}}]}",
              "want a quantity such as 8, 500m or 64Gi"},
        Wrong{"{containers: [{resources: {requests: {cpu: 1e30}}}]}", "too large"},
        Wrong{"{containers: [{resources: {requests: {cpu: NaN}}}]}", "want a quantity"},
        Wrong{"{priority: 3000000000}", "spec.priority: want at most 2147483647, got 3000000000"},
        Wrong{"{priority: '5'}", "want an integer, got \"5\": write it without quotes"},
        Wrong{"{priority: 1.5}", "want an integer, got \"1.5\""},
        Wrong{"{priority: 0x10}", "want an integer"},
        Wrong{"{priority: true}", "want an integer, got \"true\""},
        Wrong{"{terminationGracePeriodSeconds: -1}", "want at least 0, got -1"},
        Wrong{"{nodeName: [a]}", "want text, got a list"}, Wrong{"text", "spec: want a map, got \"text\""}));

TEST(Read, BoolsAreOnlyTrueAndFalse) {
  const std::string head = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n";
  EXPECT_TRUE(loadOne<Node>(head + "spec: {unschedulable: true}").spec.unschedulable);
  for (const char* text : {"yes", "'true'", "True", "1"}) {
    EXPECT_THAT(errorsOf(head + "spec: {unschedulable: " + text + "}"),
                ElementsAre(HasSubstr("spec.unschedulable: want true or false, got")));
  }
}

TEST(Read, TimesAndBudgets) {
  EXPECT_THAT(errorsOf(kPodHead + "status: {startTime: yesterday}"),
              ElementsAre(HasSubstr("want a time such as")));
  const std::string head = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n";
  const auto budget = loadOne<PodDisruptionBudget>(head + "spec: {minAvailable: 30%, maxUnavailable: 2}");
  EXPECT_EQ(budget.spec.minAvailable, (IntOrPercent{30, true}));
  EXPECT_EQ(budget.spec.maxUnavailable, (IntOrPercent{2, false}));
  EXPECT_THAT(errorsOf(head + "spec: {minAvailable: some}"),
              ElementsAre(HasSubstr("want a whole number or a percentage")));
}

TEST(Read, JobsThatCanNeverBeWholeAreErrors) {
  EXPECT_THAT(errorsOf(kVcJobHead + "spec: {minAvailable: 5, tasks: [{name: w, replicas: 4}]}"),
              ElementsAre("f.yaml:4:22: spec.minAvailable: job j wants at least 5 of its 4 replicas"));
  EXPECT_THAT(errorsOf(kVcJobHead + "spec: {tasks: [{name: w, replicas: 4, minAvailable: 5}]}"),
              ElementsAre(HasSubstr("spec.tasks[0].minAvailable: task w wants at least 5 of its 4")));
  EXPECT_THAT(errorsOf(kVcJobHead + "spec: {tasks: [{name: w, replicas: -1}]}"),
              ElementsAre(HasSubstr("spec.tasks[0].replicas: want at least 0, got -1")));
  EXPECT_THAT(errorsOf(kVcJobHead + "spec: {tasks: [{name: w, replicas: 2147483647}]}"),
              ElementsAre(HasSubstr("want at most 1000000")));
  EXPECT_THAT(errorsOf(kVcJobHead + "spec: {minAvailabel: 1}"),
              ElementsAre(HasSubstr("spec.minAvailabel: unknown field; did you mean minAvailable?")));
}

TEST(Read, HyperNodesSelectTheirMembers) {
  const auto node = loadOne<HyperNode>(
      "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {name: s}\nspec:\n  tier: 1\n  "
      "members:\n"
      "  - {type: Node, selector: {exactMatch: {name: n1}}}\n  - {type: Node, selector: {regexMatch: "
      "{pattern: 'n.*'}}}\n");
  EXPECT_EQ(node.spec.members.at(0).selector.exactMatch, "n1");
  EXPECT_EQ(node.spec.members.at(1).selector.regexMatch, "n.*");
}

TEST(Read, FilesWithoutObjectsAreErrors) {
  EXPECT_THAT(errorsOf(""), ElementsAre("f.yaml: the file is empty: want Kubernetes objects"));
  EXPECT_THAT(errorsOf("# nothing\n---\n"), ElementsAre(HasSubstr("empty")));
  EXPECT_THAT(errorsOf("just text\n"),
              ElementsAre("f.yaml:1:1: want an object with apiVersion and kind, got \"just text\""));
  EXPECT_THAT(errorsOf("apiVersion: v1\nkind: Pod\n"), ElementsAre(HasSubstr("metadata.name: missing")));
}

TEST(Read, AnObjectGivenTwiceIsTold) {
  EXPECT_THAT(texts(load(kPodHead + "---\n" + kPodHead).warnings),
              ElementsAre("f.yaml:5:1: metadata.name: Pod n/p is given twice; this one replaces f.yaml:1"));
}

}  // namespace
}  // namespace tidegate::api
