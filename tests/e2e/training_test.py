"""A real training program on a real kubelet is recalled by a real burst, and goes on from where it was asked to stop.

Two ranks step together; asked over HTTP for a checkpoint, each saves its step and waits. Then come the preStop hook and
SIGTERM. After the peak the ranks start again from what they saved: no step is lost that was done before the signal, and
none is done twice.
"""

import pytest

from tests.e2e.manifests import DEPLOY
from tests.e2e.nodes import phase
from tests.e2e.processes import poll

RANKS = ("train-rank-0", "train-rank-1")

TRAIN = """#!/bin/sh
# One rank: counts steps from its checkpoint on; on USR1 it saves and waits to be ended.
me=/state/$(hostname)
step=$(cat $me.saved 2>/dev/null || echo 0)
echo "start at $step resume-from=${TIDEGATE_RESUME_FROM:-none}" >>$me.log
save() { echo $step >$me.new && mv $me.new $me.saved && echo "saved $step" >>$me.log && asked=yes; }
trap save USR1
trap 'echo "term at $step" >>$me.log; exit 0' TERM
echo $$ >/tmp/trainer
httpd -p 8080 -h /www
while true; do
  if [ -z "$asked" ]; then
    step=$((step + 1))
    echo $step >$me.at && mv $me.at $me.step
  fi
  sleep 0.05
done
"""
# Answers when the checkpoint is on disk.
CHECKPOINT = """#!/bin/sh
me=/state/$(hostname)
kill -USR1 $(cat /tmp/trainer)
until grep -q "^saved" $me.log; do sleep 0.02; done
echo "asked over HTTP" >>$me.log
printf 'Status: 200 OK\\r\\n\\r\\nsaved\\n'
"""
PRESTOP = """#!/bin/sh
echo "prestop" >>/state/$(hostname).log
"""
FILES = {"/bin/train.sh": TRAIN, "/www/cgi-bin/checkpoint": CHECKPOINT, "/bin/prestop.sh": PRESTOP}

QUEUES = """
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: online}
spec: {weight: 100, guarantee: {resource: {nvidia.com/gpu: 8}}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: offline}
spec: {weight: 1}
"""


def training_job(image, state):
    container = {
        "name": "rank",
        "image": image,
        "imagePullPolicy": "Never",
        "command": ["/bin/train.sh"],
        "lifecycle": {"preStop": {"exec": {"command": ["/bin/prestop.sh"]}}},
        "resources": {"requests": {"cpu": "50m"}, "limits": {"nvidia.com/gpu": 4}},
        "volumeMounts": [{"name": "state", "mountPath": "/state"}],
    }
    annotations = {"tidegate.dev/checkpoint-port": "8080", "tidegate.dev/checkpoint-path": "/cgi-bin/checkpoint"}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {
            "schedulerName": "volcano",
            "queue": "offline",
            "minAvailable": 2,
            "maxRetry": 1,
            "policies": [{"event": "PodFailed", "action": "AbortJob"}],
            "tasks": [
                {
                    "name": "rank",
                    "replicas": 2,
                    "template": {
                        "metadata": {"annotations": annotations},
                        "spec": {
                            "restartPolicy": "Never",
                            "automountServiceAccountToken": False,
                            "enableServiceLinks": False,
                            "terminationGracePeriodSeconds": 30,
                            "containers": [container],
                            "volumes": [{"name": "state", "hostPath": {"path": str(state)}}],
                        },
                    },
                }
            ],
        },
    }


def serving_pod(image):
    container = {"name": "serve", "image": image, "imagePullPolicy": "Never", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "burst",
            "namespace": "default",
            "annotations": {"scheduling.volcano.sh/queue-name": "online"},
        },
        "spec": {
            "schedulerName": "volcano",
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 1,
            "containers": [container],
        },
    }


@pytest.fixture
def installed(kubelet_node):
    api = kubelet_node.cluster.api
    api.apply(DEPLOY / "crds")
    api.apply(QUEUES)
    tidegate = kubelet_node.cluster.tidegate("run", "--listen", "127.0.0.1:0")
    tidegate.wait_line("leading", timeout=20)
    yield kubelet_node
    tidegate.stop()


def test_training_goes_on_from_the_step_it_was_asked_to_stop_at(installed, tmp_path):
    cluster, api = installed.cluster, installed.cluster.api
    image = installed.load_image("train", files=FILES)
    tmp_path.chmod(0o777)
    read = lambda name: (tmp_path / name).read_text()  # noqa: E731
    log = lambda rank: read(f"{rank}.log").splitlines()  # noqa: E731
    with cluster.watch("pods", "default") as pods:

        def both_run(watch):
            return all(phase(watch, f"default/{rank}") == "Running" for rank in RANKS)

        api.create(training_job(image, tmp_path))
        pods.until(both_run, 60, "both ranks to run")
        poll(lambda: all((tmp_path / f"{r}.step").exists() and int(read(f"{r}.step")) > 20 for r in RANKS), 30, "20 steps")

        api.create(serving_pod(installed.load_image("serve")))
        pods.until(lambda w: phase(w, "default/burst") == "Running", 40, "the burst to run on the node")
        first = {rank: log(rank) for rank in RANKS}
        saved = {rank: int(read(f"{rank}.saved")) for rank in RANKS}
        for rank in RANKS:
            assert first[rank][0] == "start at 0 resume-from=none"
            assert first[rank][1:] == [
                f"saved {saved[rank]}", "asked over HTTP", "prestop", f"term at {saved[rank]}"
            ], "asked for a checkpoint first, then stopped, with no step in between"  # fmt: skip
            assert saved[rank] > 20
        made = [e for e in pods.events if e.type == "ADDED" and e.object["metadata"]["name"] in RANKS]
        assert len(made) == 2, "no rank was made while the job was suspended"

        api.delete("pods", "burst", "default")
        pods.until(both_run, 90, "both ranks to be back")
        poll(lambda: all(int(read(f"{r}.step")) > saved[r] + 5 for r in RANKS), 30, "further steps")
        for rank in RANKS:
            again = log(rank)[len(first[rank])]
            assert again.startswith(f"start at {saved[rank]} resume-from=2"), again
