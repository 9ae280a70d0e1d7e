// Each rule with its source: AC = sig-architecture's api-conventions.md, CO = "Kubernetes API Concepts", EV =
// "API-initiated Eviction", SSA = "Server-Side Apply", REG = k8s.io/apiserver pkg/registry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/rest/rest_support.hpp"

namespace tidegate::rest::test {
namespace {

using testing::HasSubstr;

const std::string kPodJson =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"main"}]}})";
const std::string kGroups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
const std::string kGroupJson =
    R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"g"},"spec":{"minMember":2}})";
const std::string kLeases = "/apis/coordination.k8s.io/v1/namespaces/ha/leases";
const std::string kLeaseJson =
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"holderIdentity":"a","odd":[1]}})";

struct Rule {
  std::string rule;
  std::string method;
  std::string path;
  std::string body;
  int code;
  std::string reason;  // of a failure
  std::string type = "application/json";
};

// Asked of a server that has pod "web", PodGroup "g" and Lease "l".
const std::vector<Rule> kRules = {
    {"CO: an unknown resource is 404", "GET", "/apis/none/v1/things", "", 404, "NotFound"},
    {"CO: a name that is not there is 404", "GET", kPods + "/none", "", 404, "NotFound"},
    {"CO: a cluster-scoped kind has no namespace", "GET", "/api/v1/namespaces/x/nodes", "", 404, "NotFound"},
    {"AC: a taken name is 409 AlreadyExists", "POST", kPods, kPodJson, 409, "AlreadyExists"},
    {"AC: taken, of a kind kept as document", "POST", kLeases, kLeaseJson, 409, "AlreadyExists"},
    {"AC: neither name nor generateName is 422", "POST", kPods,
     R"({"apiVersion":"v1","kind":"Pod","metadata":{}})", 422, "Invalid"},
    {"AC: another namespace than the path's is 400", "POST", kPods,
     R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","namespace":"other"}})", 400, "BadRequest"},
    {"AC: no JSON is 400", "POST", kPods, "{", 400, "BadRequest"},
    {"REG: resourceVersion on create is refused", "POST", kPods,
     R"({"metadata":{"name":"x","resourceVersion":"1"}})", 400, "BadRequest"},
    {"REG: an unknown PriorityClass is 403", "POST", kPods,
     R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"priorityClassName":"none"}})", 403,
     "Forbidden"},
    {"AC: PUT of an older resourceVersion is 409 Conflict", "PUT", kPods + "/web",
     R"({"metadata":{"name":"web","resourceVersion":"999999"}})", 409, "Conflict"},
    {"AC: PUT of another uid is 409", "PUT", kPods + "/web", R"({"metadata":{"name":"web","uid":"other"}})",
     409, "Conflict"},
    {"REG: PUT of a custom resource wants its resourceVersion", "PUT", kGroups + "/g", kGroupJson, 422,
     "Invalid"},
    {"REG: so does a Lease", "PUT", kLeases + "/l", kLeaseJson, 422, "Invalid"},
    {"AC: PUT to what is not there is 404", "PUT", kPods + "/none", R"({"metadata":{"name":"none"}})", 404,
     "NotFound"},
    {"AC: the name in the body is that of the path", "PUT", kPods + "/web", R"({"metadata":{"name":"x"}})",
     400, "BadRequest"},
    {"AC: a patch that names an older resourceVersion is 409", "PATCH", kPods + "/web",
     R"({"metadata":{"resourceVersion":"999999"}})", 409, "Conflict", kMergePatch},
    {"REG: a patch that names another uid is 422, metadata.uid being immutable", "PATCH", kPods + "/web",
     R"({"metadata":{"uid":"other"}})", 422, "Invalid", kMergePatch},
    {"CO: custom resources take no strategic merge patch", "PATCH", kGroups + "/g", "{}", 415,
     "UnsupportedMediaType", kStrategicPatch},
    {"CO: a patch has a patch's media type", "PATCH", kPods + "/web", "{}", 415, "UnsupportedMediaType"},
    {"SSA: fieldManager is required", "PATCH", kPods + "/web", R"({"apiVersion":"v1","kind":"Pod"})", 422,
     "Invalid", kApplyPatch},
    {"SSA: a uid named for what is not there is 409", "PATCH", kPods + "/none?fieldManager=t",
     R"({"apiVersion":"v1","kind":"Pod","metadata":{"uid":"u"}})", 409, "Conflict", kApplyPatch},
    {"SSA: the body says what it is", "PATCH", kPods + "/web?fieldManager=t", "{}", 400, "BadRequest",
     kApplyPatch},
    {"REG: a body of another kind is 400", "POST", kPods, kGroupJson, 400, "BadRequest"},
    {"REG: a custom resource says its kind", "POST", kGroups, R"({"metadata":{"name":"x"}})", 400,
     "BadRequest"},
    {"AC: a merge patch creates nothing", "PATCH", kPods + "/none", "{}", 404, "NotFound", kMergePatch},
    {"REG: nodeName is for bindings only", "PATCH", kPods + "/web", R"({"spec":{"nodeName":"n"}})", 422,
     "Invalid", kMergePatch},
    {"AC: DELETE with another uid is 409", "DELETE", kPods + "/web", R"({"preconditions":{"uid":"other"}})",
     409, "Conflict"},
    {"AC: DELETE with an older resourceVersion is 409", "DELETE", kLeases + "/l",
     R"({"preconditions":{"resourceVersion":"999999"}})", 409, "Conflict"},
    {"AC: DELETE of what is not there is 404", "DELETE", kPods + "/none", "", 404, "NotFound"},
    {"REG: a Binding names a node", "POST", kPods + "/web/binding", R"({"target":{}})", 422, "Invalid"},
    {"REG: a Binding with another uid is 409", "POST", kPods + "/web/binding",
     R"({"metadata":{"uid":"other"},"target":{"name":"n"}})", 409, "Conflict"},
    {"EV: the name is the path's", "POST", kPods + "/web/eviction", R"({"metadata":{"name":"x"}})", 400,
     "BadRequest"},
    {"EV: preconditions hold", "POST", kPods + "/web/eviction",
     R"({"metadata":{"name":"web"},"deleteOptions":{"preconditions":{"uid":"other"}}})", 409, "Conflict"},
    {"AC: kinds without status have no such subresource", "PATCH", kLeases + "/l/status", "{}", 404,
     "NotFound", kMergePatch},
    {"CO: labelSelector is not served, not ignored", "GET", kPods + "?labelSelector=a", "", 400,
     "BadRequest"},
    {"CO: unknown field labels are 400", "GET", kPods + "?fieldSelector=spec.x%3Dy", "", 400, "BadRequest"},
    {"CO: a broken continue token is 400", "GET", kPods + "?continue=x", "", 400, "BadRequest"},
    {"CO: a token of an unknown list is 410 Expired", "GET", kPods + "?continue=99.5", "", 410, "Expired"},
    {"CO: a resourceVersion of the future is 504", "GET", kPods + "?resourceVersion=999999", "", 504,
     "Timeout"},
    {"AC: what a resource cannot do is 405", "POST", kPods + "/web", "{}", 405, "MethodNotAllowed"},
};

class Rules : public testing::TestWithParam<std::size_t> {};

TEST_P(Rules, Holds) {
  const Rule& rule = kRules[GetParam()];
  SCOPED_TRACE(rule.rule);
  Bench bench;
  ASSERT_EQ(bench.call("POST", kPods, kPodJson).status, 201);
  ASSERT_EQ(bench.call("POST", kGroups, kGroupJson).status, 201);
  ASSERT_EQ(bench.call("POST", kLeases, kLeaseJson).status, 201);
  const std::string before = bench.version();
  const kube::HttpResponse response = bench.call(rule.method, rule.path, rule.body, rule.type);
  EXPECT_EQ(response.status, rule.code) << response.body;
  EXPECT_EQ(at(response, "kind"), "Status");
  EXPECT_EQ(at(response, "status"), "Failure");
  EXPECT_EQ(at(response, "reason"), rule.reason);
  EXPECT_EQ(at(response, "code"), std::to_string(rule.code));
  EXPECT_NE(at(response, "message"), "");
  EXPECT_EQ(bench.version(), before) << "a refusal writes nothing";
}

INSTANTIATE_TEST_SUITE_P(RestServer, Rules, testing::Range<std::size_t>(0, kRules.size()));

TEST(RestServer, CreatesReadsReplacesAndDeletesDocuments) {
  Bench bench;
  const auto created = bench.call("POST", kLeases, kLeaseJson);
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(at(created, "metadata.namespace"), "ha");
  EXPECT_NE(at(created, "metadata.uid"), "");
  EXPECT_EQ(at(created, "spec.odd"), "[1]");  // what no struct knows is kept
  EXPECT_EQ(bench.get(kLeases + "/l").body, created.body);

  std::string renewed = created.body;
  renewed.replace(renewed.find("\"a\""), 3, "\"b\"");
  const auto replaced = bench.call("PUT", kLeases + "/l", renewed);
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(at(replaced, "spec.holderIdentity"), "b");
  EXPECT_EQ(at(replaced, "metadata.uid"), at(created, "metadata.uid"));
  EXPECT_GT(std::stoi(at(replaced, "metadata.resourceVersion")),
            std::stoi(at(created, "metadata.resourceVersion")));
  EXPECT_EQ(bench.call("PUT", kLeases + "/l", renewed).status, 409) << "two candidates, one leader";

  const auto gone = bench.call("DELETE", kLeases + "/l");
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(at(gone, "status"), "Success");
  EXPECT_EQ(at(gone, "details.uid"), at(created, "metadata.uid"));
  EXPECT_EQ(bench.get(kLeases + "/l").status, 404);
}

TEST(RestServer, CompletesGeneratedNames) {
  Bench bench;
  const std::string event =
      R"({"apiVersion":"v1","kind":"Event","metadata":{"generateName":"web."},"reason":"Recalled"})";
  const auto first = bench.call("POST", "/api/v1/namespaces/default/events", event);
  const auto second = bench.call("POST", "/api/v1/namespaces/default/events", event);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(at(first, "metadata.name").size(), 9u);
  EXPECT_NE(at(first, "metadata.name"), at(second, "metadata.name"));
}

// AC: "status" is written through its subresource only, and that writes nothing else.
TEST(RestServer, KeepsSpecAndStatusApart) {
  Bench bench;
  const std::string jobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
  bench.call("POST", jobs,
             R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"j"}})");
  const std::string both = R"({"spec":{"ttlSecondsAfterFinished":5},"status":{"running":3}})";
  const auto main = bench.call("PATCH", jobs + "/j", both, kMergePatch);
  EXPECT_EQ(at(main, "spec.ttlSecondsAfterFinished"), "5") << main.body;
  EXPECT_NE(at(main, "status.running"), "3");
  const std::string other = R"({"spec":{"ttlSecondsAfterFinished":7},"status":{"running":3}})";
  const auto status = bench.call("PATCH", jobs + "/j/status", other, kMergePatch);
  EXPECT_EQ(status.status, 200);
  EXPECT_EQ(at(status, "spec.ttlSecondsAfterFinished"), "5");
  EXPECT_EQ(at(status, "status.running"), "3");
  EXPECT_EQ(bench.get(jobs + "/j/status").body, status.body);
}

// Volcano's PodGroup has no status subresource: its status is written with it, and there is no other path.
TEST(RestServer, WritesAPodGroupAndItsStatusTogether) {
  Bench bench;
  bench.call("POST", kGroups, kGroupJson);
  const std::string both = R"({"spec":{"minMember":5},"status":{"phase":"Running"}})";
  const auto main = bench.call("PATCH", kGroups + "/g", both, kMergePatch);
  EXPECT_EQ(at(main, "spec.minMember"), "5");
  EXPECT_EQ(at(main, "status.phase"), "Running");
  EXPECT_EQ(bench.call("PATCH", kGroups + "/g/status", both, kMergePatch).status, 404);
  EXPECT_EQ(bench.get(kGroups + "/g/status").status, 404);
}

// CO: a strategic merge patch merges conditions by type; a merge patch replaces the list.
TEST(RestServer, MergesListsByTheirKeyOnlyInStrategicPatches) {
  Bench bench;
  bench.call("POST", kPods, kPodJson);
  const auto patch = [&](const std::string& type, const std::string& condition) {
    return bench.call("PATCH", kPods + "/web/status", R"({"status":{"conditions":[)" + condition + "]}}",
                      type);
  };
  patch(kStrategicPatch, R"({"type":"A","status":"True"})");
  patch(kStrategicPatch, R"({"type":"B","status":"True"})");
  auto result = patch(kStrategicPatch, R"({"type":"A","status":"False"})");
  EXPECT_EQ(at(result, "status.conditions.0.status"), "False");
  EXPECT_EQ(at(result, "status.conditions.1.type"), "B");
  result = patch(kStrategicPatch, R"({"type":"A","$patch":"delete"})");
  EXPECT_EQ(at(result, "status.conditions.0.type"), "B");
  result = patch(kMergePatch, R"({"type":"C","status":"True"})");
  EXPECT_EQ(at(result, "status.conditions.0.type"), "C");
  EXPECT_EQ(at(result, "status.conditions.1"), "");
}

// One object by itself is enough: what it names may not be there yet.
TEST(RestServer, TakesAQueueWhoseParentIsNotThere) {
  Bench bench;
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  const std::string queue =
      R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"},"spec":{"parent":"p"}})";
  EXPECT_EQ(bench.call("POST", queues, queue).status, 201);
  const auto status = bench.call("PATCH", queues + "/q/status", R"({"status":{"running":3}})", kMergePatch);
  EXPECT_EQ(at(status, "status.running"), "3") << status.body;
  EXPECT_EQ(at(status, "spec.parent"), "p");
}

// RFC 7386: null removes.
TEST(RestServer, MergePatchRemovesWithNull) {
  Bench bench;
  bench.call("POST", kPods, kPodJson);
  bench.call("PATCH", kPods + "/web", R"({"metadata":{"labels":{"a":"1","b":"2"}}})", kMergePatch);
  const auto result =
      bench.call("PATCH", kPods + "/web", R"({"metadata":{"labels":{"a":null}}})", kMergePatch);
  EXPECT_EQ(at(result, "metadata.labels"), R"({"b":"2"})");
}

TEST(RestServer, AppliesToWhatIsNotThereByCreatingIt) {
  Bench bench;
  const std::string path = kGroups + "/g?fieldManager=t";
  EXPECT_EQ(bench.call("PATCH", path, kGroupJson, kApplyPatch).status, 201);
  const std::string type = R"("apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup")";
  const auto again = bench.call("PATCH", path, "{" + type + R"(,"spec":{"queue":"q"}})", kApplyPatch);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(at(again, "spec.minMember"), "2");
  EXPECT_EQ(at(again, "spec.queue"), "q");
}

TEST(RestServer, BindsOnce) {
  Bench bench;
  bench.call("POST", kPods, kPodJson);
  const std::string binding = R"({"apiVersion":"v1","kind":"Binding","target":{"kind":"Node","name":"n1"}})";
  EXPECT_EQ(bench.call("POST", kPods + "/web/binding", binding).status, 201);
  EXPECT_EQ(at(bench.get(kPods + "/web"), "spec.nodeName"), "n1");
  const auto again = bench.call("POST", kPods + "/web/binding", binding);
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.body, HasSubstr("already assigned to node n1"));
}

// A pod that runs stays until its kubelet confirms; grace 0 forces.
TEST(RestServer, DeletesGracefully) {
  Bench bench;
  bench.call("POST", kPods, kPodJson);
  bench.call("POST", kPods + "/web/binding", R"({"target":{"name":"n1"}})");
  const auto asked = bench.call("DELETE", kPods + "/web", R"({"gracePeriodSeconds":7})");
  EXPECT_EQ(asked.status, 200);
  EXPECT_EQ(at(asked, "kind"), "Pod");
  EXPECT_EQ(at(asked, "metadata.deletionGracePeriodSeconds"), "7");
  EXPECT_NE(at(asked, "metadata.deletionTimestamp"), "");
  const auto forced = bench.call("DELETE", kPods + "/web?gracePeriodSeconds=0");
  EXPECT_EQ(at(forced, "status"), "Success");
  EXPECT_EQ(bench.get(kPods + "/web").status, 404);
}

// EV: 429 with a cause, and no Retry-After: nobody knows when the budget allows it again.
TEST(RestServer, EvictsOnlyAsBudgetsAllow) {
  Bench bench;
  api::Pod pod = sim::test::pod("web");
  pod.metadata.labels["app"] = "web";
  pod.status.phase = "Running";
  pod.status.conditions = {
      {.type = "Ready", .status = "True", .reason = {}, .message = {}, .lastTransitionTime = {}}};
  bench.api.create(pod);
  api::PodDisruptionBudget budget;
  budget.metadata.name = "b";
  budget.metadata.namespace_ = "default";
  budget.spec.minAvailable = {.value = 1};
  budget.spec.selector.matchLabels["app"] = "web";
  bench.api.create(budget);
  const std::string eviction = R"({"metadata":{"name":"web"},"deleteOptions":{"gracePeriodSeconds":5}})";
  const auto refused = bench.call("POST", kPods + "/web/eviction", eviction);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(at(refused, "details.causes.0.reason"), "DisruptionBudget");
  EXPECT_FALSE(refused.headers.contains("retry-after"));
  bench.call("DELETE", "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b");
  EXPECT_EQ(bench.call("POST", kPods + "/web/eviction", eviction).status, 201);
  EXPECT_EQ(bench.get(kPods + "/web").status, 404) << "it was not bound: nobody to wait for";
}

TEST(RestServer, ScalesDeployments) {
  Bench bench;
  bench.api.create(sim::test::deployment("d", 3, sim::test::podTemplate(1)));
  const std::string scale = "/apis/apps/v1/namespaces/default/deployments/d/scale";
  EXPECT_EQ(at(bench.get(scale), "spec.replicas"), "3");
  const auto written = bench.call("PATCH", scale, R"({"spec":{"replicas":0}})", kMergePatch);
  EXPECT_EQ(at(written, "kind"), "Scale");
  EXPECT_EQ(at(written, "spec.replicas"), "0");
  EXPECT_EQ(at(bench.get("/apis/apps/v1/namespaces/default/deployments/d"), "spec.replicas"), "0");
  EXPECT_EQ(bench.call("PUT", scale, R"({"metadata":{"resourceVersion":"1"},"spec":{"replicas":1}})").status,
            409);
}

// REG: an object whose last finalizer goes is removed by that write.
TEST(RestServer, WaitsForFinalizers) {
  Bench bench;
  bench.call(
      "POST", kLeases,
      R"({"metadata":{"name":"l","finalizers":["a/b"]},"kind":"Lease","apiVersion":"coordination.k8s.io/v1"})");
  EXPECT_NE(at(bench.call("DELETE", kLeases + "/l"), "metadata.deletionTimestamp"), "");
  EXPECT_EQ(bench.get(kLeases + "/l").status, 200);
  EXPECT_EQ(bench.call("PATCH", kLeases + "/l", R"({"metadata":{"finalizers":[]}})", kMergePatch).status,
            200);
  EXPECT_EQ(bench.get(kLeases + "/l").status, 404);
}

TEST(RestServer, TellsWhichKindsThereAre) {
  Bench bench;
  RestServer without(bench.clock, bench.api, {.absent = {"podgroups.scheduling.volcano.sh"}});
  const std::string groups = "/apis/scheduling.volcano.sh/v1beta1/podgroups";
  EXPECT_EQ(bench.get(groups).status, 200);
  EXPECT_EQ(without.answer({.method = "GET", .path = groups, .body = {}}).status, 404);
  EXPECT_THAT(bench.get("/apis/scheduling.volcano.sh/v1beta1").body, HasSubstr("podgroups"));
  EXPECT_EQ(bench.get("/apis/none/v1").status, 404);
  EXPECT_EQ(bench.get("/readyz").body, "ok");
}

}  // namespace
}  // namespace tidegate::rest::test
