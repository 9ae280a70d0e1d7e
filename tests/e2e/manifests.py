"""What the tests of deploy/ share: a control plane without nodes that has the definitions, and rendered overlays."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.e2e.cluster import BIN, Cluster
from tests.e2e.rest import load_manifests

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


@contextmanager
def control_plane():
    """An API server with deploy/crds and deploy/policies, and nothing that acts on the objects."""
    with Cluster(nodes=0, kwok=False, controllers=False) as cluster:
        cluster.api.apply(DEPLOY / "crds")
        cluster.kubectl("apply", "-f", str(DEPLOY / "policies/queue-amounts.yaml"))
        yield cluster


def render(overlay):
    """The objects of an overlay."""
    folder = DEPLOY / "overlays" / overlay
    done = subprocess.run([BIN / "kubectl", "kustomize", folder], capture_output=True, text=True, check=True)
    return load_manifests(done.stdout)


def apply(cluster, *args, stdin=None):
    """kubectl apply that takes no unknown field."""
    return cluster.kubectl("apply", "--validate=strict", *args, stdin=stdin)


def make_namespace(cluster, name):
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def parse(text):
    """One object of a YAML text."""
    return yaml.safe_load(text)
