"""The promo drill on a real API server for each shape and way of bursting, with the example's own queues and conf.

    .venv/bin/python -m bench.live_drills [DRILL FLAGS]

A cluster of 25 KWOK nodes and one `tidegate run` serve all nine drills, one after the other. A line for each: what
was measured, and which checks failed; the reports go to out/drill-live. Exits 1 if one did. Flags go to `tidegate drill` after those given here.
"""

import itertools
import json
import sys

from tests.e2e.cluster import Cluster
from tests.e2e.manifests import DEPLOY

EXAMPLE = DEPLOY.parent / "examples" / "promo-drill"
OUT = DEPLOY.parent / "out" / "drill-live"
SHAPES = ["8x8", "16x4", "64x1"]
BURSTS = ["deployment", "job", "pods"]
# Victims take 5 s to stop. The peak is short: what is to be seen is over before.
TIMES = ["--stop", "5s", "--peak", "30s"]


def drill(cluster, shape, burst, flags):
    name = f"{shape}-{burst}"
    report = OUT / name / "report.json"
    report.unlink(missing_ok=True)
    args = ["--kubeconfig", cluster.kubeconfig, "--queues", EXAMPLE / "queues.yaml", "--out", OUT / name]
    run = cluster.tidegate("drill", *args, "--shape", shape, "--burst", burst, *TIMES, *flags, name=f"drill-{name}")
    code = run.wait(timeout=900)
    if not report.exists():
        return code, [f"no report: {run.tail()}"]
    checks = [check for bar in json.loads(report.read_text())["runs"][0]["bars"] for check in bar["checks"]]
    return code, [f"{check['id']} {check['measured']}{'' if check['holds'] else ' FAILED'}" for check in checks]


def main(flags):
    with Cluster(nodes=25) as cluster:
        cluster.api.apply(DEPLOY / "crds")
        cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "volcano-system"}})
        cluster.api.apply(EXAMPLE / "volcano-scheduler.conf.yaml")
        conf = "volcano-system/volcano-scheduler-configmap"
        run = cluster.tidegate("run", "--conf-map", conf, "--listen", "127.0.0.1:0")
        run.wait_line("leading", timeout=20)
        failed = 0
        for shape, burst in itertools.product(SHAPES, BURSTS):
            code, told = drill(cluster, shape, burst, flags)
            failed += code != 0
            print(f"{shape:5} {burst:10} {'all bars hold' if code == 0 else f'exit {code}'}: {', '.join(told)}", flush=True)
        print(f"{9 - failed} of 9 drills passed")
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
