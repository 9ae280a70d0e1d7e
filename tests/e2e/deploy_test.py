"""The chart and the overlays: they agree with each other, and the chart installs, changes and goes on a real API server."""

import subprocess

import pytest

from tests.e2e.cluster import BIN, Cluster, build_programs
from tests.e2e.manifests import DEPLOY, ROOT
from tests.e2e.rest import ApiError

SYSTEM = "tidegate-system"


def test_overlays_and_chart_agree():
    done = subprocess.run([ROOT / "scripts/check-deploy.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def plane():
    build_programs("helm")
    with Cluster(nodes=0, kwok=False, controllers=False) as cluster:
        yield cluster


def helm(plane, *args):
    command = [BIN / "helm", "--kubeconfig", plane.kubeconfig, "-n", SYSTEM, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_chart_installs_changes_and_goes(plane):
    chart = str(DEPLOY / "helm/tidegate")
    notes = helm(plane, "install", "tidegate", chart, "--create-namespace")
    assert "Pods with schedulerName volcano or tidegate" in notes
    crds = {crd["metadata"]["name"] for crd in plane.api.list("customresourcedefinitions")}
    assert {"queues.scheduling.volcano.sh", "recalls.tidegate.dev"} <= crds
    queue = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "stays"}, "spec": {}}
    plane.api.apply(queue)

    helm(plane, "upgrade", "tidegate", chart, "--set", "components={scheduler},replicas=3,vcjobSuspend=command")
    container = plane.api.get("deployments", "tidegate", SYSTEM)["spec"]["template"]["spec"]["containers"][0]
    assert {"--components=scheduler", "--vcjob-suspend=command"} <= set(container["args"])
    with pytest.raises(ApiError) as caught:
        plane.api.get("clusterroles", "tidegate-vcjob-controller")
    assert caught.value.status == 404

    helm(plane, "uninstall", "tidegate")
    with pytest.raises(ApiError) as caught:
        plane.api.get("deployments", "tidegate", SYSTEM)
    assert caught.value.status == 404
    assert plane.api.get("queues", "stays")["spec"]["weight"] == 1  # the definitions, and so the objects, are kept
