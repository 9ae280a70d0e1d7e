#include "world/kube/decode.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "api/read.hpp"
#include "api/write.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Resource& pods() {
  return resourceOf<api::Pod>();
}

// What an API server sends of a pod, unknown fields and all.
std::string podJson(const std::string& name, const std::string& priority = "7") {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"a","uid":"u-{}","resourceVersion":"12",)"
      R"("creationTimestamp":"2026-06-18T19:59:00Z","labels":{{"app":"w\u00e9b"}},)"
      R"("annotations":{{"kubectl.kubernetes.io/last-applied-configuration":"{{\"a\":1}}","keep":"yes"}},)"
      R"("managedFields":[{{"manager":"x","fieldsV1":{{"f:a":{{}}}}}}],)"
      R"("ownerReferences":[{{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"ju","controller":true}}]}},)"
      R"("spec":{{"priority":{},"nodeName":null,"volumes":[{{"name":"v","emptyDir":{{}}}}],)"
      R"("containers":[{{"name":"c","image":"i:1","command":["run"],"args":["a"],"env":[{{"name":"A","value":"1"}}],)"
      R"("resources":{{"requests":{{"cpu":"1500m","memory":"1Gi","nvidia.com/gpu":8}}}}}}],)"
      R"("tolerations":[{{"key":"k","operator":"Exists","tolerationSeconds":300}}]}},)"
      R"("status":{{"phase":"Running","podIP":"10.0.0.1","conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      name, name, priority);
}

std::string listJson(const std::string& items) {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"99","continue":"tok",)"
         R"("remainingItemCount":3},"items":)" +
         items + "}";
}

TEST(DecodeTest, AListWithVersionAndContinueToken) {
  Decoder decoder;
  const auto list = decoder.list(pods(), listJson("[" + podJson("p0") + "," + podJson("p1") + "]"));
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->resourceVersion, "99");
  EXPECT_EQ(list->continueToken, "tok");
  EXPECT_THAT(list->warnings, testing::IsEmpty());
  ASSERT_EQ(list->objects.size(), 2U);
  const auto& pod = std::get<api::Pod>(list->objects[1]);
  EXPECT_EQ(pod.metadata.name, "p1");
  EXPECT_EQ(pod.metadata.labels.at("app"), "w\u00e9b");
  EXPECT_EQ(pod.spec.priority, 7);
  EXPECT_EQ(pod.spec.nodeName, "");
  EXPECT_EQ(pod.spec.containers.at(0).resources.requests.at("nvidia.com/gpu"), Quantity::ofInteger(8));
  EXPECT_EQ(pod.spec.containers.at(0).resources.requests.at("cpu"), Quantity::ofMilli(1500));
  EXPECT_EQ(pod.spec.tolerations.at(0).tolerationSeconds, 300);
  EXPECT_EQ(pod.status.conditions.at(0).status, "True");
  EXPECT_TRUE(pod.metadata.ownerReferences.at(0).controller);
}

TEST(DecodeTest, LeanLeavesOutWhatNobodyReads) {
  Decoder lean({.lean = true});
  Decoder full({.lean = false});
  const auto small = std::get<api::Pod>(lean.object(pods(), podJson("p")).value());
  const auto whole = std::get<api::Pod>(full.object(pods(), podJson("p")).value());
  EXPECT_EQ(whole.spec.containers[0].image, "i:1");
  EXPECT_THAT(whole.spec.containers[0].command, ElementsAre("run"));
  EXPECT_EQ(whole.metadata.annotations.size(), 2U);
  EXPECT_THAT(small.metadata.annotations, ElementsAre(testing::Pair("keep", "yes")));
  api::Pod expected = whole;
  expected.metadata.annotations = small.metadata.annotations;
  expected.spec.containers[0] = {.name = "c",
                                 .image = {},
                                 .command = {},
                                 .args = {},
                                 .env = {},
                                 .resources = whole.spec.containers[0].resources,
                                 .restartPolicy = {}};
  EXPECT_EQ(small, expected);
}

TEST(DecodeTest, AnOddObjectIsLeftOutAndNamed) {
  Decoder decoder;
  const std::string items =
      "[" + podJson("p0") + ", " + podJson("odd", "\"many\"") + ",7," + podJson("p2") + "]";
  const auto list = decoder.list(pods(), listJson(items));
  ASSERT_TRUE(list) << list.error().text();
  ASSERT_EQ(list->objects.size(), 2U);
  EXPECT_EQ(api::metadataOf(list->objects[1]).name, "p2");
  ASSERT_EQ(list->unreadable.size(), 1U);
  EXPECT_EQ(list->unreadable[0].uid, "u-odd");
  EXPECT_THAT(list->warnings, ElementsAre("pods a/odd is left out: spec.priority: want an integer, got text",
                                          HasSubstr("no JSON object")));
}

TEST(DecodeTest, MessagesNameTheWayThroughListsAndMaps) {
  Decoder decoder;
  const auto why = [&](const std::string& spec) {
    return decoder.object(pods(), R"({"metadata":{"name":"p","namespace":"a"},"spec":)" + spec + "}")
        .error()
        .message;
  };
  EXPECT_THAT(why(R"({"containers":[{},{"resources":{"limits":{"cpu":[]}}}]})"),
              HasSubstr("spec.containers[1].resources.limits.cpu: want a quantity, got a list"));
  EXPECT_THAT(why(R"({"containers":{}})"), HasSubstr("spec.containers: want a list, got a map"));
  EXPECT_THAT(why(R"({"nodeSelector":{"a":1}})"), HasSubstr("spec.nodeSelector.a: want text, got a number"));
  EXPECT_THAT(why(R"({"terminationGracePeriodSeconds":-1})"),
              HasSubstr("spec.terminationGracePeriodSeconds: want 0"));
  EXPECT_THAT(why("[]"), HasSubstr("spec: want a map, got a list"));
}

TEST(DecodeTest, WhatIsNoListIsAnError) {
  Decoder decoder;
  for (const char* text :
       {"", "{", "[]", "null", "{}", R"({"items":7})", "<html>", R"({"items":[{"metadata":)"}) {
    EXPECT_FALSE(decoder.list(pods(), text)) << text;
  }
  const auto empty = decoder.list(pods(), listJson("null"));
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->objects.empty());
}

TEST(DecodeTest, EveryTruncationOfAListIsAnErrorOrNoList) {
  Decoder decoder;
  const std::string whole = listJson("[" + podJson("p0") + "," + podJson("p1") + "]");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decoder.list(pods(), whole.substr(0, length))) << length;
  }
}

TEST(DecodeTest, ATemplateIsKeptAsText) {
  Decoder decoder;
  const std::string text =
      R"({"metadata":{"labels":{"a":"b"}}, "spec":{"containers":[{"name":"c","ports":[1.50]}]}})";
  const auto job = decoder.object(
      resourceOf<api::VcJob>(),
      R"({"metadata":{"name":"j","namespace":"a"},"spec":{"minAvailable":0,"tasks":[{"name":"t","template":)" +
          text + R"(,"replicas":3},{"template":null}]}})");
  ASSERT_TRUE(job) << job.error().text();
  const auto& spec = std::get<api::VcJob>(*job).spec;
  EXPECT_EQ(spec.minAvailable, std::nullopt);
  EXPECT_EQ(spec.tasks.at(0).templateJson, text);
  EXPECT_EQ(spec.tasks.at(0).template_.metadata.labels.at("a"), "b");
  EXPECT_EQ(spec.tasks.at(0).replicas, 3);
  EXPECT_EQ(spec.tasks.at(1).templateJson, "");
}

TEST(DecodeTest, AnOperatorsJobIsKeptAsText) {
  Decoder decoder;
  const auto& resource = resourceOf<api::OperatorJobOf<0>>();
  const std::string spec = R"({"replicatedJobs":[{"name":"a","replicas":2.0}], "x":"\u00e9"})";
  const auto job =
      decoder.object(resource, R"({"metadata":{"name":"j","namespace":"a"},"other":[1],"spec":)" + spec +
                                   R"(,"status":null})");
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_EQ(api::operatorJobIn(*job)->spec, spec);
  EXPECT_EQ(api::operatorJobIn(*job)->status, "");
  EXPECT_EQ(api::metadataOf(*job).name, "j");
  EXPECT_FALSE(decoder.object(resource, R"({"metadata":{"name":"j"},"spec":7})"));
}

TEST(DecodeTest, CapabilityInBothSpellings) {
  Decoder decoder;
  for (const char* capability : {R"({"cpu":"4"})", R"({"resource":{"cpu":"4"}})"}) {
    const auto queue = decoder.object(
        resourceOf<api::Queue>(),
        fmt::format(R"({{"metadata":{{"name":"q"}},"spec":{{"capability":{}}}}})", capability));
    ASSERT_TRUE(queue) << queue.error().text();
    EXPECT_EQ(std::get<api::Queue>(*queue).spec.capability, (ResourceList{{"cpu", Quantity::ofInteger(4)}}));
  }
}

TEST(DecodeTest, WatchEvents) {
  Decoder decoder;
  const auto decode = [&](const std::string& line) { return decoder.watchEvent(pods(), line).value(); };
  const auto added = decode(R"({"type":"ADDED","object":)" + podJson("p") + "}");
  EXPECT_EQ(added.type, WatchEventType::Added);
  EXPECT_EQ(api::metadataOf(added.object.value()).uid, "u-p");
  // The order of members is not fixed.
  EXPECT_TRUE(decode(R"({"object":)" + podJson("p") + R"(,"type":"MODIFIED"})").object);
  const auto gone = decode(R"({"type":"DELETED","object":)" + podJson("p", "[]") + "}");
  EXPECT_EQ(gone.metadata.uid, "u-p");
  EXPECT_FALSE(gone.object);
  const auto odd = decode(R"({"type":"MODIFIED","object":)" + podJson("p", "[]") + "}");
  EXPECT_FALSE(odd.object);
  EXPECT_THAT(odd.warning, HasSubstr("spec.priority"));
  EXPECT_EQ(odd.metadata.resourceVersion, "12");
}

TEST(DecodeTest, BookmarksAndErrors) {
  Decoder decoder;
  const auto bookmark = decoder.watchEvent(
      pods(),
      R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"77",)"
      R"("creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null}}})");
  ASSERT_TRUE(bookmark);
  EXPECT_EQ(bookmark->metadata.resourceVersion, "77");
  EXPECT_TRUE(bookmark->initialEventsEnd);
  const auto error = decoder.watchEvent(
      pods(),
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"too old resource version","reason":"Expired","code":410}})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->status.code, 410);
  EXPECT_EQ(error->status.reason, "Expired");
  for (const char* line : {"", "x", "{}", R"({"type":"ADDED"})", R"({"type":"NEW","object":{}})",
                           R"({"type":"ADDED","object":7})"}) {
    EXPECT_FALSE(decoder.watchEvent(pods(), line)) << line;
  }
}

TEST(DecodeTest, StatusWithCauses) {
  Decoder decoder;
  const Status status = decoder.status(
      R"({"kind":"Status","code":422,"reason":"Invalid","message":"m","details":{"name":"p","retryAfterSeconds":2,)"
      R"("causes":[{"reason":"FieldValueInvalid","message":"immutable","field":"metadata.uid"}]}})");
  EXPECT_EQ(status.code, 422);
  EXPECT_EQ(status.retryAfterSeconds, 2);
  EXPECT_THAT(status.causes, ElementsAre(Status::Cause{"FieldValueInvalid", "metadata.uid"}));
  EXPECT_EQ(decoder.status("<html>bad gateway</html>").code, 0);
}

// The same text read by the reader of users' files gives the same object.
TEST(DecodeTest, AgreesWithTheReaderOfFiles) {
  Decoder decoder({.lean = false});
  const std::string yaml = R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: q, uid: u}
spec: {weight: 3, reclaimable: false, guarantee: {resource: {nvidia.com/gpu: "8"}}, deserved: {cpu: 500m}, parent: root}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b, namespace: a}
spec: {minAvailable: 30%, selector: {matchExpressions: [{key: k, operator: In, values: [x, y]}]}}
---
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: h}
spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: n0}}}]}
---
apiVersion: tidegate.dev/v1alpha1
kind: Recall
metadata: {name: r}
spec: {queue: q, deadline: "2026-06-18T20:00:00.250000Z", cost: 1.5, victims: [{gang: a/g, whole: false, lostGpuSeconds: 9}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: a}
spec: {parallelism: 2, suspend: true, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
)";
  const auto loaded = api::readObjects(yaml, "t.yaml");
  ASSERT_TRUE(loaded) << loaded.error().front().text();
  ASSERT_EQ(loaded->objects.size(), 5U);
  for (const api::Object& object : loaded->objects) {
    const auto read = decoder.object(objectResources()[object.index()], api::toJson(object));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, object) << api::toJson(object);
  }
}

// Lines come out the same however the stream was cut.
RC_GTEST_PROP(LineSplitterTest, CutsDoNotMatter, ()) {
  const auto lines = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab{}\" \r"))));
  std::string text;
  std::vector<std::string> expected;
  for (const std::string& line : lines) {
    text += line + "\n";
    if (line.find_first_not_of(" \r") != std::string::npos) expected.push_back(line);
  }
  LineSplitter splitter;
  std::vector<std::string> got;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(rest.size(), 5) + 1);
    RC_ASSERT(splitter.feed(rest.substr(0, length), [&](std::string line) {
      got.push_back(std::move(line));
      return true;
    }));
    rest.remove_prefix(length);
  }
  RC_ASSERT(got == expected);
  RC_ASSERT(splitter.empty());
}

// Bytes changed anywhere: an answer or an error, never a crash (run under sanitizers, too).
RC_GTEST_PROP(DecodeTest, DamagedTextsAreSafe, ()) {
  std::string text = listJson("[" + podJson("p0") + "," + podJson("p1") + "]");
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::elementOf(std::string("{}[],:\"\\x0\n\xff"));
  }
  Decoder decoder;
  const auto list = decoder.list(pods(), text);
  if (list) RC_ASSERT(list->objects.size() <= 8U);
}

}  // namespace
}  // namespace tidegate::kube
