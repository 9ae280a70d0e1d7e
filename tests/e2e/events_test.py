"""Pods are told what becomes of them, in the words that users of Kubernetes and cluster autoscalers look for."""

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.pool import OFFLINE, QUEUE, RESEARCH, Pool, deployment, template


def pod(name, gpus):
    made = template(gpus, "offline-batch", {QUEUE: OFFLINE})
    made["metadata"] |= {"name": name, "namespace": RESEARCH}
    return {"apiVersion": "v1", "kind": "Pod", **made}


@pytest.fixture
def pool(started):
    with Pool(started(Cluster(nodes=10)), [[deployment("none", RESEARCH, OFFLINE, 0, 1, "offline-batch")]]) as pool:
        pool.tidegate()
        pool.fill()
        yield pool


def told(name, reason):
    def there(watch):
        for event in watch.items.values():
            if event["involvedObject"]["name"] == name and event["reason"] == reason:
                return event
        return None

    return there


def condition(name):
    def there(watch):
        for item in watch.items.values():
            if item["metadata"]["name"] == name:
                for each in item.get("status", {}).get("conditions") or []:
                    if each["type"] == "PodScheduled":
                        return each
        return None

    return there


def group_says(message):
    def predicate(watch):
        conditions = [c for g in watch.items.values() for c in g.get("status", {}).get("conditions") or []]
        return any(c.get("message") == message for c in conditions)

    return predicate


def test_a_pod_is_told_where_it_goes_and_one_that_waits_why(pool):
    with pool.cluster.watch("events", ns=RESEARCH) as events:
        pool.api.create_all([pod("fits", 8), pod("waits", 9)])
        assigned = events.until(told("fits", "Scheduled"), 30, "the event Scheduled")
        node = pool.api.get("pods", "fits", ns=RESEARCH)["spec"]["nodeName"]
        assert assigned["message"] == f"Successfully assigned {RESEARCH}/fits to {node}"
        assert assigned["type"] == "Normal"
        assert assigned["involvedObject"]["kind"] == "Pod"
        failed = events.until(told("waits", "FailedScheduling"), 30, "the event FailedScheduling")
        assert failed["type"] == "Warning"
        waits = pool.pods.until(condition("waits"), 30, "the condition PodScheduled")
        assert (waits["status"], waits["reason"], waits["message"]) == ("False", "Unschedulable", failed["message"])
        with pool.cluster.watch("podgroups", ns=RESEARCH) as groups:
            groups.until(group_says(failed["message"]), 30, "the same words on its PodGroup")
        said = [e for e in events.items.values() if e["involvedObject"]["name"] == "waits"]
        assert [(e["reason"], e["count"]) for e in said if e["involvedObject"]["kind"] == "Pod"] == [("FailedScheduling", 1)]
