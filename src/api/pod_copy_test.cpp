#include "api/pod_copy.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace tidegate::api {
namespace {

namespace bj = boost::json;

constexpr const char* kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "name": "notebook", "namespace": "research", "uid": "u-1", "resourceVersion": "77", "generation": 3,
    "creationTimestamp": "2026-03-01T10:00:00Z", "deletionTimestamp": "2026-03-01T11:00:00Z",
    "labels": {"user": "ada"}, "finalizers": ["x.dev/y"],
    "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "root", "uid": "o-1"}],
    "managedFields": [{"manager": "kubectl"}],
    "annotations": {"tidegate.dev/recreate": "true", "tidegate.dev/recalled-by": "recall-1", "note": "keep",
                    "scheduling.k8s.io/group-name": "podgroup-u-1"}
  },
  "spec": {
    "nodeName": "gpu-01", "priority": 1000, "priorityClassName": "batch", "preemptionPolicy": "Never",
    "schedulerName": "volcano", "serviceAccountName": "ada", "hostname": "notebook",
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
                {"name": "kube-api-access-x7", "projected": {}}],
    "containers": [{"name": "main", "image": "jupyter",
                    "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "t"}}}],
                    "volumeMounts": [{"name": "data", "mountPath": "/data"},
                                     {"name": "kube-api-access-x7", "mountPath": "/var/run/secrets"}]}],
    "initContainers": [{"name": "wait", "volumeMounts": [{"name": "kube-api-access-x7", "mountPath": "/t"}]}]
  },
  "status": {"phase": "Running"}
})";

SuspendFacts facts() {
  return {.recall = "recall-1",
          .queue = "offline",
          .podGroup = {},
          .podGroupUid = {},
          .annotations = {{"tidegate.dev/suspend", "recall-1"}, {"tidegate.dev/evictions", "2"}}};
}

bj::value keep(std::string_view pod, const SuspendFacts& facts) {
  return bj::parse(suspendedPodJson(pod, facts).value());
}
bj::value remake(const bj::value& record) {
  return bj::parse(remadePodJson(bj::serialize(record)).value());
}

TEST(PodCopy, TheRecordIsNamedAsThePodAndHoldsWhatItIsFor) {
  const bj::value record = keep(kPod, facts());
  EXPECT_EQ(record.at("kind"), "SuspendedPod");
  EXPECT_EQ(record.at_pointer("/metadata"),
            bj::parse(R"({"name": "notebook", "namespace": "research", "annotations":
                          {"tidegate.dev/suspend": "recall-1", "tidegate.dev/evictions": "2"}})"));
  EXPECT_EQ(record.at_pointer("/spec/podUid"), "u-1");
  EXPECT_EQ(record.at_pointer("/spec/queue"), "offline");
  EXPECT_EQ(record.at_pointer("/spec/pod/metadata/creationTimestamp"), "2026-03-01T10:00:00Z");
  EXPECT_FALSE(record.at_pointer("/spec/pod").as_object().contains("status"));
}

TEST(PodCopy, ThePodIsMadeAgainAsItsUserWroteIt) {
  const bj::value pod = remake(keep(kPod, facts()));
  EXPECT_EQ(pod.at_pointer("/metadata"),
            bj::parse(R"({"name": "notebook", "namespace": "research", "labels": {"user": "ada"},
                          "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "root", "uid": "o-1"}],
                          "annotations": {"tidegate.dev/recreate": "true", "note": "keep",
                                          "tidegate.dev/evictions": "2",
                                          "tidegate.dev/submitted-at": "2026-03-01T10:00:00Z"}})"));
  EXPECT_EQ(
      pod.at("spec"),
      bj::parse(R"({"priorityClassName": "batch", "schedulerName": "volcano", "serviceAccountName": "ada",
                          "hostname": "notebook",
                          "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
                          "containers": [{"name": "main", "image": "jupyter",
                            "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "t"}}}],
                            "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
                          "initContainers": [{"name": "wait"}]})"));
}

TEST(PodCopy, ItTakesOverWhatItResumesFrom) {
  SuspendFacts resumed = facts();
  resumed.annotations = {{"tidegate.dev/resumed-at", "2026-03-01T12:00:00Z"},
                         {"tidegate.dev/last-checkpoint", "2026-03-01T10:59:00Z"},
                         {"tidegate.dev/suspended-at", "2026-03-01T11:00:00Z"}};
  const bj::value annotations = remake(keep(kPod, resumed)).at_pointer("/metadata/annotations");
  EXPECT_EQ(annotations.at("tidegate.dev/resumed-at"), "2026-03-01T12:00:00Z");
  EXPECT_EQ(annotations.at("tidegate.dev/last-checkpoint"), "2026-03-01T10:59:00Z");
  EXPECT_FALSE(annotations.as_object().contains("tidegate.dev/suspended-at"));
}

TEST(PodCopy, AgainAndAgainItIsTheSamePodOfTheSameAge) {
  const bj::value first = remake(keep(kPod, facts()));
  bj::value second = first;
  second.at("metadata").as_object()["uid"] = "u-2";
  second.at("metadata").as_object()["creationTimestamp"] = "2026-03-01T13:00:00Z";
  EXPECT_EQ(remake(keep(bj::serialize(second), facts())), first);
}

TEST(PodCopy, APodGroupOfItsUsersIsKeptAndOwnsTheRecord) {
  SuspendFacts gang = facts();
  gang.podGroup = "train";
  gang.podGroupUid = "g-1";
  bj::value pod = bj::parse(kPod);
  pod.at_pointer("/metadata/annotations").as_object()["scheduling.k8s.io/group-name"] = "train";
  const bj::value record = keep(bj::serialize(pod), gang);
  EXPECT_EQ(record.at_pointer("/metadata/ownerReferences/0/uid"), "g-1");
  EXPECT_EQ(record.at_pointer("/spec/podGroup"), "train");
  EXPECT_EQ(remake(record).at_pointer("/metadata/annotations").at("scheduling.k8s.io/group-name"), "train");
}

TEST(PodCopy, WhatIsNoPodIsRefused) {
  EXPECT_FALSE(suspendedPodJson("[]", facts()));
  EXPECT_FALSE(remadePodJson("nonsense"));
  EXPECT_FALSE(remadePodJson(R"({"metadata": {"name": "x"}, "spec": {}})"));
}

}  // namespace
}  // namespace tidegate::api
