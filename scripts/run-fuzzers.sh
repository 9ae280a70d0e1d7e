#!/bin/bash
# scripts/run-fuzzers.sh SECONDS: runs each program of build/fuzz/tests/fuzz from the seeds in tests/fuzz/corpus.
# What it finds beyond them is kept in build/fuzz/corpus, so that the next run goes on from there.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-30}
for fuzzer in build/fuzz/tests/fuzz/*_fuzz; do
  name=$(basename "$fuzzer" _fuzz)
  found=build/fuzz/corpus/$name
  mkdir -p "$found"
  seeds=()
  [ ! -d "tests/fuzz/corpus/$name" ] || seeds=("tests/fuzz/corpus/$name")
  echo "fuzz: $name for $seconds s"
  "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 \
    -artifact_prefix="build/fuzz/$name-" "$found" "${seeds[@]}" >"build/fuzz/$name.log" 2>&1 || {
    tail -n 40 "build/fuzz/$name.log"
    exit 1
  }
done
