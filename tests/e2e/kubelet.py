"""A real node: containerd, runc and kubelet on this machine, with GPUs written into the node's status.

    with Cluster(nodes=0, kwok=False) as cluster, RealNode(cluster) as node:
        image = node.load_image("train", files={"/bin/train.sh": "#!/bin/sh\n…"})
        cluster.api.create(…a pod with image and imagePullPolicy: Never…)

Needs root, cgroups (v1 or v2), containerd, runc and the CNI plugins (`scripts/install-deps.sh kubelet`). Pods get an
address by a veth pair and can be reached from this machine; they reach the host and nothing else.
"""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import yaml

from tests.e2e.cluster import BIN, build_programs
from tests.e2e.images import BUSYBOX, write_image
from tests.e2e.processes import free_port, poll
from tests.e2e.rest import STRATEGIC

CNI_PLUGINS = next((path for path in map(Path, ("/usr/lib/cni", "/opt/cni/bin")) if (path / "ptp").exists()), None)
SOCKETS = Path("/run")  # a socket's path has at most 107 characters, a folder under build may be longer
PREFIX = "tidegate-e2e-"
CGROUPS = Path("/sys/fs/cgroup")


def missing_for_real_node():
    """What this machine lacks, as one line, or nothing."""
    lacks = [program for program in ("containerd", "runc", "ctr") if not shutil.which(program)]
    lacks += [] if os.geteuid() == 0 else ["root"]
    lacks += [] if CNI_PLUGINS else ["CNI plugins"]
    lacks += [] if BUSYBOX.exists() else ["/bin/busybox"]
    v2, v1 = CGROUPS / "cgroup.controllers", CGROUPS / "memory"
    lacks += [] if v2.exists() or v1.exists() else ["cgroups"]
    return ", ".join(lacks)


class RealNode:
    def __init__(self, cluster, name="real-1", gpus=8):
        self.cluster, self.name, self.gpus = cluster, name, gpus
        self.dir = cluster.dir / name
        self.run_dir = SOCKETS / f"{PREFIX}{os.getpid()}"
        self.cgroup = f"/{self.run_dir.name}"
        self._containerd = self._kubelet = None

    def __enter__(self):
        lacks = missing_for_real_node()
        if lacks:
            raise RuntimeError(f"a real kubelet cannot run here, missing: {lacks} (scripts/install-deps.sh kubelet)")
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

    def start(self):
        build_programs("kubelet")
        sweep_dead()
        self.dir.mkdir()
        self.run_dir.mkdir(exist_ok=True)
        (self.run_dir / "data").write_text(str(self.dir))
        self._start_containerd()
        self.load_image("pause")
        self._start_kubelet()
        self._wait_ready()
        self._fill_status()
        return self

    def stop(self):
        """Ends the pods, then the programs, and takes down what they mounted."""
        try:
            if self._kubelet and self._kubelet.running:
                self._end_pods()
        finally:
            for process in (self._kubelet, self._containerd):
                if process:
                    process.stop()
            sweep(self.run_dir, self.dir)

    def load_image(self, name, command=("sleep", "2147483647"), files=None):
        """Makes an image of busybox and these files known to containerd; its name for a pod's spec."""
        tag = f"tidegate.dev/{name}:1"
        archive = write_image(self.dir / f"{name}.tar", tag, command, files)
        self.ctr("images", "import", "--snapshotter", "native", archive)
        archive.unlink()
        return tag

    def ctr(self, *args):
        command = ["ctr", "--address", self._socket, "-n", "k8s.io", *args]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")
        return done.stdout

    def restart_kubelet(self, kill=False):
        """Restarts the kubelet alone; containers run on meanwhile."""
        self._kubelet.kill() if kill else self._kubelet.stop()
        self._start_kubelet()

    @property
    def _socket(self):
        return self.run_dir / "containerd.sock"

    def _start_containerd(self):
        networks = self.dir / "cni"
        networks.mkdir()
        # No bridge and no masquerading: a veth pair is all it takes from the machine.
        ranges = {"type": "host-local", "dataDir": str(self.dir / "ipam"), "subnet": "10.244.77.0/24"}
        network = {"cniVersion": "0.4.0", "name": "e2e", "plugins": [{"type": "ptp", "ipam": ranges}]}
        (networks / "10-e2e.conflist").write_text(json.dumps(network))
        config = self.dir / "containerd.toml"
        config.write_text(f"""version = 2
root = "{self.dir}/containerd"
state = "{self.run_dir}/containerd"
[grpc]
  address = "{self._socket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "{self.dir}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "tidegate.dev/pause:1"
  restrict_oom_score_adj = true  # not everybody may lower it
  disable_apparmor = true
  netns_mounts_under_state_dir = true  # so that sweep() finds them
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"  # works on any file system
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{CNI_PLUGINS}"
    conf_dir = "{networks}"
""")
        self._containerd = self.cluster.run("containerd", ["containerd", "--config", config])
        poll(self._containerd_answers, 30, "containerd to answer")

    def _containerd_answers(self):
        if not self._containerd.running:
            raise RuntimeError(f"containerd has ended\n{self._containerd.tail()}")
        probe = ["ctr", "--address", self._socket, "version"]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0

    def _start_kubelet(self):
        for parent in cgroup_roots():
            (parent / self.cgroup.lstrip("/")).mkdir(exist_ok=True)
        config = self.dir / "kubelet.yaml"
        config.write_text(yaml.safe_dump(self._kubelet_config()))
        flags = [f"--kubeconfig={self.cluster.kubeconfig}", f"--config={config}", f"--root-dir={self.dir}/kubelet"]
        # The kubelet refuses to publish a loopback address, and leaves the one that _fill_status() writes.
        flags += ["--node-ip=127.0.0.1", f"--hostname-override={self.name}", f"--cert-dir={self.dir}/pki"]
        self._kubelet = self.cluster.run("kubelet", [BIN / "kubelet", *flags])

    def _kubelet_config(self):
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": "127.0.0.1",
            "port": free_port(),
            "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "containerRuntimeEndpoint": f"unix://{self._socket}",
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": self.cgroup,
            "failCgroupV1": False,
            "failSwapOn": False,
            "enforceNodeAllocatable": [],
            "makeIPTablesUtilChains": False,
            "evictionHard": {"memory.available": "0%", "nodefs.available": "0%", "imagefs.available": "0%"},
            "imageGCHighThresholdPercent": 100,
            "podLogsDir": f"{self.dir}/pod-logs",
            "volumePluginDir": f"{self.dir}/volume-plugins",
            "resolvConf": "",
            "nodeStatusUpdateFrequency": "5s",
            "shutdownGracePeriod": "0s",
        }

    def _wait_ready(self):
        def ready(watch):
            if not self._kubelet.running:
                raise RuntimeError(f"the kubelet has ended\n{self._kubelet.tail()}")
            conditions = watch.get(self.name, "status", "conditions") or []
            return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

        with self.cluster.watch("nodes") as nodes:
            nodes.until(ready, 90, f"node {self.name} to be Ready; see {self._kubelet.log}")

    def _fill_status(self):
        """The GPUs, which no device plugin reports, and where the API server finds the kubelet (kubectl logs, exec)."""
        amounts = {"nvidia.com/gpu": str(self.gpus)}
        address = {"type": "InternalIP", "address": "127.0.0.1"}
        status = {"capacity": amounts, "allocatable": amounts, "addresses": [address]}
        self.cluster.api.patch("nodes", self.name, {"status": status}, subresource="status", content=STRATEGIC)

    def _end_pods(self):
        with self.cluster.watch("pods", field=f"spec.nodeName={self.name}") as pods:
            for pod in list(pods.items.values()):
                meta = pod["metadata"]
                self.cluster.api.delete("pods", meta["name"], meta["namespace"], grace=1)
            pods.until(lambda w: not w.items, 30, "the pods of the real node to end")


def cgroup_roots():
    """The folders that hold cgroups: one (v2), or one for each controller (v1)."""
    if (CGROUPS / "cgroup.controllers").exists():
        return [CGROUPS]
    return [folder for folder in CGROUPS.iterdir() if folder.is_dir() and not folder.is_symlink()]


def sweep_dead():
    """Ends what an earlier run has left that was killed before it could."""
    for folder in SOCKETS.glob(f"{PREFIX}*"):
        if not Path(f"/proc/{folder.name.removeprefix(PREFIX)}").exists():
            data = folder / "data"
            sweep(folder, *([data.read_text()] if data.exists() else []))


def sweep(run_dir, *others):
    """Kills the shims of a containerd that is gone, with their containers, and undoes its mounts and cgroups."""
    for cgroup in (parent / run_dir.name for parent in cgroup_roots()):
        for procs in sorted(cgroup.rglob("cgroup.procs"), reverse=True):
            for pid in procs.read_text().split():
                _kill(int(pid))
    for pid in _shims(run_dir):
        _kill(pid)
    for path in reversed(_mounts_below(run_dir, *others)):
        subprocess.run(["umount", "--lazy", path], check=False, capture_output=True)
    poll(lambda: _remove_cgroups(run_dir.name), 10, f"the cgroups of {run_dir.name} to be empty")
    shutil.rmtree(run_dir, ignore_errors=True)


def _shims(run_dir):
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue  # ended meanwhile
        if "containerd-shim" in command and f"{run_dir}/" in command:
            yield int(folder.name)


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _mounts_below(*folders):
    prefixes = tuple(f"{folder}/" for folder in folders)
    return [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines() if line.split()[1].startswith(prefixes)]


def _remove_cgroups(name):
    """Removes the cgroups from the leaves up; false while one is still in use."""
    for top in (parent / name for parent in cgroup_roots()):
        for folder in sorted([top, *top.rglob("*")] if top.exists() else [], key=lambda p: -len(p.parts)):
            if folder.is_dir():
                try:
                    folder.rmdir()
                except OSError:
                    return False
    return True
