"""A peak that takes the nodes of jobs of other operators, and what must hold for each of these jobs.

    with OperatorPool(cluster, [pytorch_job("pytorch", 2)]) as pool:
        pool.tidegate()
        pool.fill()
        pool.burst(2)
        ...                                   # as pool.py has it
        pool.check_runs_again("pytorch")

Beside each job stands one of the same kind that its user has suspended, "kept-<name>".
"""

import copy
import datetime
import time

from tests.e2e.operators import Operators, operator_of, policy_of, suspended, wanted
from tests.e2e.pool import GPU, ONLINE, RESEARCH, Pool, running

class OperatorPool(Pool):
    wanted = staticmethod(wanted)

    stop = 3  # seconds that a pod takes to end (operators.py)

    def __init__(self, cluster, jobs, gangs=False):
        super().__init__(cluster, [[kept_by_its_user(job), job] for job in jobs])
        self.by_name = {job["metadata"]["name"]: job for job in jobs}
        self._operators = Operators(cluster, {operator_of(job) for job in jobs}, gangs)

    def __enter__(self):
        super().__enter__()
        # All that online may have, so that one burst takes the nodes of every job.
        self.api.patch("queues", ONLINE, {"spec": {"guarantee": {"resource": {GPU: 192}}}})
        self._stack.enter_context(self._operators)
        kinds = {job["kind"] for job in self.by_name.values()}
        self.owners = {kind: self._stack.enter_context(self.cluster.watch(f"{kind.lower()}s")) for kind in kinds}
        return self

    def __exit__(self, *_):
        self._stack.close()

    # --- questions -------------------------------------------------------------------------------------------

    def owner_events(self, name, kept=False):
        watch = self.owners[self.by_name[name]["kind"]]
        key = f"{RESEARCH}/kept-{name}" if kept else f"{RESEARCH}/{name}"
        return [event for event in watch.events if event.key == key]

    def pod_events(self, name):
        """Of all pods the job has ever had: their names begin with that of the job."""
        return [
            event
            for event in self.pods.events
            if event.object["metadata"]["namespace"] == RESEARCH and event.object["metadata"]["name"].startswith(f"{name}-")
        ]

    def in_peak(self, events):
        return [event for event in events if self.burst_at < event.at < self.peak_end]

    def uids(self, events):
        return {event.object["metadata"]["uid"] for event in events}

    # --- what must hold --------------------------------------------------------------------------------------

    def check_suspended_in_the_peak(self, name):
        before = [event.object for event in self.owner_events(name) if event.at < self.burst_at]
        until_end = [event.object for event in self.owner_events(name) if event.at < self.peak_end]
        assert not suspended(before[-1]), f"{name} was suspended before the burst"
        assert suspended(until_end[-1]), f"{name} was not suspended when the peak ended"
        assert "tidegate.dev/suspend" in until_end[-1]["metadata"]["annotations"]

    def check_pods_were_gone_by_the_deadline(self, name):
        first = self.uids(event for event in self.pod_events(name) if event.at < self.burst_at)
        gone = [event for event in self.in_peak(self.pod_events(name)) if event.type == "DELETED"]
        assert len(first) == wanted(self.by_name[name])
        assert self.uids(gone) == first, f"of {len(first)} pods of {name} {len(gone)} have gone"
        for event in gone:
            late = event.at - self.deadline(event.object["metadata"]["uid"])
            assert late < 1, f"{event.object['metadata']['name']} was gone {late:.1f} s late"  # a second: kwok_stages.yaml

    def check_pods_had_time_to_stop(self, name):
        """None was killed before its process had ended by itself."""
        for event in self.in_peak(self.pod_events(name)):
            meta, status = event.object["metadata"], event.object["status"]
            if meta.get("deletionTimestamp") and status["phase"] == "Running":
                assert meta["deletionGracePeriodSeconds"] >= self.stop, f"{meta['name']} has too short a grace"
            if event.type == "DELETED":
                codes = {state["state"]["terminated"]["exitCode"] for state in status["containerStatuses"]}
                assert codes == {143}, f"{meta['name']} did not end by SIGTERM: {codes}"

    def deadline(self, uid):
        """Of the recall that names the pod, or where none does (no GPU is freed by it) of the last; on the clock of events."""
        recalls = [event.object["spec"] for event in self.in_peak(self.recalls.events)]
        naming = [spec for spec in recalls if any(pod["uid"] == uid for v in spec["victims"] for pod in v.get("pods", []))]
        last = max(datetime.datetime.fromisoformat(spec["deadline"]) for spec in naming or recalls)
        return time.monotonic() + last.timestamp() - time.time()

    def check_none_made_in_the_peak(self, name):
        made = [event.object["metadata"]["name"] for event in self.in_peak(self.pod_events(name)) if event.type == "ADDED"]
        assert not made, f"made in the peak: {made}"

    def check_runs_again(self, name):
        last = self.owner_events(name)[-1].object
        assert not suspended(last), f"{name} is still suspended"
        assert "tidegate.dev/suspend" not in last["metadata"].get("annotations", {})
        alive = self.of(RESEARCH, lambda pod: pod["metadata"]["name"].startswith(f"{name}-") and running(pod))
        assert len(alive) == wanted(self.by_name[name])

    def check_never_failed(self, name):
        for event in self.owner_events(name):
            status = event.object.get("status", {})
            failed = [c for c in status.get("conditions") or [] if c["type"] == "Failed" and c["status"] == "True"]
            assert not failed, f"{name} has failed: {failed}"
            assert status.get("jobDeploymentStatus") not in ("Failed", "ValidationFailed"), f"{name} has failed"
        children = [event.object for event in self.batch.events if event.object["metadata"]["name"].startswith(name)]
        assert not [child for child in children if child.get("status", {}).get("failed")], f"{name} counts failures"

    def check_kept(self, name):
        """The user's own suspension was never lifted."""
        events = self.owner_events(name, kept=True)
        assert events
        assert all(suspended(event.object) for event in events)
        assert not any("tidegate.dev/suspend" in event.object["metadata"].get("annotations", {}) for event in events)
        assert not self.pod_events(f"kept-{name}")


def kept_by_its_user(job):
    kept = copy.deepcopy(job)
    kept["metadata"]["name"] = f"kept-{job['metadata']['name']}"
    policy_of(kept["spec"])["suspend"] = True
    return kept
