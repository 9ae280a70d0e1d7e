"""A peak takes the pool back, on a real API server, and everything comes back after it; whatever breaks meanwhile."""

import pytest

from tests.e2e.proxy import Proxy


def test_a_peak_is_served_and_everything_comes_back(pool):
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    took = pool.wait_burst_ready(timeout=30)
    print(f"ready after {took:.2f} s")
    pool.recovers()


@pytest.mark.parametrize("phase", ["Planned", "Signalled", "Stopping", "Released"])
def test_killed_in_a_recall_it_goes_on_from_the_record(pool, phase):
    first = pool.tidegate()
    pool.fill()
    pool.burst(8)
    pool.wait_phase(phase)
    first.kill()
    pool.tidegate(name="tidegate-2")
    pool.recovers()


def test_the_other_replica_goes_on_when_the_leader_is_killed_in_mid_recall(pool):
    election = ["--leader-elect", "--lease", "volcano-system/tidegate"]
    first = pool.tidegate(*election, name="first")
    first.wait_line("leading", timeout=20)
    second = pool.tidegate(*election, name="second")
    second.wait_line("another replica leads", timeout=20)
    pool.fill()
    pool.burst(8)
    pool.recalls.until(pool.phase("Signalled", "Stopping"), 20, "a recall to be under way")
    first.kill()
    second.wait_line("leading", timeout=40)
    pool.recovers()


def test_a_leader_that_is_cut_off_stops_and_the_other_takes_over(pool):
    election = ["--leader-elect", "--lease", "volcano-system/tidegate"]
    with Proxy(pool.cluster.port) as proxy:
        first = pool.tidegate(*election, name="first", kubeconfig=pool.cluster.kubeconfig_by(proxy))
        first.wait_line("leading", timeout=20)
        pool.fill()
        second = pool.tidegate(*election, name="second")
        proxy.cut()
        pool.burst(8)
        second.wait_line("leading", timeout=40)
        assert first.wait(timeout=30) == 1, "a leader that has lost its lease ends with 1"
        pool.recovers()


def test_the_api_server_restarts_in_mid_recall(pool):
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    pool.recalls.until(pool.phase("Signalled", "Stopping"), 20, "a recall to be under way")
    pool.cluster.restart_api_server(kill=True)
    pool.recovers()


def test_dropped_watches_lose_nothing(pool):
    with Proxy(pool.cluster.port) as proxy:
        pool.tidegate(kubeconfig=pool.cluster.kubeconfig_by(proxy))
        pool.fill()
        pool.burst(8)
        for phase in ("Signalled", "Stopping"):
            pool.wait_phase(phase)
            proxy.drop()
        pool.recovers()


def test_a_pod_held_by_a_finalizer_is_given_up_on(pool):
    pool.tidegate()
    pool.fill()
    held = next(pod for pod in pool.of("research") if pod["metadata"]["name"].startswith("sft-"))
    name = held["metadata"]["name"]
    pool.api.patch("pods", name, {"metadata": {"finalizers": ["e2e.tidegate.dev/hold"]}}, ns="research")
    pool.burst(8)
    pool.wait_burst_ready(timeout=60)
    pool.api.patch("pods", name, {"metadata": {"finalizers": None}}, ns="research")
    pool.recovers()


def test_a_node_lost_in_mid_recall_is_replaced(pool):
    pool.tidegate()
    pool.fill()
    pool.burst(8)
    recall = pool.recalls.until(pool.phase("Signalled", "Stopping"), 20, "a recall to be under way")
    pool.cluster.lose_node(recall["spec"]["nodes"][0])
    pool.wait_burst_ready(timeout=90)


def test_a_deployment_that_scales_up_and_down_in_a_storm_settles(pool):
    pool.tidegate()
    pool.fill()
    for replicas in (12, 9, 16, 8, 14, 10):
        pool.api.patch("deployments", "ranker", {"spec": {"replicas": replicas}}, ns="promo")
        pool.pods.until(lambda w, want=replicas: len(pool.of("promo")) >= want, 20, f"{replicas} pods to be there")
    pool.burst(8)
    pool.recovers()
