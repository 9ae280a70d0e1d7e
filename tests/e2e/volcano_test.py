"""In a cluster with a real Volcano: only the scheduler is replaced, or both schedule side by side."""

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.manifests import make_namespace
from tests.e2e.pool import conf_text, queue, running, vcjob
from tests.e2e.volcano import VolcanoPool, scheduled_by

TAINT = {"key": "pool", "value": "theirs", "effect": "NoSchedule"}
pytestmark = pytest.mark.extra  # Volcano takes minutes to build


@pytest.fixture
def pool(started):
    with VolcanoPool(started(Cluster(nodes=25)), overlay="volcano-controllers") as pool:
        yield pool


def test_under_volcanos_controllers_a_peak_is_served_and_everything_comes_back(pool):
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    pool.wait_burst_ready(timeout=30)
    pool.recovers()
    recalled = {gang.split("/")[1].rsplit("-", 5)[0] for gang in pool.victims()}
    for job in pool.vcjobs.items.values():
        retries = job["status"].get("retryCount", 0)
        assert retries <= (1 if job["metadata"]["name"] in recalled else 0), f'{job["metadata"]["name"]}: {retries}'


@pytest.mark.parametrize("phase", ["Signalled", "Released"])
def test_under_volcanos_controllers_a_killed_tidegate_goes_on(pool, phase):
    first = pool.tidegate()
    pool.fill()
    pool.burst(8)
    pool.wait_phase(phase)
    first.kill()
    pool.tidegate(name="second")
    pool.recovers()


@pytest.fixture
def beside(started):
    """Volcano's scheduler as well, with the conf it is installed with, two nodes and a queue of its own."""
    with VolcanoPool(started(Cluster(nodes=25)), overlay="beside-volcano") as pool:
        for name in pool.cluster.add_nodes(2, prefix="theirs", labels={"pool": "theirs"}):
            pool.api.patch("nodes", name, {"spec": {"taints": [TAINT]}})
        make_namespace(pool.cluster, "theirs")
        pool.api.create(queue("theirs"))
        pool.scheduler(conf_text())
        yield pool


def their_job():
    job = vcjob("theirs", 2, 8)
    job["metadata"]["namespace"] = job["spec"]["queue"] = "theirs"
    pods = job["spec"]["tasks"][0]["template"]["spec"]
    pods.update(nodeSelector={"pool": "theirs"}, tolerations=[{"key": "pool", "operator": "Exists"}])
    return job


def test_beside_volcanos_scheduler_each_serves_its_own(beside):
    pool = beside
    pool.online = scheduled_by("tidegate", pool.online)
    pool.jobs = [[*parts[:-1], scheduled_by("tidegate", parts[-1])] for parts in pool.jobs]
    pool.tidegate()
    pool.api.create(their_job())

    def theirs():
        return {pod["metadata"]["uid"] for pod in pool.of("theirs", running)}

    pool.pods.until(lambda w: len(theirs()) == 2, 60, "Volcano to start its own job")
    first = theirs()
    pool.fill()
    pool.burst(8)
    pool.recovers()
    assert theirs() == first
