"""The harness itself: what tests of tidegate take for granted about it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.cluster import ROOT, Cluster
from tests.e2e.nodes import phase, pod
from tests.e2e.processes import Process, Timeout, poll
from tests.e2e.proxy import Proxy
from tests.e2e.rest import Api, ApiError
from tests.e2e.watch import Watch


def sim(**durations):
    return {f"tidegate.dev/sim-{name}": value for name, value in durations.items()}


def run_pod(cluster, pods, ns, name="a", **metadata):
    """A pod bound by hand, once it runs."""
    metadata.setdefault("annotations", sim(start="100ms"))
    cluster.api.create(pod(name, gpus=8, ns=ns, scheduler="nobody", **metadata))
    cluster.api.bind(name, "gpu-01", ns)
    pods.until(lambda w: phase(w, f"{ns}/{name}") == "Running", 10, "the pod to run")


def delete_and_time(cluster, pods, ns, name="a", between=lambda: None):
    """Seconds from a pod's deletion to its end."""
    asked = time.monotonic()
    cluster.api.delete("pods", name, ns)
    between()
    pods.until(lambda w: phase(w, f"{ns}/{name}") == "Gone", 15, "the pod to go")
    return pods.history(f"{ns}/{name}")[-1].at - asked


def test_all_nodes_are_ready_with_their_gpus(cluster):
    nodes = cluster.api.list("nodes")
    assert len(nodes) == 25
    for node in nodes:
        assert node["status"]["allocatable"]["nvidia.com/gpu"] == "8"
        assert {c["type"]: c["status"] for c in node["status"]["conditions"]}["Ready"] == "True"
        assert "taints" not in node["spec"]


def test_an_unbound_pod_waits_and_a_bound_one_runs_after_its_start_time(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        cluster.api.create(pod("a", gpus=8, ns=ns, scheduler="nobody", annotations=sim(start="1s")))
        pods.until(lambda w: phase(w, f"{ns}/a") == "Pending", 5)
        bound = time.monotonic()
        cluster.api.bind("a", "gpu-07", ns)
        pods.until(lambda w: phase(w, f"{ns}/a") == "Running", 10)
        assert 0.9 < pods.history(f"{ns}/a")[-1].at - bound < 3
        assert pods.items[f"{ns}/a"]["status"]["podIP"]


def test_a_deleted_pod_goes_after_its_stop_time(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        run_pod(cluster, pods, ns, annotations=sim(start="100ms", stop="2s"))
        assert 1.9 < delete_and_time(cluster, pods, ns) < 3.5
        ended = pods.history(f"{ns}/a")[-1].object
        assert ended["status"]["phase"] == "Failed"
        assert ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143


def test_the_simulated_worlds_names_for_durations_do_too(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        times = {"sim.tidegate.dev/start-seconds": "0.1", "sim.tidegate.dev/stop-seconds": "1.5"}
        run_pod(cluster, pods, ns, annotations=times)
        assert 1.4 < delete_and_time(cluster, pods, ns) < 3


def test_the_default_stop_time_is_five_seconds(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        run_pod(cluster, pods, ns)
        assert 4.9 < delete_and_time(cluster, pods, ns) < 6.5


def test_a_change_during_the_stop_does_not_start_it_again(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        run_pod(cluster, pods, ns, annotations=sim(start="100ms", stop="4s"))

        def annotate_late():
            with pytest.raises(Timeout):
                pods.until(lambda w: phase(w, f"{ns}/a") == "Gone", 3)
            cluster.api.patch("pods", "a", {"metadata": {"annotations": {"note": "late"}}}, ns)

        assert 3.9 < delete_and_time(cluster, pods, ns, between=annotate_late) < 6.8


def test_a_stop_is_cut_short_by_the_grace(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        run_pod(cluster, pods, ns, annotations=sim(start="100ms", stop="20s"))
        cluster.api.delete("pods", "a", ns, grace=1)
        pods.until(lambda w: phase(w, f"{ns}/a") == "Gone", 4, "the pod to be killed after its grace")


def test_a_finalizer_keeps_the_ended_pod(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        run_pod(cluster, pods, ns, annotations=sim(start="100ms", stop="100ms"), finalizers=["tidegate.dev/test"])
        cluster.api.delete("pods", "a", ns)
        pods.until(lambda w: phase(w, f"{ns}/a") == "Failed", 10, "the pod to end")
        with pytest.raises(Timeout):
            pods.until(lambda w: phase(w, f"{ns}/a") == "Gone", 2)
        cluster.api.patch("pods", "a", {"metadata": {"finalizers": None}}, ns)
        pods.until(lambda w: phase(w, f"{ns}/a") == "Gone", 5, "the pod to go")


def test_a_requested_checkpoint_is_answered_after_its_time(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        run_pod(cluster, pods, ns, annotations=sim(start="100ms", checkpoint="1s"))
        asked = time.monotonic()
        request = {"tidegate.dev/checkpoint-requested": "recall-7 2026-11-30T10:00:00Z"}
        cluster.api.patch("pods", "a", {"metadata": {"annotations": request}}, ns)
        done = pods.until(
            lambda w: w.get(f"{ns}/a", "metadata", "annotations", "tidegate.dev/checkpoint-done"), 10, "the save"
        )
        assert done == "recall-7"
        assert 0.9 < time.monotonic() - asked < 3


def job(ns, run_annotations, **spec):
    template = pod("x", ns=ns, node_name="gpu-02", annotations=run_annotations)
    template["spec"]["restartPolicy"] = "Never"
    body = {"template": {"metadata": {"annotations": run_annotations}, "spec": template["spec"]}, **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": ns}, "spec": body}


def test_a_job_runs_to_its_end(cluster, ns):
    with cluster.watch("jobs", ns) as jobs:
        cluster.api.create(job(ns, sim(start="100ms", run="1s"), parallelism=2, completions=2))
        jobs.until(lambda w: w.get(f"{ns}/j", "status", "succeeded") == 2, 20, "two pods to succeed")


def test_a_job_fails_as_told(cluster, ns):
    with cluster.watch("jobs", ns) as jobs:
        cluster.api.create(job(ns, sim(start="100ms", fail="200ms"), backoffLimit=0))
        conditions = jobs.until(
            lambda w: [c["type"] for c in w.get(f"{ns}/j", "status", "conditions") or []], 20, "a failure"
        )
        assert "Failed" in conditions or "FailureTarget" in conditions


def test_a_deployment_replaces_what_is_deleted(cluster, ns):
    labels = {"app": "d"}
    template = {"metadata": {"labels": labels, "annotations": sim(start="100ms", stop="200ms")}}
    template["spec"] = pod("x", ns=ns, node_name="gpu-03")["spec"]
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": ns}, "spec": spec}
    with cluster.watch("pods", ns) as pods:

        def two_run(watch):
            running = [key for key in watch.items if phase(watch, key) == "Running"]
            return running if len(running) == len(watch.items) == 2 else None

        cluster.api.apply(body)
        first = pods.until(two_run, 20, "two pods")
        cluster.api.delete("pods", first[0].split("/")[1], ns)
        pods.until(lambda w: first[0] not in w.items and two_run(w), 20, "another pod in its place")


def test_pods_of_a_lost_node_stay_until_it_is_back(cluster, ns):
    with cluster.watch("pods", ns) as pods, cluster.watch("nodes") as nodes:
        run_pod(cluster, pods, ns, annotations=sim(start="100ms", stop="100ms"))
        cluster.lose_node("gpu-01")
        nodes.until(lambda w: w.get("gpu-01", "spec", "taints"), 20, "the node to be tainted")
        cluster.api.delete("pods", "a", ns)
        with pytest.raises(Timeout):
            pods.until(lambda w: phase(w, f"{ns}/a") == "Gone", 3)
        cluster.recover_node("gpu-01")
        pods.until(lambda w: phase(w, f"{ns}/a") == "Gone", 20, "the pod to go")
        nodes.until(lambda w: not w.get("gpu-01", "spec", "taints"), 20, "the taint to go")


def test_a_service_account_may_only_what_it_is_granted(cluster, ns):
    cluster.api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "sa", "namespace": ns}})
    file = cluster.service_account_kubeconfig(ns, "sa")
    with pytest.raises(RuntimeError, match="forbidden"):
        cluster.kubectl("--kubeconfig", file, "get", "pods", "-n", ns)


def test_a_crd_can_be_used_once_applied(cluster):
    cluster.api.apply("""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.e2e.tidegate.dev}
spec:
  group: e2e.tidegate.dev
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
""")
    cluster.api.apply("{apiVersion: e2e.tidegate.dev/v1, kind: Thing, metadata: {name: t}, spec: {size: 3}}")
    assert cluster.api.get("things", "t", "default")["spec"]["size"] == 3


def test_a_watch_goes_on_after_the_api_server_restarts(cluster, ns):
    with cluster.watch("pods", ns) as pods:
        run_pod(cluster, pods, ns, annotations=sim(start="100ms", stop="200ms"))
        cluster.restart_api_server(kill=True)
        cluster.api.create(pod("b", ns=ns, scheduler="nobody"))
        pods.until(lambda w: f"{ns}/b" in w.items, 20, "the watch to come back")
        assert delete_and_time(cluster, pods, ns) < 15  # KWOK has come back, too


def test_a_watch_that_is_refused_says_so(cluster, ns):
    stranger = Api(cluster.api.host, cluster.port, cluster.dir / "certs/apiserver.crt", cluster.token)
    with Watch(stranger, "pods", ns) as pods:
        stranger.token = "unknown"
        pods.drop()
        with pytest.raises(RuntimeError, match="refused"):
            pods.until(lambda w: False, 10)


def test_a_proxy_breaks_connections_and_refuses_new_ones(cluster):
    with Proxy(cluster.port) as proxy:
        get_nodes = ("--kubeconfig", cluster.kubeconfig_by(proxy), "--request-timeout=5s", "get", "nodes", "-o", "name")
        assert cluster.kubectl(*get_nodes).count("node/") == 25
        proxy.cut()
        with pytest.raises(RuntimeError, match="Unable to connect|EOF|reset"):
            cluster.kubectl(*get_nodes)
        proxy.mend()
        assert cluster.kubectl(*get_nodes).count("node/") == 25


def test_answers_that_are_errors_say_why(cluster, ns):
    with pytest.raises(ApiError) as error:
        cluster.api.get("pods", "absent", ns)
    assert (error.value.status, error.value.reason) == (404, "NotFound")


def test_lines_of_a_program_can_be_waited_for(tmp_path):
    process = Process("talker", ["sh", "-c", "echo one; echo two; exec sleep 60"], tmp_path / "log", follow=True)
    assert process.wait_line("tw", 5) == "two"
    with pytest.raises(Timeout):
        process.wait_line("three", 0.1)
    assert process.stop() == -signal.SIGTERM
    with pytest.raises(Timeout):
        process.wait_line("three", 60)  # at once: nobody can write it any more


def test_children_die_with_a_killed_test_run(tmp_path):
    script = (
        "import sys, time; from tests.e2e.processes import Process\n"
        f"p = Process('s', ['sleep', '300'], r'{tmp_path}/log'); print(p.pid, flush=True); time.sleep(300)"
    )
    run = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    child = int(run.stdout.readline())
    poll(lambda: Path(f"/proc/{child}/comm").read_text().strip() == "sleep", 5, "the child to be set up")
    run.kill()
    run.wait()
    poll(lambda: not is_running(child), 5, "the child to die")


def test_ctrl_c_leaves_nothing_behind():
    up = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.up", "--nodes", "2"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    lines = iter(up.stdout.readline, "")
    folder = next(line.split("=")[1].strip() for line in lines if "KUBECONFIG=" in line).removesuffix("/kubeconfig")
    children = children_of(up.pid)
    assert len(children) == 4
    os.kill(up.pid, signal.SIGINT)
    up.wait(timeout=60)
    assert not [pid for pid in children if is_running(pid)]
    assert not os.path.exists(folder)


def test_a_cluster_that_cannot_start_says_so_and_ends(started, monkeypatch):
    monkeypatch.setattr(Cluster, "_write_credentials", lambda self: None)  # the API server will miss its key
    before = children_of(os.getpid())
    with pytest.raises(RuntimeError, match="apiserver has ended"):
        started(Cluster(nodes=1))
    assert children_of(os.getpid()) == before


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children_of(parent):
    """Pids of the programs a process has started, by its threads."""
    found = set()
    for file in Path(f"/proc/{parent}/task").glob("*/children"):
        found |= {int(pid) for pid in file.read_text().split()}
    return found
