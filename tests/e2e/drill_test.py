"""`tidegate drill --kubeconfig` on a cluster where tidegate runs: bars, cleaning up, what it refuses."""

import json
import signal

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.manifests import DEPLOY
from tests.e2e.nodes import pod

ID = "tidegate.dev/drill"
# Bars that say how busy this machine is when two clusters and their schedulers share its cores. `make bench-cluster`
# and a drill by hand measure them.
FRACTIONS = {"reaction", "handover"}


@pytest.fixture
def scheduled(cluster):
    """The cluster of this file with tidegate at work."""
    cluster.api.apply(DEPLOY / "crds")
    tidegate = cluster.tidegate("run", "--listen", "127.0.0.1:0")
    yield cluster
    tidegate.stop()


def drill(cluster, *args, name="drill", kubeconfig=None):
    times = ["--stop", "5s", "--ready", "2s", "--checkpoint", "2s", "--peak", "30s"]
    return cluster.tidegate("drill", "--kubeconfig", kubeconfig or cluster.kubeconfig, *times, *args, name=name)


def user(cluster, name, role=None):
    """A kubeconfig of somebody who has that ClusterRole and nothing else."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "default"}}
    cluster.api.apply([account])
    if role:
        group = "rbac.authorization.k8s.io"
        cluster.api.apply([{
            "apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}],
        }])  # fmt: skip
    return cluster.service_account_kubeconfig("default", name)


def left(cluster):
    """Everything that is still there of any drill."""
    kinds = ["namespaces", "queues", "priorityclasses", "jobs.batch.volcano.sh", "podgroups"]
    return [
        f"{kind}/{item['metadata']['name']}"
        for kind in kinds
        for item in cluster.api.list(kind)
        if item["metadata"]["name"].startswith("tidegate-drill-")
        or item["metadata"].get("namespace", "").startswith("tidegate-drill-")
        or ID in item["metadata"].get("labels", {})
    ]


@pytest.mark.parametrize(("shape", "burst"), [("8x8", "deployment"), ("16x4", "job"), ("64x1", "pods")])
def test_the_bars_hold_and_nothing_is_left(scheduled, tmp_path, shape, burst):
    run = drill(scheduled, "--shape", shape, "--burst", burst, "--out", tmp_path, name=f"drill-{shape}-{burst}")
    code = run.wait(timeout=420)
    report = json.loads((tmp_path / "report.json").read_text())
    failed = [check for bar in report["runs"][0]["bars"] for check in bar["checks"] if not check["holds"]]
    assert code == (1 if failed else 0)
    print(f"fractions of a second, on a busy machine: {[check for check in failed if check['id'] in FRACTIONS]}")
    assert [check for check in failed if check["id"] not in FRACTIONS] == [], run.tail()
    assert report["runs"][0]["totals"]["gpusStopped"] > 0, "nothing was recalled: the pool was not full"
    assert left(scheduled) == []


def test_an_interrupted_drill_cleans_up(scheduled):
    run = drill(scheduled, name="drill-interrupted")
    run.wait_line("submitted", timeout=120)
    run.signal(signal.SIGINT)
    assert run.wait(timeout=200) == 2
    assert left(scheduled) == []


def test_a_second_interrupt_leaves_one_command_that_cleans_up(scheduled):
    run = drill(scheduled, name="drill-interrupted-twice")
    run.wait_line("submitted", timeout=120)
    run.signal(signal.SIGINT)
    run.wait_line("cleaning up: namespace", timeout=30)
    run.signal(signal.SIGINT)
    assert run.wait(timeout=30) == 2
    [command] = [line.split() for line in run.lines() if line.strip().startswith("kubectl delete")]
    scheduled.kubectl(*command[1:], "--wait=true", "--timeout=180s")
    assert left(scheduled) == []


@pytest.mark.parametrize(("shape", "burst"), [("8x8", "deployment"), ("16x4", "job"), ("4x8", "pods")])
def test_its_role_is_enough(scheduled, shape, burst):
    scheduled.api.apply(DEPLOY / "rbac/drill.yaml")
    config = user(scheduled, "driller", "tidegate-drill")
    run = drill(scheduled, "--shape", shape, "--burst", burst, name=f"drill-role-{burst}", kubeconfig=config)
    assert run.wait(timeout=420) in (0, 1), run.tail()
    assert "forbidden" not in run.tail(1000).lower()
    assert left(scheduled) == []


def test_rights_that_are_missing_are_named_before_anything_is_made(scheduled):
    run = drill(scheduled, name="drill-no-role", kubeconfig=user(scheduled, "stranger"))
    assert run.wait(timeout=60) == 2
    said = run.tail(1000)
    assert "rights are missing (403 Forbidden); deploy/rbac/drill.yaml has a role" in said
    assert "may not create queues.scheduling.volcano.sh" in said
    assert "may not patch deployments.apps in its namespace" in said
    assert left(scheduled) == []


def test_a_token_that_is_no_good_is_told(scheduled, tmp_path):
    config = tmp_path / "kubeconfig"
    config.write_text(scheduled.kubeconfig.read_text().replace(scheduled.token, "wrong"))
    run = drill(scheduled, name="drill-wrong-token", kubeconfig=config)
    assert run.wait(timeout=60) == 2
    assert "does not know this user: 401 Unauthorized" in run.tail()


def test_work_that_is_not_the_drills_is_not_risked(scheduled):
    scheduled.api.create(pod("precious", gpus=8))
    try:
        run = drill(scheduled, name="drill-refused")
        assert run.wait(timeout=60) == 2
        assert "pod default/precious (8 GPUs" in run.tail()
        assert left(scheduled) == []
    finally:
        scheduled.api.delete("pods", "precious", ns="default")


def test_without_a_scheduler_it_says_so(started):
    cluster = started(Cluster(nodes=25))
    cluster.api.apply(DEPLOY / "crds")
    run = drill(cluster, name="drill-alone")
    assert run.wait(timeout=240) == 2
    assert "is a scheduler running" in run.tail()
    assert left(cluster) == []
