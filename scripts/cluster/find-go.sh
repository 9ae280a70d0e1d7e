#!/bin/bash
# Prints the path of a Go that can build the cluster (1.26 or newer): the machine's, else the one in .venv that
# `scripts/install-deps.sh cluster` puts there. Says what to do and fails when there is none.
set -uo pipefail
cd "$(dirname "$0")/../.."

new_enough() {
  local version
  version=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  [[ $version =~ ^go([0-9]+)\.([0-9]+) ]] || return 1
  [ "${BASH_REMATCH[1]}" -gt 1 ] || [ "${BASH_REMATCH[2]}" -ge 26 ]
}

for go in "$(command -v go)" /usr/local/go/bin/go "$PWD/.venv/bin/go"; do
  if [ -x "$go" ] && new_enough "$go"; then
    echo "$go"
    exit 0
  fi
done
echo "cluster: no Go 1.26 or newer: run scripts/install-deps.sh cluster" >&2
exit 1
