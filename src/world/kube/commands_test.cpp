#include "world/kube/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/kube/commands_fixture.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(CommandsTest, ABindNamesPodUidAndNode) {
  const CommandId id = run(bind("p"));
  EXPECT_EQ(transport.next().method, "POST");
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/pods/p/binding");
  EXPECT_EQ(transport.next().body,
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"a","uid":"u1"},)"
            R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
  transport.answer(201);
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_EQ(done[0].id, id);
  EXPECT_EQ(done[0].outcome, Outcome::Succeeded);
  EXPECT_TRUE(runner->idle());
}

TEST_F(CommandsTest, ARefusedBindLooksAtThePod) {
  const std::pair<const char*, Outcome> cases[] = {
      {R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n1"}})", Outcome::Succeeded},
      {R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n2"}})", Outcome::Rejected},
      {R"({"metadata":{"uid":"u1"},"spec":{}})", Outcome::Conflict},
      {R"({"metadata":{"uid":"u2"},"spec":{"nodeName":"n1"}})", Outcome::Conflict},
  };
  for (const auto& [pod, expected] : cases) {
    run(bind("p"));
    transport.answer(409, kConflict);
    EXPECT_EQ(transport.next().method, "GET");
    EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/pods/p");
    transport.answer(200, pod);
    EXPECT_EQ(outcome(), expected) << pod;
  }
  run(bind("p"));
  transport.answer(409, kConflict);
  transport.answer(404);
  EXPECT_EQ(outcome(), Outcome::NotFound);
}

TEST_F(CommandsTest, AnswersAndOutcomes) {
  const std::pair<int, Outcome> cases[] = {
      {200, Outcome::Succeeded}, {404, Outcome::NotFound}, {409, Outcome::Conflict}, {422, Outcome::Rejected},
      {403, Outcome::Rejected},  {400, Outcome::Rejected}, {500, Outcome::Unknown},  {504, Outcome::Unknown},
      {0, Outcome::Unknown},     {401, Outcome::Unknown}};
  for (const auto& [status, expected] : cases) {
    run(DeletePod{.namespace_ = "a", .name = "p", .uid = "u1"});
    transport.answer(status);
    EXPECT_EQ(outcome(), expected) << status;
    EXPECT_THAT(transport.pending, IsEmpty()) << status;  // never a blind repeat
  }
  run(Patch{.target = ref("Pod", "v1"), .uid = "u1", .annotations = {{"k", "v"}}});
  transport.answer(422, R"({"kind":"Status","code":422,"details":{"causes":[{"field":"metadata.uid"}]}})");
  EXPECT_EQ(outcome(), Outcome::Conflict);
}

TEST_F(CommandsTest, APatchIsOfOwnFieldsWithTheUid) {
  run(Patch{.target = ref("Job", "batch/v1"),
            .uid = "u1",
            .annotations = {{"k", "v"}, {"old", std::nullopt}},
            .labels = {{"l", "w"}},
            .suspend = true,
            .replicas = 3});
  EXPECT_EQ(transport.next().method, "PATCH");
  EXPECT_EQ(transport.next().path, "/apis/batch/v1/namespaces/a/jobs/x");
  EXPECT_EQ(transport.next().contentType, "application/merge-patch+json");
  EXPECT_EQ(transport.next().body,
            R"({"metadata":{"uid":"u1","annotations":{"k":"v","old":null},"labels":{"l":"w"}},)"
            R"("spec":{"parallelism":3,"suspend":true}})");
  transport.answer(200);
  run(Patch{.target = ref("PyTorchJob", "kubeflow.org/v1"), .uid = {}, .suspend = false});
  EXPECT_EQ(transport.next().path, "/apis/kubeflow.org/v1/namespaces/a/pytorchjobs/x");
  EXPECT_EQ(transport.next().body, R"({"metadata":{},"spec":{"runPolicy":{"suspend":false}}})");
  transport.answer(200);
  run(Patch{.target = ref("Deployment", "apps/v1"), .uid = {}, .replicas = 0});
  EXPECT_EQ(transport.next().body, R"({"metadata":{},"spec":{"replicas":0}})");
  transport.answer(200);
  run(Patch{.target = ref("JobSet", "jobset.x-k8s.io/v1alpha2"), .uid = {}, .suspend = true});
  EXPECT_EQ(transport.next().body, R"({"metadata":{},"spec":{"suspend":true}})");
  transport.answer(200);
  loop.settle();
  done.clear();
  run(Patch{.target = ref("Pod", "v1"), .uid = {}, .suspend = true});
  EXPECT_EQ(outcome(), Outcome::Rejected);
  EXPECT_THAT(transport.pending, IsEmpty());
}

TEST_F(CommandsTest, APodsConditionIsMergedByType) {
  const Time at = loop.now();
  run(Patch{.target = ref("Pod", "v1"),
            .uid = "u1",
            .labels = {{"l", "w"}},
            .condition = api::Condition{"PodScheduled", "False", "Unschedulable", "no room", at}});
  transport.answer(200);  // metadata first
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/pods/x/status");
  EXPECT_EQ(transport.next().contentType, "application/strategic-merge-patch+json");
  EXPECT_EQ(transport.next().body,
            R"({"metadata":{"uid":"u1"},"status":{"conditions":[{"type":"PodScheduled","status":"False",)"
            R"("reason":"Unschedulable","message":"no room","lastTransitionTime":")" +
                formatTime(at) + R"("}]}})");
  transport.answer(200);
  EXPECT_EQ(outcome(), Outcome::Succeeded);
}

TEST_F(CommandsTest, AnotherKindsConditionIsReadChangedAndWritten) {
  const Patch patch{.target = ref("PodGroup", "scheduling.volcano.sh/v1beta1"),
                    .uid = "u1",
                    .condition = api::Condition{"Unschedulable", "True", "NotEnough", "m", std::nullopt}};
  run(patch);
  EXPECT_EQ(transport.next().method, "GET");
  const auto live = [](const char* version) {
    return std::string(R"({"metadata":{"uid":"u1","resourceVersion":")") + version +
           R"("},"status":{"conditions":[{"type":"Scheduled","status":"False","transitionID":"t"},)"
           R"({"type":"Unschedulable","status":"True","reason":"old","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
  };
  transport.answer(200, live("7"));
  EXPECT_EQ(transport.next().path, "/apis/scheduling.volcano.sh/v1beta1/namespaces/a/podgroups/x")
      << "its status is no subresource";
  EXPECT_EQ(
      transport.next().body,
      R"({"metadata":{"uid":"u1","resourceVersion":"7"},"status":{"conditions":[)"
      R"({"type":"Scheduled","status":"False","transitionID":"t"},{"type":"Unschedulable","status":"True",)"
      R"("reason":"NotEnough","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  transport.answer(409, kConflict);
  EXPECT_EQ(transport.next().method, "GET");  // all over again
  transport.answer(200, live("8"));
  EXPECT_THAT(transport.next().body, HasSubstr(R"("resourceVersion":"8")"));
  transport.answer(200);
  EXPECT_EQ(outcome(), Outcome::Succeeded);

  run(patch);  // stands there already
  transport.answer(200, R"({"metadata":{"uid":"u1"},"status":{"conditions":[)"
                        R"({"type":"Unschedulable","status":"True","reason":"NotEnough","message":"m"}]}})");
  EXPECT_EQ(outcome(), Outcome::Succeeded);
  run(patch);
  transport.answer(200, R"({"metadata":{"uid":"other"}})");
  EXPECT_EQ(outcome(), Outcome::Conflict);
}

TEST_F(CommandsTest, PodsAreDeletedByUidWithTheirGrace) {
  run(DeletePod{.namespace_ = "a", .name = "p", .uid = "u1", .graceSeconds = 7});
  EXPECT_EQ(transport.next().method, "DELETE");
  EXPECT_EQ(
      transport.next().body,
      R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":7,"preconditions":{"uid":"u1"}})");
  transport.answer(200);
  run(DeletePod{.namespace_ = "a", .name = "p", .uid = "u1", .graceSeconds = 7, .viaEviction = true});
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/pods/p/eviction");
  EXPECT_EQ(transport.next().body,
            R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p","namespace":"a"},)"
            R"("deleteOptions":{"gracePeriodSeconds":7,"preconditions":{"uid":"u1"}}})");
  transport.answer(
      429,
      R"({"kind":"Status","code":429,"message":"budget","details":{"causes":[{"reason":"DisruptionBudget"}]}})");
  EXPECT_EQ(outcome(), Outcome::Rejected);
}

constexpr const char* kBarePod =
    R"({"metadata":{"name":"p","namespace":"a","uid":"u1","creationTimestamp":"2026-03-01T10:00:00Z"},)"
    R"("spec":{"nodeName":"n1","volumes":[{"name":"v","emptyDir":{}}]},"status":{"phase":"Running"}})";

TEST_F(CommandsTest, APodIsStoredAsItIsNow) {
  StorePod store{.namespace_ = "a", .name = "p", .uid = "u1", .facts = {}};
  store.facts.recall = "recall-1";
  run(store);
  EXPECT_EQ(transport.next().method, "GET");
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/pods/p");
  transport.answer(200, kBarePod);
  EXPECT_EQ(transport.next().method, "POST");
  EXPECT_EQ(transport.next().path, "/apis/tidegate.dev/v1alpha1/namespaces/a/suspendedpods");
  EXPECT_THAT(transport.next().body, HasSubstr(R"("volumes":[{"name":"v","emptyDir":{}}])"));
  EXPECT_THAT(transport.next().body, testing::Not(HasSubstr("nodeName")));
  transport.answer(409, kConflict);
  EXPECT_EQ(outcome(), Outcome::Conflict);
}

TEST_F(CommandsTest, AnotherPodOfThatNameIsNotStored) {
  run(StorePod{.namespace_ = "a", .name = "p", .uid = "older", .facts = {}});
  transport.answer(200, kBarePod);
  EXPECT_EQ(outcome(), Outcome::NotFound);
  EXPECT_THAT(transport.pending, IsEmpty());
}

TEST_F(CommandsTest, ItsDeletionGoesAfterItIsStored) {
  run(StorePod{.namespace_ = "a", .name = "p", .uid = "u1", .facts = {}});
  run(DeletePod{.namespace_ = "a", .name = "p", .uid = "u1"});
  transport.answer(200, kBarePod);
  EXPECT_EQ(transport.next().method, "POST");
  transport.answer(201);
  loop.settle();
  EXPECT_EQ(transport.next().method, "DELETE");
}

TEST_F(CommandsTest, APodIsMadeFromWhatIsStored) {
  const RemakePod remake{.namespace_ = "a", .name = "p", .uid = "r1"};
  run(remake);
  EXPECT_EQ(transport.next().path, "/apis/tidegate.dev/v1alpha1/namespaces/a/suspendedpods/p");
  transport.answer(200, R"({"metadata":{"name":"p","namespace":"a","uid":"r1"},"spec":{"podUid":"u1","pod":)"
                        R"({"metadata":{"labels":{"l":"x"}},"spec":{"hostname":"h"}}}})");
  EXPECT_EQ(transport.next().method, "POST");
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/pods");
  EXPECT_EQ(transport.next().body,
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"l":"x"},"name":"p","namespace":"a",)"
            R"("annotations":{}},"spec":{"hostname":"h"}})");
  transport.answer(201);
  EXPECT_EQ(outcome(), Outcome::Succeeded);
  run(remake);
  transport.answer(404);
  EXPECT_EQ(outcome(), Outcome::NotFound) << "its user has deleted what was stored";
  run(remake);
  transport.answer(200, R"({"metadata":{"name":"p","namespace":"a","uid":"r2"},"spec":{}})");
  EXPECT_EQ(outcome(), Outcome::NotFound) << "another one's";
}

TEST_F(CommandsTest, RecordsAreCreatedReplacedAndDeleted) {
  api::Recall recall;
  recall.metadata.name = "r1";
  run(WriteRecall{recall});
  EXPECT_EQ(transport.next().method, "POST");
  EXPECT_EQ(transport.next().path, "/apis/tidegate.dev/v1alpha1/recalls");
  transport.answer(409, R"({"kind":"Status","code":409,"reason":"AlreadyExists"})");
  EXPECT_EQ(outcome(), Outcome::Conflict);
  recall.metadata.resourceVersion = "5";
  run(WriteRecall{recall});
  EXPECT_EQ(transport.next().method, "PUT");
  EXPECT_EQ(transport.next().path, "/apis/tidegate.dev/v1alpha1/recalls/r1");
  EXPECT_THAT(transport.next().body, HasSubstr(R"("resourceVersion":"5")"));
  transport.answer(200);
  run(DeleteRecall{"r1"});
  EXPECT_EQ(transport.next().method, "DELETE");
  transport.answer(200);
  EXPECT_EQ(outcome(), Outcome::Succeeded);
}

TEST_F(CommandsTest, AnyKindIsCreatedMergedAndDeleted) {
  run(Create{ref("Secret", "v1"), R"({"kind":"Secret"})"});
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/secrets");
  EXPECT_EQ(transport.next().body, R"({"kind":"Secret"})");
  transport.answer(201);
  run(Merge{ref("ConfigMap", "v1"), "u1", R"({"data":{"a":"b"}})"});
  EXPECT_EQ(transport.next().body, R"({"data":{"a":"b"},"metadata":{"uid":"u1"}})");
  transport.answer(200);
  run(Delete{ref("Secret", "v1"), "u1"});
  EXPECT_EQ(transport.next().body,
            R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background",)"
            R"("preconditions":{"uid":"u1"}})");
  transport.answer(200);
  EXPECT_EQ(outcome(), Outcome::Succeeded);
  run(Create{ref("Secret", ""), "{}"});
  EXPECT_EQ(outcome(), Outcome::Rejected);
}

TEST_F(CommandsTest, AStatusIsWrittenWithAVersionInAnyCase) {
  WriteStatus write{ref("Job", "batch.volcano.sh/v1alpha1"), "u1", "9", R"({"running":3})"};
  run(write);
  EXPECT_EQ(transport.next().path, "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs/x/status");
  EXPECT_EQ(transport.next().body,
            R"({"metadata":{"uid":"u1","resourceVersion":"9"},"status":{"running":3}})");
  transport.answer(409, kConflict);
  EXPECT_EQ(outcome(), Outcome::Conflict);  // the caller's version: it has to look
  write.resourceVersion.clear();
  run(write);
  transport.answer(200, R"({"metadata":{"uid":"u1","resourceVersion":"12"}})");
  EXPECT_THAT(transport.next().body, HasSubstr(R"("resourceVersion":"12")"));
  transport.answer(200);
  EXPECT_EQ(outcome(), Outcome::Succeeded);
  run(write);
  transport.answer(200, R"({"metadata":{"uid":"u2","resourceVersion":"12"}})");
  EXPECT_EQ(outcome(), Outcome::Conflict);
}

TEST_F(CommandsTest, ASignalGoesToThePodsAddress) {
  const Signal signal{"a", "p", "u1", "8080", "/save", "r1", loop.now() + seconds(9)};
  run(signal);
  transport.answer(200, R"({"metadata":{"uid":"u1"},"status":{"podIP":"fd00::7"}})");
  ASSERT_THAT(signals.sent, SizeIs(1));
  EXPECT_EQ(signals.sent[0].first.url, "http://[fd00::7]:8080/save");
  EXPECT_EQ(signals.sent[0].first.timeout, seconds(9));
  EXPECT_THAT(signals.sent[0].first.body, HasSubstr(R"("recall":"r1")"));
  // Nothing waits for the checkpoint: not the queue, not the next command on the pod.
  EXPECT_EQ(runner->metrics().inFlight, 0U);
  run(DeletePod{.namespace_ = "a", .name = "p", .uid = "u1"});
  transport.answer(200);
  EXPECT_EQ(outcome(), Outcome::Succeeded);
  signals.sent[0].second({.status = 204, .body = {}, .headers = {}, .error = {}});
  EXPECT_EQ(outcome(), Outcome::Succeeded);
}

TEST_F(CommandsTest, SignalsThatReachNobody) {
  const Signal signal{"a", "p", "u1", "8080", "/save", "r1", loop.now()};
  run(signal);
  transport.answer(200, R"({"metadata":{"uid":"u2"}})");
  EXPECT_EQ(outcome(), Outcome::NotFound);
  run(signal);
  transport.answer(200, R"({"metadata":{"uid":"u1"},"status":{}})");
  EXPECT_EQ(outcome(), Outcome::Rejected);
  const std::pair<HttpResponse, Outcome> cases[] = {
      {{.status = 0, .body = {}, .headers = {}, .error = "Connection refused"}, Outcome::Rejected},
      {{.status = 0, .body = {}, .headers = {}, .error = "timed out"}, Outcome::Unknown},
      {{.status = 500, .body = {}, .headers = {}, .error = {}}, Outcome::Rejected}};
  for (const auto& [answer, expected] : cases) {
    run(signal);
    transport.answer(200, R"({"metadata":{"uid":"u1"},"status":{"podIP":"10.0.0.1"}})");
    signals.sent.back().second(answer);
    EXPECT_EQ(outcome(), expected) << answer.error;
  }
}

}  // namespace
}  // namespace tidegate::kube
