// What each plugin gives to pods, exactly, and the objects it makes.
#include "controllers/vcjob_plugins.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/read.hpp"
#include "controllers/vcjob_pods.hpp"

namespace tidegate::vcjob {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

// Tasks "master" (1 replica, with an init container) and "work-er" (2), unless the names say otherwise.
api::VcJob job(const std::string& plugins, const std::string& worker = "worker") {
  const std::string text = fmt::format(
      "{{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {{name: j, namespace: n, uid: u}}, "
      "spec: "
      "{{plugins: {}, tasks: [{{name: master, replicas: 1, template: {{spec: {{initContainers: [{{name: i, "
      "image: i}}], containers: [{{name: m, image: i}}]}}}}}}, {{name: {}, replicas: 2, template: {{spec: "
      "{{containers: [{{name: w, image: i}}]}}}}}}]}}}}",
      plugins, worker);
  return withDefaults(std::get<api::VcJob>(api::readObjects(text, "t")->objects.at(0)));
}
json::object podOf(const api::VcJob& job, std::size_t task, std::int32_t index) {
  return parsedObject(
      makePod({.job = job, .task = task, .index = index}, {.version = 0, .retryCount = 0, .checkpoint = {}})
          .json);
}
std::string at(const json::object& pod, const std::string& pointer) {
  json::error_code error;
  const json::value whole = pod;
  const json::value* value = whole.find_pointer(pointer, error);
  return value == nullptr ? "" : json::serialize(*value);
}
std::string env(const json::object& pod, const std::string& list = "containers") {
  std::string out;
  const json::value* items = pod.at("spec").at(list).at(0).as_object().if_contains("env");
  if (items == nullptr) return out;
  for (const json::value& item : items->as_array()) {
    const json::value* value = item.as_object().if_contains("value");
    out += fmt::format("{}={};", std::string(item.at("name").as_string()),
                       value == nullptr ? "from" : std::string(value->as_string()));
  }
  return out;
}
json::object objectOf(const api::VcJob& job, const std::string& kind) {
  for (const Create& create : pluginObjects(job)) {
    if (create.target.kind == kind) return parsedObject(create.json);
  }
  return {};
}

TEST(VcJobPlugins, Env) {
  EXPECT_EQ(env(podOf(job("{env: []}"), 1, 1)), "VK_TASK_INDEX=1;VC_TASK_INDEX=1;");
  EXPECT_EQ(env(podOf(job("{env: []}"), 0, 0), "initContainers"), "VK_TASK_INDEX=0;VC_TASK_INDEX=0;");
}

TEST(VcJobPlugins, SvcGivesNamesAndHosts) {
  const api::VcJob it = job("{svc: []}", "work-er");
  const json::object pod = podOf(it, 1, 1);
  EXPECT_EQ(at(pod, "/spec/hostname"), R"("j-work-er-1")");
  EXPECT_EQ(at(pod, "/spec/subdomain"), R"("j")");
  EXPECT_EQ(env(pod), "VC_MASTER_HOSTS=from;VC_MASTER_NUM=from;VC_WORK_ER_HOSTS=from;VC_WORK_ER_NUM=from;");
  EXPECT_EQ(
      at(pod, "/spec/containers/0/env/2"),
      R"({"name":"VC_WORK_ER_HOSTS","valueFrom":{"configMapKeyRef":{"name":"j-svc","key":"VC_WORK_ER_HOSTS"}}})");
  EXPECT_EQ(at(pod, "/spec/containers/0/volumeMounts"), R"([{"name":"j-svc","mountPath":"/etc/volcano"}])");
  EXPECT_EQ(at(pod, "/spec/volumes"), R"([{"name":"j-svc","configMap":{"name":"j-svc"}}])");
  EXPECT_EQ(
      text(hostsData(it)),
      R"({"master.host":"j-master-0.j","VC_MASTER_HOSTS":"j-master-0.j","VC_MASTER_NUM":"1",)"
      R"("work_er.host":"j-work-er-0.j\nj-work-er-1.j","VC_WORK_ER_HOSTS":"j-work-er-0.j,j-work-er-1.j",)"
      R"("VC_WORK_ER_NUM":"2"})");
}

TEST(VcJobPlugins, SvcMakesItsObjects) {
  const api::VcJob it = job("{svc: ['--publish-not-ready-addresses=true']}");
  EXPECT_EQ(at(objectOf(it, "Service"), "/spec"),
            R"({"clusterIP":"None","selector":{"volcano.sh/job-name":"j","volcano.sh/job-namespace":"n"},)"
            R"("publishNotReadyAddresses":true})");
  EXPECT_EQ(at(objectOf(it, "Service"), "/metadata/name"), R"("j")");
  const std::string mine = R"({"matchLabels":{"volcano.sh/job-name":"j","volcano.sh/job-namespace":"n"}})";
  EXPECT_EQ(at(objectOf(it, "NetworkPolicy"), "/spec"), R"({"podSelector":)" + mine +
                                                            R"(,"ingress":[{"from":[{"podSelector":)" + mine +
                                                            R"(}]}],"policyTypes":["Ingress"]})");
  EXPECT_TRUE(objectOf(job("{svc: [--disable-network-policy=true]}"), "NetworkPolicy").empty());
  EXPECT_TRUE(objectOf(job("{svc: [--disable-network-policy]}"), "NetworkPolicy").empty());
}

TEST(VcJobPlugins, SshMountsOneKeyPair) {
  const api::VcJob it = job("{ssh: []}");
  const json::object pod = podOf(it, 0, 0);
  EXPECT_EQ(at(pod, "/spec/containers/0/volumeMounts"),
            R"([{"name":"j-ssh","mountPath":"/root/.ssh","subPath":".ssh"}])");
  EXPECT_EQ(
      at(pod, "/spec/volumes/0/secret"),
      R"({"secretName":"j-ssh","items":[{"key":"id_rsa","path":".ssh/id_rsa"},)"
      R"({"key":"id_rsa.pub","path":".ssh/id_rsa.pub"},{"key":"id_rsa.pub","path":".ssh/authorized_keys"},)"
      R"({"key":"config","path":".ssh/config"}],"defaultMode":384})");
  const json::object secret = parsedObject(sshSecret(it, {.privateKey = "P", .publicKey = "Q"}).json);
  EXPECT_EQ(
      at(secret, "/stringData"),
      R"({"id_rsa":"P","id_rsa.pub":"Q","config":"StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n)"
      R"(Host j-master-0\n  HostName j-master-0.j\nHost j-worker-0\n  HostName j-worker-0.j\n)"
      R"(Host j-worker-1\n  HostName j-worker-1.j\n"})");
  EXPECT_EQ(at(podOf(job("{ssh: ['--ssh-key-file-path=/keys/.ssh']}"), 0, 0),
               "/spec/containers/0/volumeMounts/0/mountPath"),
            R"("/keys/.ssh")");
}

TEST(VcJobPlugins, Pytorch) {
  const api::VcJob it = job("{pytorch: ['--master=master', '--worker=worker', '--port=1234']}");
  const std::string same = "MASTER_ADDR=j-master-0.j;MASTER_PORT=1234;WORLD_SIZE=3;";
  EXPECT_THAT(env(podOf(it, 0, 0)), testing::EndsWith(same + "RANK=0;"));
  EXPECT_THAT(env(podOf(it, 1, 1)), testing::EndsWith(same + "RANK=2;"));
  EXPECT_EQ(at(podOf(it, 1, 0), "/spec/containers/0/ports"),
            R"([{"name":"pytorchjob-port","containerPort":1234}])");
  EXPECT_EQ(at(podOf(it, 1, 0), "/spec/subdomain"), R"("j")") << "svc comes with it";
  EXPECT_EQ(at(podOf(it, 1, 0), "/spec/initContainers"), "");
  EXPECT_EQ(at(podOf(job("{pytorch: [--wait-master-enabled]}"), 1, 0), "/spec/initContainers/0/name"),
            R"("wait-for-master")");
}

TEST(VcJobPlugins, Tensorflow) {
  const api::VcJob it = job("{tensorflow: ['--ps=master', --port, '2223']}");
  EXPECT_THAT(env(podOf(it, 1, 1)),
              testing::EndsWith(R"(TF_CONFIG={"cluster":{"ps":["j-master-0.j:2223"],)"
                                R"("worker":["j-worker-0.j:2223","j-worker-1.j:2223"]},)"
                                R"("task":{"type":"worker","index":1}};)"));
}

TEST(VcJobPlugins, Mpi) {
  const api::VcJob it = job("{mpi: []}");
  EXPECT_THAT(env(podOf(it, 0, 0)), testing::EndsWith("MPI_HOST=j-worker-0.j,j-worker-1.j;"));
  EXPECT_THAT(env(podOf(it, 0, 0), "initContainers"),
              testing::EndsWith("MPI_HOST=j-worker-0.j,j-worker-1.j;"));
  EXPECT_THAT(env(podOf(it, 1, 0)), Not(testing::HasSubstr("MPI_HOST")));
  EXPECT_EQ(at(podOf(it, 1, 0), "/spec/containers/0/ports"),
            R"([{"name":"mpijob-port","containerPort":22}])");
  EXPECT_TRUE(it.spec.plugins.contains("ssh"));
  EXPECT_TRUE(it.spec.plugins.contains("svc"));
}

TEST(VcJobPlugins, VolumesAreClaimedAndMounted) {
  api::VcJob it = job("{}");
  it.spec.volumes = {
      {.mountPath = "/data", .volumeClaimName = "mine", .volumeClaim = {}, .volumeClaimJson = {}},
      {.mountPath = "/out",
       .volumeClaimName = {},
       .volumeClaim = {},
       .volumeClaimJson = R"({"accessModes":["ReadWriteOnce"],"x":1})"}};
  const json::object pod = podOf(it, 0, 0);
  EXPECT_EQ(at(pod, "/spec/volumes"),
            R"([{"name":"mine","persistentVolumeClaim":{"claimName":"mine"}},)"
            R"({"name":"j-volume-1","persistentVolumeClaim":{"claimName":"j-volume-1"}}])");
  EXPECT_EQ(at(pod, "/spec/containers/0/volumeMounts"),
            R"([{"name":"mine","mountPath":"/data"},{"name":"j-volume-1","mountPath":"/out"}])");
  const std::vector<Create> claims = volumeClaims(it);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].target.name, "j-volume-1");
  EXPECT_EQ(at(parsedObject(claims[0].json), "/spec"), R"({"accessModes":["ReadWriteOnce"],"x":1})");
}

TEST(VcJobPlugins, MinResourcesCountTasksOfHighPriorityFirst) {
  api::VcJob it = job("{}");
  it.spec.minAvailable = 2;
  it.spec.tasks[0].template_.spec.containers[0].resources.requests["cpu"] = Quantity::ofInteger(1);
  it.spec.tasks[1].template_.spec.containers[0].resources.requests["cpu"] = Quantity::ofInteger(10);
  it.spec.tasks[1].template_.spec.priorityClassName = "high";
  EXPECT_EQ(minResources(it, {}).at("cpu"), Quantity::ofInteger(11));
  EXPECT_EQ(minResources(it, {{"high", 5}}).at("cpu"), Quantity::ofInteger(20));
}

}  // namespace
}  // namespace tidegate::vcjob
