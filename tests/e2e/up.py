"""Brings up a cluster with N simulated nodes, prints its kubeconfig, and stays until Ctrl-C or SIGTERM.

    scripts/cluster/up.sh --nodes 1000
"""

import argparse
import signal
import sys
import time

from tests.e2e.cluster import BIN, Cluster
from tests.e2e.processes import Timeout


def main():
    parser = argparse.ArgumentParser(prog="scripts/cluster/up.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=25)
    parser.add_argument("--gpus", type=int, default=8, help="GPUs of each node")
    parser.add_argument("--apply", action="append", default=[], metavar="PATH", help="a manifest, or a folder of them")
    parser.add_argument("--keep", action="store_true", help="leave the logs when it ends")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # A shell without job control starts what runs in the background with this signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    started = time.monotonic()
    try:
        with Cluster(args.nodes, args.gpus, keep=args.keep) as cluster:
            for path in args.apply:
                cluster.kubectl("apply", "--server-side", "-f", path)
            print(f"up in {time.monotonic() - started:.1f} s: {args.nodes} nodes x {args.gpus} GPUs")
            print(f"export KUBECONFIG={cluster.kubeconfig}")
            print(f"kubectl: {BIN}/kubectl   logs: {cluster.dir}/logs   end: Ctrl-C", flush=True)
            signal.pause()
    except KeyboardInterrupt:
        print("stopped")
    except (RuntimeError, Timeout) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
