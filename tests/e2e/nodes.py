"""Objects tests need again and again: simulated nodes and pods, as dicts."""

SIM_LABEL = "tidegate.dev/sim"  # "kubelet": KWOK plays this node


def node(name, gpus=8, labels=None):
    """A node like those of the drill: 16 cores and 128 GiB for each GPU; and a disk."""
    amounts = {"cpu": str(16 * max(gpus, 1)), "memory": f"{128 * max(gpus, 1)}Gi", "pods": "110"}
    amounts["ephemeral-storage"] = "1Ti"
    if gpus:
        amounts["nvidia.com/gpu"] = str(gpus)
    conditions = [{"type": "Ready", "status": "True", "reason": "KubeletReady"}] + [
        {"type": pressure, "status": "False"} for pressure in ("MemoryPressure", "DiskPressure", "PIDPressure")
    ]
    own = {
        SIM_LABEL: "kubelet",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**own, **(labels or {})}},
        "status": {
            "phase": "Running",
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": conditions,
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": name}],
        },
    }


def pod(name, gpus=0, ns="default", scheduler="volcano", node_name=None, **metadata):
    """A pod of one container. Further arguments go into its metadata: labels, annotations, finalizers."""
    amounts = {"cpu": "100m", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    container = {"name": "main", "image": "sim", "resources": {"requests": amounts, "limits": amounts}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": ns, **metadata},
        "spec": {
            "schedulerName": scheduler,
            "containers": [container],
            **({"nodeName": node_name} if node_name else {}),
        },
    }


def phase(watch, key):
    """The phase of a pod of a Watch, "Gone" when there is none."""
    return watch.get(key, "status", "phase") if key in watch.items else "Gone"
