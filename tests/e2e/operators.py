"""JobSet, Kubeflow's training operator and KubeRay in a test cluster: their definitions, and their controllers as they are.

    with Operators(cluster, ["jobset", "kubeflow"]):            # ["ray"]; gangs=True: they make PodGroups for Volcano
        cluster.api.create(pytorch_job("llm", nodes=2))

Definitions and code are of the modules that tools/cluster-go/operators/go.mod names. Their webhooks do not run, so the jobs
made here carry what those would fill in.
"""

import json
import os
import subprocess
from pathlib import Path

from tests.e2e.cluster import BIN, ROOT, build_programs
from tests.e2e.pool import OFFLINE, QUEUE, RESEARCH, template

MODULE = ROOT / "tools/cluster-go/operators"
CRDS = {
    "jobset": ("sigs.k8s.io/jobset", "config/components/crd/bases", ["jobset.x-k8s.io_jobsets"]),
    "kubeflow": (
        "github.com/kubeflow/training-operator",
        "manifests/base/crds",
        ["kubeflow.org_pytorchjobs", "kubeflow.org_tfjobs", "kubeflow.org_mpijobs"],
    ),
    "ray": (
        "github.com/ray-project/kuberay/ray-operator",
        "config/crd/bases",
        ["ray.io_rayclusters", "ray.io_rayjobs"],
    ),
}


def folder_of(module, of=MODULE):
    """Where Go keeps a module that `of` names; it is fetched if it is not there."""
    go = subprocess.run([ROOT / "scripts/cluster/find-go.sh"], check=True, capture_output=True, text=True).stdout.strip()
    env = {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}
    done = subprocess.run(
        [go, "mod", "download", "-json", module], cwd=of, env=env, check=True, capture_output=True, text=True
    )
    return Path(json.loads(done.stdout)["Dir"])


class Operators:
    def __init__(self, cluster, names, gangs=False):
        self.cluster, self.names, self.gangs = cluster, sorted(names), gangs

    def __enter__(self):
        build_programs("operators")
        for name in self.names:
            self._define(name)
        self.process = self.start()
        return self

    def __exit__(self, *_):
        self.process.stop()

    def start(self):
        flags = ["-gang-scheduler-name=volcano"] if self.gangs else []
        return self.cluster.run("operators", [BIN / "operators", f"-enable={','.join(self.names)}", *flags])

    def _define(self, name):
        module, folder, files = CRDS[name]
        base = folder_of(module) / folder
        # Each is half a megabyte or more, for which Python's YAML takes seconds.
        self.cluster.kubectl("apply", "--server-side", *(arg for file in files for arg in ("-f", base / f"{file}.yaml")))
        for file in files:
            group, plural = file.split("_")
            self.cluster.api.wait_established(f"{plural}.{group}")


def pods_of(gpus, name="main", stop="3s"):
    """A pod template of the offline queue."""
    made = template(gpus, "offline-batch", {QUEUE: OFFLINE, "tidegate.dev/sim-stop": stop})
    made["spec"]["containers"][0]["name"] = name
    if not gpus:
        made["spec"]["containers"][0]["resources"] = {}
    return made


def owner(kind, version, name, spec, labels=None):
    metadata = {"name": name, "namespace": RESEARCH, "labels": labels or {}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def jobset(name, nodes):
    """One child Job for each pod."""
    job = {"parallelism": 1, "completions": 1, "completionMode": "Indexed", "backoffLimit": 0, "template": pods_of(8)}
    spec = {
        "replicatedJobs": [{"name": "node", "replicas": nodes, "template": {"spec": job}}],
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": []},
        "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
    }
    return owner("JobSet", "jobset.x-k8s.io/v1alpha2", name, spec)


def replicas(count, gpus, container):
    made = pods_of(gpus, container)
    del made["spec"]["restartPolicy"]  # that of the replica counts
    return {"replicas": count, "restartPolicy": "OnFailure", "template": made}


def run_policy(pods):
    """The part on gangs is heeded when the operator makes PodGroups."""
    gang = {"queue": OFFLINE, "priorityClass": "offline-batch", "minAvailable": pods}
    return {"cleanPodPolicy": "None", "schedulingPolicy": gang}


def pytorch_job(name, nodes):
    parts = {"Master": replicas(1, 8, "pytorch"), "Worker": replicas(nodes - 1, 8, "pytorch")}
    return owner("PyTorchJob", "kubeflow.org/v1", name, {"runPolicy": run_policy(nodes), "pytorchReplicaSpecs": parts})


def tf_job(name, nodes):
    parts = {"Worker": replicas(nodes, 8, "tensorflow")}
    return owner("TFJob", "kubeflow.org/v1", name, {"runPolicy": run_policy(nodes), "tfReplicaSpecs": parts})


def mpi_job(name, nodes):
    parts = {"Launcher": replicas(1, 0, "mpi"), "Worker": replicas(nodes, 8, "mpi")}
    spec = {"runPolicy": run_policy(nodes + 1), "slotsPerWorker": 8, "mpiReplicaSpecs": parts}
    return owner("MPIJob", "kubeflow.org/v1", name, spec)


def ray_cluster_spec(nodes):
    workers = {"groupName": "node", "replicas": nodes, "minReplicas": nodes, "maxReplicas": nodes, "rayStartParams": {}}
    head, worker = pods_of(0, "ray-head"), pods_of(8, "ray-worker")
    del head["spec"]["restartPolicy"], worker["spec"]["restartPolicy"]
    head_group = {"rayStartParams": {}, "template": head}
    return {"rayVersion": "2.52.0", "headGroupSpec": head_group, "workerGroupSpecs": [{**workers, "template": worker}]}


# The labels are heeded when the operator makes PodGroups.
RAY_LABELS = {"volcano.sh/queue-name": OFFLINE, "ray.io/priority-class-name": "offline-batch"}


def ray_cluster(name, nodes):
    return owner("RayCluster", "ray.io/v1", name, ray_cluster_spec(nodes), RAY_LABELS)


def ray_job(name, nodes):
    spec = {
        "entrypoint": "python train.py",
        "shutdownAfterJobFinishes": True,
        "submitterPodTemplate": pods_of(0, "ray-job-submitter"),
        "rayClusterSpec": ray_cluster_spec(nodes),
    }
    return owner("RayJob", "ray.io/v1", name, spec, RAY_LABELS)


def slow_to_stop(job):
    """The same job with pods that want two minutes to end."""
    if isinstance(job, list):
        return [slow_to_stop(part) for part in job]
    if not isinstance(job, dict):
        return job
    made = {key: slow_to_stop(value) for key, value in job.items()}
    if "containers" in made.get("spec", {}):
        made["metadata"]["annotations"]["tidegate.dev/sim-stop"] = "120s"
        made["spec"]["terminationGracePeriodSeconds"] = 120
    return made


def wanted(job):
    """How many pods the job has when it runs."""
    spec = job["spec"]
    if "replicatedJobs" in spec:
        return sum(part["replicas"] * part["template"]["spec"]["parallelism"] for part in spec["replicatedJobs"])
    for key in ("pytorchReplicaSpecs", "tfReplicaSpecs", "mpiReplicaSpecs"):
        if key in spec:
            return sum(part["replicas"] for part in spec[key].values())
    if "rayClusterSpec" in spec:
        return 2 + sum(group["replicas"] for group in spec["rayClusterSpec"]["workerGroupSpecs"])  # the submitter too
    return 1 + sum(group["replicas"] for group in spec["workerGroupSpecs"])


def operator_of(job):
    return {"jobset.x-k8s.io": "jobset", "kubeflow.org": "kubeflow", "ray.io": "ray"}[job["apiVersion"].split("/")[0]]


def policy_of(spec):
    """Where the suspend flag of a job stands."""
    return spec["runPolicy"] if "runPolicy" in spec else spec


def suspended(job):
    return bool(policy_of(job["spec"]).get("suspend"))
