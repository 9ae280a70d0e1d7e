"""Figures of tidegate on a real API server with simulated nodes; for docs/performance.md.

    .venv/bin/python -m bench.cluster_bench throughput [--nodes 1000] [--pods 3000]
    .venv/bin/python -m bench.cluster_bench footprint [--nodes 5000] [--pods 50000] [--idle 60]

throughput: the pods exist before the scheduler starts; pods per second from the first pod bound to the last, for
kube-scheduler as it comes, for kube-scheduler with its client limits lifted, for tidegate with plain pods, and for
tidegate with gangs of 8. Each scheduler gets a fresh cluster. One pod is bound before the clock starts, so start-up and
the first list do not count.

footprint: resident memory and, once nothing happens any more, the share of one core.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.e2e.cluster import Cluster  # noqa: E402
from tests.e2e.manifests import DEPLOY  # noqa: E402

NS = "default"


def make_pod(name, scheduler, group=None):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": NS,
            "annotations": {"scheduling.k8s.io/group-name": group} if group else {},
        },
        "spec": {
            "schedulerName": scheduler,
            "terminationGracePeriodSeconds": 30,
            "containers": [
                {"name": "main", "image": "busybox", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}
            ],
        },
    }


def create_all(api, objects):
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(api.create, objects):
            pass


def workload(count, scheduler, gang):
    pods, groups = [], []
    for i in range(count):
        group = f"gang-{i // gang}" if gang else None
        if gang and i % gang == 0:
            groups.append(
                {
                    "apiVersion": "scheduling.volcano.sh/v1beta1",
                    "kind": "PodGroup",
                    "metadata": {"name": group, "namespace": NS},
                    "spec": {"minMember": gang, "queue": "default"},
                }
            )
        pods.append(make_pod(f"pod-{i}", scheduler, group))
    return groups, pods


def bound_times(cluster, count, start, timeout):
    """Starts a scheduler and returns when each of the pods was bound."""
    at = {}
    with cluster.watch("pods", ns=NS) as pods:
        seen = 0

        def all_bound(watch):
            nonlocal seen
            for event in watch.events[seen:]:
                if event.object["spec"].get("nodeName"):
                    at.setdefault(event.key, event.at)
            seen = len(watch.events)
            return len(at) >= count

        process = start()
        pods.until(all_bound, timeout, f"{count} pods to be bound")
    return sorted(at.values()), process


def measure(name, args, scheduler, start, gang=0):
    count = args.pods - args.pods % (gang or 1)  # a gang that is short of pods would wait for ever
    with Cluster(nodes=args.nodes, controllers=False, kwok=False) as cluster:
        cluster.api.apply(DEPLOY / "crds")
        groups, pods = workload(count, scheduler, gang)
        create_all(cluster.api, groups)
        create_all(cluster.api, pods)
        times, process = bound_times(cluster, count, lambda: start(cluster), 900)
        seconds = times[-1] - times[0]
        rate = (len(times) - 1) / seconds
        cpu = cpu_seconds(process.pid)
        print(f"{name:34} {rate:8.0f} pods/s  {seconds:6.1f} s  {cpu:6.1f} s CPU  {memory(process.pid):5.0f} MB", flush=True)
        return rate


def throughput(args):
    def tidegate(cluster):
        return cluster.tidegate("run", "--components", "scheduler", "--listen", "127.0.0.1:0")

    unlimited = lambda cluster: cluster.kube_scheduler("--kube-api-qps=5000", "--kube-api-burst=10000")  # noqa: E731
    rates = {
        "default": measure("kube-scheduler", args, "default-scheduler", lambda c: c.kube_scheduler()),
        "unlimited": measure("kube-scheduler, client unlimited", args, "default-scheduler", unlimited),
        "plain": measure("tidegate, plain pods", args, "tidegate", tidegate),
        "gangs": measure("tidegate, gangs of 8", args, "tidegate", tidegate, gang=8),
    }
    for name in ("plain", "gangs"):
        print(
            f"{name}: {rates[name] / rates['default']:.1f} x kube-scheduler, "
            f"{rates[name] / rates['unlimited']:.1f} x without its client limits"
        )


def footprint(args):
    with Cluster(nodes=args.nodes, kwok=False) as cluster:
        cluster.api.apply(DEPLOY / "crds")
        process = cluster.tidegate("run", "--listen", "127.0.0.1:0")
        per = 1000
        with cluster.watch("pods", ns=NS) as pods:
            for i in range(args.pods // per):
                cluster.api.create(deployment(f"load-{i}", per))
            pods.until(lambda w: bound_count(w, args.pods), 3600, f"{args.pods} pods to be bound")
        print(f"filled: {memory(process.pid):.0f} MB, most {memory(process.pid, 'VmHWM'):.0f} MB", flush=True)
        process.stop()
        process = cluster.tidegate("run", "--listen", "127.0.0.1:0", name="again")
        process.wait_line("leading", timeout=60)
        time.sleep(20)  # a measurement, not a wait for something
        before, began = cpu_seconds(process.pid), time.monotonic()
        time.sleep(args.idle)
        share = (cpu_seconds(process.pid) - before) / (time.monotonic() - began)
        print(f"restarted: {memory(process.pid):.0f} MB, most {memory(process.pid, 'VmHWM'):.0f} MB")
        print(f"idle: {100 * share:.2f} % of a core over {args.idle} s")


def bound_count(watch, want):
    return len(watch.items) >= want and all(pod["spec"].get("nodeName") for pod in watch.items.values())


def deployment(name, replicas):
    pod = make_pod(name, "tidegate")
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NS},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": pod["spec"]},
        },
    }


def memory(pid, field="VmRSS"):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu_seconds(pid):
    # In nanoseconds; the times in /proc/PID/stat are sampled and miss what is short.
    stats = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(stat.read_text().split()[0]) for stat in stats) / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, nodes, pods in (("throughput", throughput, 1000, 3000), ("footprint", footprint, 5000, 50000)):
        command = commands.add_parser(name)
        command.add_argument("--nodes", type=int, default=nodes)
        command.add_argument("--pods", type=int, default=pods)
        command.add_argument("--idle", type=int, default=60)
        command.set_defaults(run=run)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
