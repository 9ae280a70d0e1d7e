"""A pool shared by online and offline work on a simulated cluster, and what must hold while a peak takes it back.

    with Pool(cluster) as pool:                    # the seed's queues and conf, namespaces, priority classes
        pool.fill()                                # offline jobs of every kind of owner borrow the whole pool
        pool.burst(8)                              # 8 pods of 8 GPUs
        pool.wait_burst_ready(timeout=30)
        pool.end_peak()
        pool.wait_all_back(timeout=120)
        pool.check()                               # what may never have happened

The watches run from the first moment to the last, so `check` judges everything that has happened, not samples.
"""

import time
from contextlib import ExitStack

import yaml

from tests.e2e.manifests import DEPLOY, ROOT

EXAMPLE = ROOT / "examples/promo-drill"
ONLINE, OFFLINE = "promo-online-queue", "offline-research-queue"
SERVING, RESEARCH = "promo", "research"
GPU = "nvidia.com/gpu"
PHASES = ["Planned", "Signalled", "Stopping", "Released", "HandedOver"]
QUEUE, GROUP = "scheduling.volcano.sh/queue-name", "scheduling.k8s.io/group-name"


def install(cluster, definitions=DEPLOY / "crds", queues=EXAMPLE / "queues.yaml"):
    """What an administrator installs: definitions, queues, conf, priority classes, namespaces."""
    cluster.api.apply(definitions)
    for name in (SERVING, RESEARCH, "volcano-system"):
        cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for name, value in (("online-critical", 100000), ("offline-batch", 1000)):
        cluster.api.apply(
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        )
    cluster.api.apply(queues)
    cluster.api.apply(EXAMPLE / "volcano-scheduler.conf.yaml")


def queue(name, **spec):
    meta = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}}
    return {**meta, "spec": {"weight": 1, "reclaimable": True, **spec}}


def template(gpus, priority, annotations=None, labels=None, restart="Never"):
    return {
        "metadata": {"labels": labels or {}, "annotations": annotations or {}},
        "spec": {
            "schedulerName": "volcano",
            "restartPolicy": restart,
            "priorityClassName": priority,
            "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "main", "image": "busybox", "resources": {"limits": {GPU: gpus}}}],
        },
    }


def vcjob(name, pods, gpus, minimum=None, stop="3s"):
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": RESEARCH},
        "spec": {
            "schedulerName": "volcano",
            "queue": OFFLINE,
            "minAvailable": minimum or pods,
            "priorityClassName": "offline-batch",
            "policies": [{"event": "PodEvicted", "action": "RestartJob"}],
            "tasks": [
                {
                    "name": "worker",
                    "replicas": pods,
                    "template": template(gpus, "offline-batch", {"tidegate.dev/sim-stop": stop}),
                }
            ],
        },
    }


def batch_job(name, pods, gpus, stop="3s"):
    """A gang of a batch Job, with the PodGroup that its pods name."""
    group = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": RESEARCH},
        "spec": {"queue": OFFLINE, "minMember": pods, "priorityClassName": "offline-batch"},
    }
    annotations = {GROUP: name, "tidegate.dev/sim-stop": stop}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": RESEARCH},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "backoffLimit": 0,
            "template": template(gpus, "offline-batch", annotations),
        },
    }
    return [group, job]


def deployment(name, ns, queue, pods, gpus, priority, stop="1s"):
    annotations = {QUEUE: queue, "tidegate.dev/sim-stop": stop}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": ns},
        "spec": {
            "replicas": pods,
            "selector": {"matchLabels": {"app": name}},
            "template": template(gpus, priority, annotations, {"app": name}, restart="Always"),
        },
    }


def is_ready(pod):
    conditions = pod.get("status", {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def alive(pod):
    return pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")


def bound(pod):
    return bool(pod["spec"].get("nodeName")) and alive(pod)


def gpus_of(pod):
    return sum(int(c["resources"].get("limits", {}).get(GPU, 0)) for c in pod["spec"]["containers"])


class Pool:
    def __init__(self, cluster, jobs=None):
        self.cluster, self.api = cluster, cluster.api
        self.online = deployment("ranker", SERVING, ONLINE, 8, 8, "online-critical")
        self.jobs = jobs or self.default_jobs()
        self._stack = ExitStack()
        self.burst_at = self.peak_end = None

    @staticmethod
    def default_jobs(stop="3s", notebooks_stop="1s"):
        """128 GPUs, all that offline may borrow: gangs of two kinds of owner, an elastic job, a plain Deployment."""
        return [
            [vcjob("sft", 4, 8, stop=stop)],
            [vcjob("lora-a", 2, 8, stop=stop)],
            batch_job("clean", 2, 8, stop=stop),
            [vcjob("eval", 8, 4, stop=stop)],
            [vcjob("sweep", 8, 1, minimum=1, stop=stop)],
            batch_job("tokenize", 2, 8, stop=stop),
            [deployment("notebooks", RESEARCH, OFFLINE, 8, 1, "offline-batch", stop=notebooks_stop)],
        ]

    def install(self):
        install(self.cluster)

    def __enter__(self):
        self.install()
        for name in ("pods", "recalls", "podgroups", "queues"):
            setattr(self, name, self._stack.enter_context(self.cluster.watch(name)))
        self.vcjobs = self._stack.enter_context(self.cluster.watch("jobs.batch.volcano.sh"))
        self.batch = self._stack.enter_context(self.cluster.watch("jobs.batch"))
        return self

    def __exit__(self, *_):
        self._stack.close()

    def tidegate(self, *args, name="tidegate", **more):
        process = self.cluster.tidegate(
            "run", "--conf-map", "volcano-system/volcano-scheduler-configmap", "--listen", "127.0.0.1:0", *args,
            name=name, **more,
        )  # fmt: skip
        return process

    # --- what happens ----------------------------------------------------------------------------------------

    def fill(self, timeout=60):
        """Online at rest (64 GPUs), offline on all it may borrow."""
        self.api.create(self.online)
        self.pods.until(lambda w: len(self.of(SERVING, bound)) == 8, timeout, "online to be bound")
        for parts in self.jobs:
            self.api.create_all(parts)
        want = self.offline_pods()
        self.pods.until(lambda w: len(self.of(RESEARCH, running)) == want, timeout, f"{want} offline pods to run")

    def offline_pods(self):
        """So many its jobs have when all of them run."""
        return sum(self.wanted(parts[-1]) for parts in self.jobs)

    @staticmethod
    def wanted(job):
        spec = job["spec"]
        if "tasks" in spec:
            return sum(task["replicas"] for task in spec["tasks"])
        return spec.get("parallelism") or spec["replicas"]

    def burst(self, pods=8):
        self.burst_at = time.monotonic()
        self.api.patch("deployments", "ranker", {"spec": {"replicas": 8 + pods}}, ns=SERVING)
        self.size = 8 + pods

    def wait_burst_ready(self, timeout=30):
        def done(_):
            ready = self.of(SERVING, lambda pod: is_ready(pod) and not pod["metadata"].get("deletionTimestamp"))
            return len(ready) == self.size

        self.pods.until(done, timeout, "every online pod to be ready")
        return time.monotonic() - self.burst_at

    def end_peak(self):
        self.peak_end = time.monotonic()
        self.api.patch("deployments", "ranker", {"spec": {"replicas": 8}}, ns=SERVING)

    def wait_all_back(self, timeout=180):
        want = self.offline_pods()
        self.pods.until(lambda w: len(self.of(RESEARCH, running)) == want, timeout, f"{want} offline pods to be back")

    def recovers(self):
        """After whatever has happened: the peak is served, ends, and every job runs again."""
        self.wait_burst_ready(timeout=60)
        self.end_peak()
        self.wait_all_back(timeout=180)
        self.check()

    # --- questions -------------------------------------------------------------------------------------------

    def of(self, ns, test=lambda pod: True):
        return [pod for pod in list(self.pods.items.values()) if pod["metadata"]["namespace"] == ns and test(pod)]

    @staticmethod
    def phase(*phases):
        """The first recall that is in one of them."""

        def there(watch):
            for recall in watch.items.values():
                if recall.get("status", {}).get("phase") in phases:
                    return recall
            return None

        return there

    def wait_phase(self, phase, timeout=20):
        """The first recall that has come to this phase or beyond it."""
        return self.recalls.until(self.phase(*PHASES[PHASES.index(phase) :]), timeout, f"a recall that has come to {phase}")

    def victims(self):
        """Names of the jobs that recalls have stopped wholly, by "namespace/podgroup"."""
        found = set()
        for event in self.recalls.events:
            for victim in event.object["spec"].get("victims", []):
                if victim.get("whole", True) and victim.get("phase") != "Cancelled":
                    found.add(victim["gang"])
        return found

    # --- what must hold --------------------------------------------------------------------------------------

    def check(self):
        self.check_nodes()
        self.check_gangs_go_whole()
        self.check_no_offline_pod_made_in_the_peak()
        self.check_evicted_once()

    def check_nodes(self):
        """No node was ever given more GPUs than it has."""
        on, size = {}, {}
        for event in self.pods.events:
            pod, uid = event.object, event.object["metadata"]["uid"]
            node = pod["spec"].get("nodeName")
            if not node:
                continue
            if event.type == "DELETED" or not alive(pod):
                on.get(node, {}).pop(uid, None)
            else:
                on.setdefault(node, {})[uid] = gpus_of(pod)
            size[node] = sum(on.get(node, {}).values())
            assert size[node] <= 8, f"{node} holds {size[node]} GPUs: {on[node]}"

    def check_gangs_go_whole(self):
        """Of a gang that was recalled no pod of before the burst is left when the peak is over."""
        for gang in self.victims():
            ns, name = gang.split("/")
            first = {
                e.object["metadata"]["uid"]
                for e in self.pods.events
                if e.at < self.burst_at
                and e.object["metadata"]["namespace"] == ns
                and e.object["metadata"].get("annotations", {}).get(GROUP) == name
            }
            gone = {e.object["metadata"]["uid"] for e in self.pods.events if e.type == "DELETED"}
            assert first <= gone, f"{gang} was broken: {len(first - gone)} of {len(first)} pods were left"

    def check_no_offline_pod_made_in_the_peak(self):
        """A job that is suspended makes no pods, or there is a storm of retries."""
        until = self.peak_end or time.monotonic()
        stopped = {}
        for event in self.pods.events:
            meta = event.object["metadata"]
            group = f'{meta["namespace"]}/{meta.get("annotations", {}).get(GROUP)}'
            if group in self.victims() and meta.get("deletionTimestamp") and self.burst_at < event.at < until:
                stopped.setdefault(group, event.at)
        for event in self.pods.events:
            meta = event.object["metadata"]
            group = f'{meta["namespace"]}/{meta.get("annotations", {}).get(GROUP)}'
            if event.type == "ADDED" and group in stopped and stopped[group] + 0.5 < event.at < until:
                raise AssertionError(f'{meta["name"]} of {group} was made while its job was suspended')

    def check_evicted_once(self):
        """A pod's end may be brought forward, never put off.

        The API server moves a shortened end that already lies in the past to now, with a grace of 0 or 1 s
        (apiserver's registry/rest/delete.go): those, a kubelet's last word among them, put nothing off.
        """
        asked = {}
        for event in self.pods.events:
            meta = event.object["metadata"]
            stamp, grace = meta.get("deletionTimestamp"), meta.get("deletionGracePeriodSeconds", 0)
            if stamp and grace > 1:
                before = asked.setdefault(meta["uid"], stamp)
                assert stamp <= before, f'{meta["name"]}: its end was put off from {before} to {stamp}, grace {grace} s'
                asked[meta["uid"]] = stamp


def running(pod):
    return pod.get("status", {}).get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")


def conf_map(text):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"},
        "data": {"volcano-scheduler.conf": text},
    }


def conf_text():
    return yaml.safe_load((EXAMPLE / "volcano-scheduler.conf.yaml").read_text())["data"]["volcano-scheduler.conf"]
