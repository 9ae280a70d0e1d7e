#!/bin/bash
# scripts/build.sh PRESET [TARGET...]: configures once, then builds (CMake runs again by itself when its files change).
# Sources are compiled in batches, which halves a cold build, unless TIDEGATE_UNITY=OFF.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
if [ ! -f "build/$preset/build.ninja" ]; then
  mkdir -p "build/$preset"
  echo "build: configuring $preset"
  cmake --preset "$preset" -DTIDEGATE_UNITY="${TIDEGATE_UNITY:-ON}" >"build/$preset/configure.log" 2>&1 || {
    cat "build/$preset/configure.log" >&2
    exit 1
  }
fi
echo "build: $preset ${*:-everything} (the first time takes minutes)"
cmake --build --preset "$preset" ${1:+--target "$@"}
