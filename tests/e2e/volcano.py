"""Volcano as it is in a test cluster, and tidegate installed into it by one of the overlays.

    with VolcanoPool(cluster, overlay="volcano-controllers") as pool:   # a Pool (pool.py); Volcano's controllers run
        pool.scheduler()                                                # and, if asked for, its scheduler
        pool.tidegate()                                                 # as the overlay runs it, with no more rights
        pool.fill()

Which version: tools/cluster-go/volcano/go.mod. Its webhooks do not run.
"""

import copy

import yaml

from tests.e2e.cluster import BIN, ROOT, build_programs
from tests.e2e.manifests import render
from tests.e2e.operators import folder_of
from tests.e2e.pool import EXAMPLE, Pool, install

MODULE = ROOT / "tools/cluster-go/volcano"
SYSTEM = "tidegate-system"


def define(cluster):
    """Volcano's own definitions."""
    base = folder_of("volcano.sh/volcano", MODULE) / "config/crd"
    files = [file for part in ("volcano", "jobflow") for file in sorted((base / part / "bases").glob("*.yaml"))]
    # Some are a quarter of a megabyte, for which Python's YAML takes seconds.
    named = (arg for file in files for arg in ("-f", file))
    cluster.kubectl("apply", "--server-side", "--force-conflicts", *named)
    for kind in ("queues.scheduling.volcano.sh", "podgroups.scheduling.volcano.sh", "jobs.batch.volcano.sh"):
        cluster.api.wait_established(kind)


def queues():
    """Those of the drill, with the capability where Volcano's definition has it."""
    made = list(yaml.safe_load_all((EXAMPLE / "queues.yaml").read_text()))
    for queue in made:
        queue["spec"]["capability"] = queue["spec"]["capability"]["resource"]
    return made


def start(cluster, program, *flags):
    build_programs(program)
    common = [f"--kubeconfig={cluster.kubeconfig}", "--leader-elect=false", "--logtostderr"]
    return cluster.run(program, [BIN / program, *common, *flags])


def start_scheduler(cluster, conf):
    """Volcano's, with that volcano-scheduler.conf."""
    file = cluster.dir / "volcano-scheduler.conf"
    file.write_text(conf)
    return start(cluster, "volcano-scheduler", f"--scheduler-conf={file}", "--listen-address=127.0.0.1:0")


class VolcanoPool(Pool):
    def __init__(self, cluster, overlay, jobs=None):
        super().__init__(cluster, jobs)
        self.overlay = render(overlay)

    def install(self):
        define(self.cluster)
        install(self.cluster, definitions=[], queues=queues())
        self.api.apply([obj for obj in self.overlay if obj["kind"] != "Deployment"])
        self.controllers = start(self.cluster, "volcano-controllers", "--healthz-address=127.0.0.1:0")

    def scheduler(self, conf):
        return start_scheduler(self.cluster, conf)

    def tidegate(self, *args, name="tidegate", **more):
        deployment = next(obj for obj in self.overlay if obj["kind"] == "Deployment")
        flags = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
        account = self.cluster.service_account_kubeconfig(SYSTEM, "tidegate")
        own = ["--listen=127.0.0.1:0", "--log-format=text"]
        kept = [flag for flag in flags if flag.split("=")[0] not in ("--listen", "--log-format")]
        process = self.cluster.tidegate(*kept, *own, *args, name=name, kubeconfig=account, **more)
        process.wait_line("leading", timeout=40)
        return process


def scheduled_by(scheduler, obj):
    """A copy of a vcjob, Job or Deployment whose pods name that scheduler."""
    made = copy.deepcopy(obj)
    spec = made["spec"]
    if "tasks" in spec:
        spec["schedulerName"] = scheduler
    for template in [part["template"] for part in spec.get("tasks", [spec])]:
        template["spec"]["schedulerName"] = scheduler
    return made
