#!/bin/bash
# Brings up a cluster for tests by hand and benchmarks, and stays until Ctrl-C; --help lists the options.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x .venv/bin/python ] || scripts/install-deps.sh cluster
exec .venv/bin/python -m tests.e2e.up "$@"
