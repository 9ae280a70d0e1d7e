"""Fixtures of the end-to-end tests; what they give is described at the top of cluster.py and kubelet.py.

    TIDEGATE=path        another binary than build/tidegate
    E2E_KEEP=1           keep the logs of clusters whose tests passed (those of failed ones always stay)
    E2E_SKIP_KUBELET=1   skip the tests on a real kubelet, on a machine that cannot run one
"""

import itertools
import os
import signal
from contextlib import contextmanager

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.kubelet import RealNode
from tests.e2e.pool import Pool

_numbers = itertools.count(1)


def pytest_configure():
    # SIGTERM ends the run as Ctrl-C does: through the fixtures, which stop everything.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture
def started(request):
    """Takes a context manager of a cluster, enters it, and drops it after the test; logs of failures stay."""
    with Starter(request) as starter:
        yield starter.enter


@pytest.fixture(scope="module")
def keeping_logs(request):
    """The same for fixtures that outlast a test: `with keeping_logs(Cluster(...)) as cluster`."""

    @contextmanager
    def started_for(cluster):
        with Starter(request) as starter:
            yield starter.enter(cluster)

    return started_for


class Starter:
    def __init__(self, request):
        self._session, self._failed, self._clusters = request.session, request.session.testsfailed, []

    def __enter__(self):
        return self

    def enter(self, cluster):
        self._clusters.append(cluster)
        return cluster.__enter__()

    def __exit__(self, *_):
        keep = bool(os.environ.get("E2E_KEEP")) or self._session.testsfailed > self._failed
        for cluster in reversed(self._clusters):
            cluster.drop(keep=keep)
            if keep:
                print(f"logs: {cluster.dir}/logs")


@pytest.fixture(scope="module")
def cluster(request):
    """25 simulated nodes of 8 GPUs, shared by the tests of a file. Tests that break it start their own (`started`)."""
    with Starter(request) as starter:
        yield starter.enter(Cluster(nodes=25))


@pytest.fixture
def pool(started):
    """The pool of pool.py, on a cluster of its own."""
    with Pool(started(Cluster(nodes=25))) as pool:
        yield pool


@pytest.fixture
def ns(cluster):
    """A namespace of its own for one test; deleted after it, without a wait."""
    name = f"e2e-{next(_numbers)}"
    cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    cluster.api.delete("namespaces", name)


@pytest.fixture(scope="module")
def kubelet_node(request):
    """A cluster with one real node (`.cluster`, `.name`, `.load_image()`). Fails where there can be none."""
    if os.environ.get("E2E_SKIP_KUBELET"):
        pytest.skip("E2E_SKIP_KUBELET is set")
    with Starter(request) as starter:
        cluster = starter.enter(Cluster(nodes=0, kwok=False))
        with RealNode(cluster) as node:
            yield node
