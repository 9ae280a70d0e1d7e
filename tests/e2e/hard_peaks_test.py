"""Peaks that come at a bad moment: beside another peak, behind a long queue, on an API server that keeps dying."""

from tests.e2e.manifests import make_namespace
from tests.e2e.nodes import pod
from tests.e2e.pool import OFFLINE, QUEUE, RESEARCH, bound, deployment, is_ready, queue


def test_two_services_burst_at_once(pool):
    guarantee = {"resource": {"nvidia.com/gpu": 64}}
    pool.api.create(queue("search-queue", weight=100, guarantee=guarantee))
    make_namespace(pool.cluster, "search")
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    pool.api.create(deployment("search", "search", "search-queue", 4, 8, "online-critical"))
    pool.pods.until(lambda w: len(pool.of("search", is_ready)) == 4, 30, "the other service to be ready")
    pool.wait_burst_ready(timeout=30)
    pool.api.delete("deployments", "search", ns="search")
    pool.recovers()


def test_a_burst_does_not_queue_behind_thousands_of_waiting_pods(pool):
    pool.tidegate()
    pool.fill()
    waiting = [
        pod(f"scan-{i}", gpus=1, ns=RESEARCH, annotations={QUEUE: OFFLINE, "tidegate.dev/sim-stop": "1s"})
        for i in range(3000)
    ]
    pool.api.create_all(waiting)
    pool.burst(8)
    pool.wait_burst_ready(timeout=60)
    pool.check()
    recall = next(iter(pool.recalls.items.values()))
    others = pool.of(RESEARCH, lambda p: bound(p) and p["spec"]["nodeName"] in recall["spec"]["nodes"])
    assert not others, f'{others[0]["metadata"]["name"]} runs on a node that was emptied for the peak'


def test_a_node_that_is_evicted_by_a_taint_in_mid_recall_is_replaced(pool):
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    recall = pool.recalls.until(pool.phase("Signalled", "Stopping"), 20, "a recall to be under way")
    node = recall["spec"]["nodes"][0]
    taint = {"key": "maintenance", "effect": "NoExecute"}
    pool.api.patch("nodes", node, {"spec": {"taints": [taint]}})
    pool.wait_burst_ready(timeout=60)
    pool.api.patch("nodes", node, {"spec": {"taints": None}})
    pool.end_peak()
    pool.wait_all_back(timeout=180)
    pool.check_nodes()
    pool.check_evicted_once()


def test_an_api_server_that_dies_again_and_again(pool):
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    for phase in ("Signalled", "Stopping", "Released"):
        pool.wait_phase(phase, timeout=40)
        pool.cluster.restart_api_server(kill=True)
    pool.recovers()


def test_two_thousand_queues(pool):
    pool.api.create_all([queue(f"team-{i}") for i in range(2000)])
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    pool.wait_burst_ready(timeout=30)
    pool.recovers()
