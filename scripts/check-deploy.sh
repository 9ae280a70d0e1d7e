#!/bin/bash
# Checks what is in deploy/ without a cluster: every file is YAML, every overlay and the chart render, the chart gives
# what the overlays give, and wrong values are refused. Builds kubectl and helm if they are missing.
#   scripts/check-deploy.sh
# What an API server says to it is tested in tests/e2e/test_manifests.py.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! .venv/bin/python -c 'import yaml' 2>/dev/null; then
  echo "check-deploy: the pinned tools are missing: run scripts/install-deps.sh python cluster" >&2
  exit 1
fi
scripts/cluster/build.sh kubectl helm
exec .venv/bin/python scripts/check_deploy.py --kubectl build/cluster/bin/kubectl --helm build/cluster/bin/helm
