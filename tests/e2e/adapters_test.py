"""Each kind of owner under its real controller: recalled by a burst, no pod made in the peak, back after it, nothing Failed.

Every scenario fills the pool with offline work, lets a burst of online pods take it, and ends the peak. What must hold is
judged from everything the watches have seen.
"""

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.pool import GROUP, OFFLINE, QUEUE, RESEARCH, Pool, batch_job, deployment, running, template, vcjob


def notebooks(pods):
    return [deployment("notebooks", RESEARCH, OFFLINE, pods, 1, "offline-batch")]


def stateful_set(name, pods, gpus):
    """Its controller makes and removes pods one by one, each when the one before it is ready or gone."""
    made = deployment(name, RESEARCH, OFFLINE, pods, gpus, "offline-batch")
    made["kind"], made["spec"]["serviceName"] = "StatefulSet", name
    return [made]


# Eight nodes of work in all: what the guarantee of the online queue leaves to a burst.
OWNERS = {
    "batch job": batch_job("tokenize", 2, 8),
    "deployment": notebooks(8),
    "stateful set": stateful_set("index", 4, 4),
    "vcjob": [vcjob("sft", 2, 8)],
    "elastic vcjob": [vcjob("sweep", 8, 1, minimum=1)],
}
NAMES = {kind: parts[-1]["metadata"]["name"] for kind, parts in OWNERS.items()}


class Peak:
    """A pool whose offline work, all of it, is taken by a burst and comes back."""

    def __init__(self, pool, burst):
        self.pool = pool
        pool.tidegate()
        pool.fill(timeout=120)
        pool.burst(burst)
        self.took = pool.wait_burst_ready(timeout=60)
        pool.end_peak()
        pool.wait_all_back(timeout=180)

    def pods(self, name, *types):
        """Events of a job's pods between the burst and the end of the peak."""
        return [
            event
            for event in self.pool.pods.events
            if event.object["metadata"]["namespace"] == RESEARCH
            and event.object["metadata"]["name"].startswith(f"{name}-")
            and event.type in types
            and self.pool.burst_at < event.at < self.pool.peak_end
        ]

    def gone(self, name):
        return {event.object["metadata"]["uid"] for event in self.pods(name, "DELETED")}

    def alive(self, name):
        return self.pool.of(RESEARCH, lambda pod: pod["metadata"]["name"].startswith(f"{name}-") and running(pod))


def no_pod_made(peak, name):
    made = [event.object["metadata"]["name"] for event in peak.pods(name, "ADDED")]
    assert not made, f"made in the peak: {made}"


def nothing_failed(peak):
    for watch in (peak.pool.batch, peak.pool.vcjobs):
        for event in watch.events:
            status, name = event.object.get("status", {}), event.object["metadata"]["name"]
            assert not status.get("failed"), f"{name} counts failures"
            conditions = status.get("conditions") or []
            assert not [c for c in conditions if c.get("type") == "Failed"], f"{name} has failed"
            assert status.get("state", {}).get("phase") not in ("Failed", "Aborted"), f"{name} has failed"


@pytest.fixture(scope="module")
def peak(request):
    with Cluster(nodes=16) as cluster, Pool(cluster, list(OWNERS.values())) as pool:
        yield Peak(pool, 8)


@pytest.mark.parametrize("kind", OWNERS)
def test_is_stopped_whole_and_comes_back(peak, kind):
    name, count = NAMES[kind], Pool.wanted(OWNERS[kind][-1])
    assert len(peak.gone(name)) == count
    no_pod_made(peak, name)
    assert len(peak.alive(name)) == count


def test_nothing_has_failed_and_nothing_was_torn(peak):
    nothing_failed(peak)
    peak.pool.check()


def test_a_shrunk_deployment_loses_the_planned_pods_and_no_other(started):
    with Pool(started(Cluster(nodes=10)), [notebooks(16)]) as pool:
        peak = Peak(pool, 1)
        assert len(peak.gone("notebooks")) == 8
        no_pod_made(peak, "notebooks")
        planned = {p["uid"] for r in pool.recalls.items.values() for v in r["spec"]["victims"] for p in v["pods"]}
        assert peak.gone("notebooks") == planned


def bare_pod(name, group=None):
    """A pod of one node that nothing owns, and that wants to be made again; with fields tidegate has no struct for."""
    pod = template(8, "offline-batch", {QUEUE: OFFLINE, "tidegate.dev/recreate": "true", "tidegate.dev/sim-stop": "1s"})
    if group:
        pod["metadata"]["annotations"][GROUP] = group
    pod["metadata"] |= {"name": name, "namespace": RESEARCH, "labels": {"user": "ada"}}
    main = pod["spec"]["containers"][0]
    main["env"] = [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "t", "optional": True}}}]
    main["volumeMounts"] = [{"name": "scratch", "mountPath": "/scratch"}]
    pod["spec"] |= {"volumes": [{"name": "scratch", "emptyDir": {}}], "hostname": name}
    return {"apiVersion": "v1", "kind": "Pod", **pod}


def test_bare_pods_are_recreated_as_they_were(started):
    """A gang that shares a PodGroup, and two single pods; tidegate dies when they are stored, and when they resume."""
    group = batch_job("gang", 2, 8)[0]
    pods = [bare_pod("gang-0", "gang"), bare_pod("gang-1", "gang"), bare_pod("solo-0"), bare_pod("solo-1")]
    names = [pod["metadata"]["name"] for pod in pods]
    with Pool(started(Cluster(nodes=12)), [notebooks(0)]) as pool, pool.cluster.watch("suspendedpods") as stored:
        first = pool.tidegate("--recreate-bare-pods")
        pool.fill()
        pool.api.create_all([group, *pods])
        pool.pods.until(lambda w: len(pool.of(RESEARCH, running)) == 4, 60, "the bare pods to run")
        before = {pod["metadata"]["name"]: pod for pod in pool.of(RESEARCH)}
        pool.burst(4)
        stored.until(lambda w: len(w.items) == 4, 30, "the pods to be stored")
        first.kill()
        second = pool.tidegate("--recreate-bare-pods", name="second")
        pool.wait_burst_ready(timeout=60)
        assert len(stored.items) == 4
        assert pool.of(RESEARCH) == []
        pool.end_peak()
        stored.until(lambda w: any(resumed(record) for record in w.items.values()), 120, "one to resume")
        second.kill()
        pool.tidegate("--recreate-bare-pods", name="third")
        pool.pods.until(lambda w: len(pool.of(RESEARCH, running)) == 4, 180, "the bare pods to be back")
        stored.until(lambda w: not w.items, 30, "the records to be gone")
        made = [e.object["metadata"]["name"] for e in pool.pods.events if e.type == "ADDED" and e.at > pool.burst_at]
        assert sorted(name for name in made if name in names) == sorted(names)
        for pod in pool.of(RESEARCH):
            assert as_written(pod) == as_written(before[pod["metadata"]["name"]])


def resumed(record):
    return "tidegate.dev/suspend" not in record["metadata"]["annotations"]


def as_written(pod):
    """What a pod's user wrote; the server's and the scheduler's part is another's."""
    spec = {key: value for key, value in pod["spec"].items() if key != "nodeName"}
    spec["volumes"] = [volume for volume in spec["volumes"] if not volume["name"].startswith("kube-api-access-")]
    for container in spec["containers"]:
        container["volumeMounts"] = [m for m in container["volumeMounts"] if not m["name"].startswith("kube-api-access-")]
    annotations = {
        key: value
        for key, value in pod["metadata"]["annotations"].items()
        if key.startswith("tidegate.dev/sim") or key in (QUEUE, "tidegate.dev/recreate") or value == "gang"
    }
    return pod["metadata"]["labels"], annotations, spec
