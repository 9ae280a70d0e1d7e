"""The real node: a process of its own, its signals and its hooks, as the kubelet and containerd give them."""

import os
import urllib.request
from types import SimpleNamespace

import pytest

from tests.e2e.kubelet import RealNode
from tests.e2e.nodes import phase
from tests.e2e.processes import poll

TRAIN = """#!/bin/sh
# Counts steps; saves when asked by the hook; says so when it is told to end.
trap 'echo "term at $(cat /state/step)" >>/state/log; exit 0' TERM
step=0
echo started | tee -a /state/log
httpd -p 8080 -h /state
while true; do
  step=$((step + 1))
  echo $step >/state/step.new && mv /state/step.new /state/step
  sleep 0.1
done
"""
SAVE = """#!/bin/sh
cp /state/step /state/saved
echo "saved" >>/state/log
"""


@pytest.fixture
def state(tmp_path):
    """The folder a pod keeps its files in, on this machine."""
    return tmp_path


def train_pod(image, state, gpus=8):
    amounts = {"cpu": "100m", "memory": "32Mi"}
    hook = {"preStop": {"exec": {"command": ["/bin/save.sh"]}}}
    container = {
        "name": "train",
        "image": image,
        "imagePullPolicy": "Never",
        "command": ["/bin/train.sh"],
        "lifecycle": hook,
        "resources": {"requests": {**amounts, "nvidia.com/gpu": str(gpus)}, "limits": {"nvidia.com/gpu": str(gpus)}},
        "volumeMounts": [{"name": "state", "mountPath": "/state"}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {
            "schedulerName": "nobody",
            "terminationGracePeriodSeconds": 30,
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "containers": [container],
            "volumes": [{"name": "state", "hostPath": {"path": str(state)}}],
        },
    }


def test_a_pod_runs_its_hook_and_gets_term_before_it_goes(kubelet_node, state):
    api = kubelet_node.cluster.api
    image = kubelet_node.load_image("train", files={"/bin/train.sh": TRAIN, "/bin/save.sh": SAVE})
    with kubelet_node.cluster.watch("pods", "default") as pods:
        api.create(train_pod(image, state))
        api.bind("train", kubelet_node.name)
        pods.until(lambda w: phase(w, "default/train") == "Running", 60, "the pod to run")
        poll((state / "step").exists, 10, "the first step")
        assert "started" in kubelet_node.cluster.kubectl("logs", "train")
        address = pods.get("default/train", "status", "podIP")
        with urllib.request.urlopen(f"http://{address}:8080/step", timeout=5) as answer:
            assert int(answer.read()) > 0
        api.delete("pods", "train", "default")
        pods.until(lambda w: phase(w, "default/train") == "Gone", 25, "the pod to go before its grace is over")
        ended = pods.history("default/train")[-1].object
    log = (state / "log").read_text().splitlines()
    assert log[:2] == ["started", "saved"]
    assert log[2].startswith("term at ")
    assert int((state / "saved").read_text()) <= int((state / "step").read_text())
    assert ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 0


def test_the_node_offers_its_gpus_and_no_more(kubelet_node, state):
    cluster = kubelet_node.cluster
    node = cluster.api.get("nodes", kubelet_node.name)
    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "8"
    image = kubelet_node.load_image("idle")
    with cluster.watch("pods", "default") as pods:
        too_many = train_pod(image, state, gpus=9)
        too_many["metadata"]["name"] = "greedy"
        cluster.api.create(too_many)
        cluster.api.bind("greedy", kubelet_node.name)
        pods.until(lambda w: phase(w, "default/greedy") == "Failed", 30, "the kubelet to refuse the pod")
        assert "OutOf" in pods.items["default/greedy"]["status"]["reason"]
        cluster.api.delete("pods", "greedy", "default", grace=0)


def test_a_machine_that_cannot_run_one_fails_and_says_why(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(RuntimeError, match="missing: root"):
        RealNode(SimpleNamespace(dir=tmp_path)).__enter__()
