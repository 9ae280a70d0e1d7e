"""A real cluster on one machine: etcd, kube-apiserver and kube-controller-manager, with KWOK as the kubelet of N nodes.

    from tests.e2e.cluster import Cluster

    with Cluster(nodes=25) as cluster:                      # about 8 s; everything ends with the block
        cluster.api.apply(Path("deploy/crds"))              # manifests: file, folder, YAML text or dicts
        with cluster.watch("pods", ns="default") as pods:   # waits are on watch events, with a bound
            cluster.api.apply(pod("a", gpus=8, annotations={"tidegate.dev/sim-stop": "2s"}))
            tidegate = cluster.tidegate("run", "--components", "scheduler")
            tidegate.wait_line("leader", timeout=10)
            pods.until(lambda w: phase(w, "default/a") == "Running", timeout=10)
            tidegate.kill()                                 # kill -9; start another to go on
        cluster.restart_api_server()

Under pytest use the fixtures of conftest.py (`cluster`, `ns`, `kubelet_node`). The annotations that say how a simulated pod
behaves are listed in kwok_stages.yaml. Programs come from scripts/cluster/build.sh; each cluster has its ports and its folder
in build/cluster/run, with kubeconfig and logs; the folder goes when the cluster is dropped without `keep`.
"""

import base64
import os
import secrets
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from tests.e2e.nodes import SIM_LABEL, node
from tests.e2e.processes import Process, free_port, poll
from tests.e2e.rest import Api, ApiError
from tests.e2e.watch import Watch

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build/cluster/bin"
RUN = ROOT / "build/cluster/run"
STAGES = Path(__file__).parent / "kwok_stages.yaml"
CONTROLLERS = (
    "deployment replicaset statefulset daemonset job ttl-after-finished namespace garbage-collector "
    "pod-garbage-collector disruption"
).split()
NODE_CONTROLLERS = ["node-lifecycle", "taint-eviction"]
# From here on nodes send no heartbeats, which alone would load a small machine, and nobody misses them: no node
# becomes NotReady or gets a taint by itself.
MANY_NODES = 200


def build_programs(*names):
    """Builds what is missing; quick when nothing is."""
    subprocess.run([ROOT / "scripts/cluster/build.sh", *names], check=True)


class Cluster:
    def __init__(self, nodes=25, gpus=8, kwok=True, controllers=True, keep=False):
        self.size, self.gpus, self.keep = nodes, gpus, keep
        self._wants = {"kwok": kwok, "controllers": controllers}
        self._heartbeats = nodes < MANY_NODES
        self._parts, self._started = {}, []
        RUN.mkdir(parents=True, exist_ok=True)
        self.dir = Path(tempfile.mkdtemp(prefix="cluster-", dir=RUN))
        self.port, self.token = free_port(), secrets.token_hex(16)
        self.kubeconfig = self.dir / "kubeconfig"
        self.api = None

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.drop(keep=True)
            raise

    def __exit__(self, kind, *_):
        self.drop(keep=self.keep or (kind is not None and issubclass(kind, Exception)))

    # --- life ------------------------------------------------------------------------------------------------

    def start(self):
        names = {"controllers": "kube-controller-manager", "kwok": "kwok"}
        build_programs("etcd", "kube-apiserver", "kubectl", *(names[part] for part in names if self._wants[part]))
        self._start_etcd()
        self._write_credentials()
        self._start_api_server()
        self.kubeconfig.write_text(self._kubeconfig_text(self.token))
        self.add_nodes(self.size)
        if self._wants["controllers"]:
            self._start_controllers()
        if self._wants["kwok"]:
            self._start_kwok()
        return self

    def drop(self, keep=False):
        """Stops everything, the last started first. With `keep` the logs stay, for somebody to read."""
        for process in reversed(self._started):
            process.stop()
        for name in ("kwok", "controllers", "apiserver", "etcd"):
            if name in self._parts:
                self._parts.pop(name).stop()
        shutil.rmtree(self.dir / "etcd", ignore_errors=True)
        if not keep:
            shutil.rmtree(self.dir, ignore_errors=True)

    def restart_api_server(self, kill=False):
        """Ends the API server and starts it again on the same port; watches and connections break."""
        self.stop_api_server(kill)
        self._start_api_server()

    def stop_api_server(self, kill=False):
        old = self._parts.pop("apiserver")
        old.kill() if kill else old.stop()

    def start_api_server(self):
        self._start_api_server()

    # --- use -------------------------------------------------------------------------------------------------

    def watch(self, resource, ns=None, selector=None, field=None):
        return Watch(self.api, resource, ns, selector, field)

    def run(self, name, argv, env=None, follow=False):
        """Starts any program with this cluster's KUBECONFIG; it is stopped with the cluster at the latest."""
        env = {"KUBECONFIG": str(self.kubeconfig), **(env or {})}
        process = Process(name, argv, self.dir / "logs" / f"{name}.log", env, follow)
        self._started.append(process)
        return process

    def tidegate(self, *args, name="tidegate", kubeconfig=None, env=None):
        """Starts tidegate; its lines can be waited for. TIDEGATE names another binary than build/tidegate."""
        binary = os.environ.get("TIDEGATE", ROOT / "build/tidegate")
        env = {"KUBECONFIG": str(kubeconfig or self.kubeconfig), **(env or {})}
        return self.run(name, [binary, *args], env, follow=True)

    def kubectl(self, *args, stdin=None):
        """Runs kubectl; its output, or a RuntimeError that says what it said."""
        command = [BIN / "kubectl", "--kubeconfig", self.kubeconfig, *args]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"kubectl {' '.join(map(str, args))}: {done.stderr.strip()}")
        return done.stdout

    def kube_scheduler(self, *args):
        """Starts the default scheduler, to compare with."""
        build_programs("kube-scheduler")
        flags = ["--leader-elect=false", f"--secure-port={free_port()}", "--bind-address=127.0.0.1"]
        return self.run("kube-scheduler", [BIN / "kube-scheduler", f"--kubeconfig={self.kubeconfig}", *flags, *args])

    def service_account_kubeconfig(self, ns, name):
        """A kubeconfig with a token of that service account: what a pod of it may do, and no more."""
        path = self.api.path("serviceaccounts", ns, name, "token")
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
        file = self.dir / f"kubeconfig-{ns}-{name}"
        file.write_text(self._kubeconfig_text(self.api.request("POST", path, body)["status"]["token"]))
        return file

    def kubeconfig_by(self, proxy):
        """A kubeconfig of the administrator that goes through a proxy (proxy.py), to break its connections."""
        file = self.dir / f"kubeconfig-port-{proxy.port}"
        file.write_text(self._kubeconfig_text(self.token, proxy.port))
        return file

    # --- nodes -----------------------------------------------------------------------------------------------

    def add_nodes(self, count, gpus=None, prefix="gpu", labels=None, first=1):
        """Adds simulated nodes gpu-01, gpu-02…; Ready from the start. Returns their names."""
        width = max(2, len(str(first + count - 1)))
        objects = [
            node(f"{prefix}-{i:0{width}}", self.gpus if gpus is None else gpus, labels)
            for i in range(first, first + count)
        ]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(self.api.create, objects))
        return [obj["metadata"]["name"] for obj in objects]

    def lose_node(self, name):
        """The machine is cut off: no pod of it starts or stops from now on, and the node is NotReady (Unknown)."""
        self.api.patch("nodes", name, {"metadata": {"labels": {SIM_LABEL: "lost"}}})
        unknown = [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}]
        content = "application/strategic-merge-patch+json"
        self.api.patch("nodes", name, {"status": {"conditions": unknown}}, subresource="status", content=content)

    def recover_node(self, name):
        self.api.patch("nodes", name, {"metadata": {"labels": {SIM_LABEL: "kubelet"}}})

    # --- parts -----------------------------------------------------------------------------------------------

    def _start(self, name, program, *args):
        self._parts[name] = Process(name, [BIN / program, *args], self.dir / "logs" / f"{name}.log")

    def _wait(self, name, probe, timeout):
        def answers():
            if not self._parts[name].running:
                raise RuntimeError(f"{name} has ended\n{self._parts[name].tail()}")
            try:
                return probe()
            except (OSError, ApiError):
                return False

        poll(answers, timeout, f"{name} to be ready; see {self.dir}/logs")

    def _start_etcd(self):
        self._etcd_port = free_port()
        client, peer = (f"http://127.0.0.1:{port}" for port in (self._etcd_port, free_port()))
        self._start(
            "etcd", "etcd", "--data-dir", self.dir / "etcd", "--unsafe-no-fsync",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
            "--quota-backend-bytes", 4 << 30, "--log-level", "warn",
        )  # fmt: skip

    def _write_credentials(self):
        key = self.dir / "service-account.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        (self.dir / "tokens.csv").write_text(f'{self.token},admin,admin,"system:masters"\n')

    def _start_api_server(self):
        key, address = self.dir / "service-account.key", "127.0.0.1"
        self._start(
            "apiserver", "kube-apiserver", f"--etcd-servers=http://{address}:{self._etcd_port}",
            f"--bind-address={address}", f"--advertise-address={address}", f"--secure-port={self.port}",
            f"--cert-dir={self.dir}/certs", f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}", "--service-account-issuer=https://kubernetes.default.svc",
            f"--token-auth-file={self.dir}/tokens.csv", "--authorization-mode=RBAC", "--anonymous-auth=false",
            "--service-cluster-ip-range=10.96.0.0/16", "--endpoint-reconciler-type=none",
            "--allow-privileged=true", "--kubelet-preferred-address-types=InternalIP",
            # Pods get no token mounted; nodes are Ready when they are created, so they need no taint until they are.
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
        )  # fmt: skip
        certificate = self.dir / "certs/apiserver.crt"
        self._wait("apiserver", certificate.with_suffix(".key").exists, 60)  # it is written after the certificate
        self.api = Api(address, self.port, certificate, self.token)
        self._wait("apiserver", lambda: self.api.request("GET", "/readyz") == "ok", 60)

    def _start_controllers(self):
        names = CONTROLLERS + (NODE_CONTROLLERS if self._heartbeats else [])
        self._start(
            "controllers", "kube-controller-manager", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false",
            f"--controllers={','.join(f'{name}-controller' for name in names)}", "--secure-port=0",
            "--kube-api-qps=500", "--kube-api-burst=1000",
        )  # fmt: skip

    def _start_kwok(self):
        lease = 40 if self._heartbeats else 0
        self._start(
            "kwok", "kwok", f"--kubeconfig={self.kubeconfig}", f"--config={STAGES}", "--node-ip=127.0.0.1",
            f"--manage-nodes-with-label-selector={SIM_LABEL}=kubelet", f"--node-lease-duration-seconds={lease}",
        )  # fmt: skip

    def _kubeconfig_text(self, token, port=None):
        authority = base64.b64encode((self.dir / "certs/apiserver.crt").read_bytes()).decode()
        server = f"https://127.0.0.1:{port or self.port}"
        return yaml.safe_dump({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "e2e",
            "clusters": [{"name": "e2e", "cluster": {"server": server, "certificate-authority-data": authority}}],
            "users": [{"name": "e2e", "user": {"token": token}}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
        })
