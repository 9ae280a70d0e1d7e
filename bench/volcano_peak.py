"""One peak under tidegate and under a real Volcano, with the same conf and with one that suits it better.

    .venv/bin/python -m bench.volcano_peak [PART OF A NAME]        # only those

The same 25 nodes, jobs, queues and burst on a real API server each time, Volcano as tools/cluster-go/volcano/go.mod names it:
online work has 64 GPUs and asks for 64 more, of which 8 are idle; offline jobs borrow 128, their pods take 5 s to end. After
a minute the peak ends, and two minutes later it is judged what has come back. All is measured from watches.
"""

import contextlib
import sys
import time
from collections import Counter
from dataclasses import dataclass

from tests.e2e.cluster import Cluster
from tests.e2e.pool import GROUP, ONLINE, RESEARCH, SERVING, Pool, bound, conf_text, gpus_of, is_ready, running, vcjob
from tests.e2e.processes import Timeout
from tests.e2e.volcano import VolcanoPool

PEAK, AFTER = 60, 120  # seconds that are waited for the burst, and for what it took to come back

# Quotas are kept, the guarantee is written as `deserved` (Volcano lends nothing of a guarantee), and nodes are filled one
# after the other, else none is left whole for the larger jobs.
WITH_CAPACITY = """
actions: "allocate, backfill, preempt, reclaim"
tiers:
- plugins:
  - name: priority
  - name: gang
- plugins:
  - name: capacity
  - name: drf
  - name: predicates
  - name: binpack
    arguments:
      binpack.weight: 10
      binpack.resources: nvidia.com/gpu
      binpack.resources.nvidia.com/gpu: 10
  - name: nodeorder
    arguments:
      leastrequested.weight: 0
      mostrequested.weight: 1
"""


@dataclass(frozen=True)
class Contender:
    name: str
    conf: str = ""  # of Volcano's scheduler; "": tidegate, with the conf of the drill
    deserved: bool = False  # instead of a guarantee
    gang: bool = False  # the burst is a vcjob of eight pods, else eight more of a Deployment


CONTENDERS = [
    Contender("tidegate, Deployment"),
    Contender("Volcano, Deployment", conf_text()),
    Contender("Volcano with capacity, Deployment", WITH_CAPACITY, deserved=True),
    Contender("tidegate, gang", gang=True),
    Contender("Volcano with capacity, gang", WITH_CAPACITY, deserved=True, gang=True),
]


def online_gang():
    job = vcjob("promo-burst", 8, 8)
    job["metadata"]["namespace"], job["spec"]["queue"] = SERVING, ONLINE
    for spec in (job["spec"], job["spec"]["tasks"][0]["template"]["spec"]):
        spec["priorityClassName"] = "online-critical"
    return job


def burst(pool, contender):
    if not contender.gang:
        return pool.burst(8)
    pool.burst_at, pool.size = time.monotonic(), 16
    pool.api.create(online_gang())


def end_peak(pool, contender):
    pool.end_peak()
    if contender.gang:
        pool.api.delete("jobs.batch.volcano.sh", "promo-burst", ns=SERVING)


def minimums(pool):
    """Of the jobs that are gangs: by name, how many of their pods they cannot do without."""
    specs = {parts[0]["metadata"]["name"]: parts[0]["spec"] for parts in pool.jobs}
    least = {name: spec.get("minAvailable") or spec.get("minMember", 1) for name, spec in specs.items()}
    return {name: count for name, count in least.items() if count > 1}


class Peak:
    """What the watches have seen of one peak."""

    def __init__(self, pool, standing):
        self.pool, self.standing = pool, standing  # the pods on nodes when it ends
        self.events = [event for event in pool.pods.events if event.at >= pool.burst_at]
        self.before = {}
        for event in pool.pods.events:
            if event.at < pool.burst_at and event.object["metadata"]["namespace"] == RESEARCH:
                self.before[event.object["metadata"]["uid"]] = event.object

    def since(self, event):
        return event.at - self.pool.burst_at

    def last_first(self, test):
        """When the last of the online pods first passed the test; None if not all did."""
        firsts = {}
        for event in self.pool.pods.events:
            meta = event.object["metadata"]
            if meta["namespace"] == SERVING and test(event.object):
                firsts.setdefault(meta["uid"], self.since(event))
        return max(firsts.values()) if len(firsts) >= self.pool.size else None

    def evicted(self):
        """Offline pods of before the burst that were told to end in the peak, with the time of the first."""
        ended = {}
        for event in self.events:
            meta = event.object["metadata"]
            if meta["uid"] in self.before and meta.get("deletionTimestamp") and event.at < self.pool.peak_end:
                ended.setdefault(meta["uid"], self.since(event))
        return ended

    def online_evicted(self):
        """Online pods that were told to end before the peak was over, the filling of the pool included."""
        return len({
            event.object["metadata"]["uid"]
            for event in self.pool.pods.events
            if event.object["metadata"]["namespace"] == SERVING
            and event.object["metadata"].get("deletionTimestamp")
            and event.at < self.pool.peak_end
        })  # fmt: skip

    def gangs_broken(self, evicted):
        """Gangs of which pods were evicted below their minimum while others ran on."""
        ran, left = Counter(), Counter()
        for uid, pod in self.before.items():
            group = pod["metadata"].get("annotations", {}).get(GROUP, "")
            ran[group] += 1
            left[group] += uid not in evicted
        return sum(
            group.startswith(name) and 0 < count < least and ran[group] > count
            for group, count in left.items()
            for name, least in minimums(self.pool).items()
        )

    def made_in_the_peak(self):
        return sum(
            event.type == "ADDED" and event.object["metadata"]["namespace"] == RESEARCH and event.at < self.pool.peak_end
            for event in self.events
        )

    def shared_nodes(self):
        """Nodes that a pod of the burst shares with offline work at the end of the peak, of all it stands on."""
        on, offline = set(), set()
        for pod in self.standing:
            (on if pod["metadata"]["namespace"] == SERVING else offline).add(pod["spec"]["nodeName"])
        return f"{len(on & offline)} of {len(on)}"

    def tell(self, name, back):
        evicted = self.evicted()
        gpus = sum(gpus_of(self.before[uid]) for uid in evicted)
        bound_at, ready_at = self.last_first(bound), self.last_first(is_ready)
        seconds = lambda value: "never" if value is None else f"{value:.1f} s"
        cells = [
            name, seconds(min(evicted.values(), default=None)), seconds(bound_at), seconds(ready_at), str(gpus),
            str(self.gangs_broken(evicted)), str(self.made_in_the_peak()), self.shared_nodes(),
            str(self.online_evicted()), back,
        ]  # fmt: skip
        print("| " + " | ".join(cells) + " |", flush=True)


HEAD = [
    "scheduler", "first eviction", "burst bound", "burst ready", "GPUs evicted (56 needed)", "gangs broken",
    "offline pods made in the peak", "nodes shared with offline", "online pods evicted",
    "offline work running again",
]  # fmt: skip


def starts(pool, contender):
    if not contender.conf:
        return pool.tidegate()
    if contender.deserved:
        amounts = {"deserved": {"nvidia.com/gpu": 128}, "guarantee": None}
        pool.api.patch("queues", ONLINE, {"spec": amounts})
    return pool.scheduler(contender.conf)


def play(contender):
    with Cluster(nodes=25) as cluster:
        jobs = Pool.default_jobs(stop="5s", notebooks_stop="5s")
        kind = VolcanoPool(cluster, "volcano-controllers", jobs) if contender.conf else Pool(cluster, jobs)
        with kind as pool:
            starts(pool, contender)
            pool.fill(timeout=120)
            burst(pool, contender)
            with contextlib.suppress(Timeout):
                pool.wait_burst_ready(timeout=PEAK)
            with contextlib.suppress(Timeout):  # the whole peak is watched
                pool.pods.until(lambda w: False, pool.burst_at + PEAK - time.monotonic(), "the peak to end")
            standing = [pod for pod in pool.pods.items.values() if bound(pod)]
            end_peak(pool, contender)
            with contextlib.suppress(Timeout):
                pool.wait_all_back(timeout=AFTER)
            again = f"{len(pool.of(RESEARCH, running))} of {pool.offline_pods()} pods"
            Peak(pool, standing).tell(contender.name, f"{again}, {time.monotonic() - pool.peak_end:.0f} s after the peak")


def main(only):
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD), flush=True)
    for contender in CONTENDERS:
        if only in contender.name:
            play(contender)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
