#!/bin/bash
# scripts/drill-matrix.sh [SEEDS]: the promo drill for each shape, kind of burst and seed from 1 to SEEDS (50), with the mixed
# load and with the one drawn from the Philly trace. Names each run that fails; exits 1 if one does.
set -uo pipefail
cd "$(dirname "$0")/.."

seeds=${1:-50}
example=examples/promo-drill
inputs=(--queues "$example/queues.yaml" --conf "$example/volcano-scheduler.conf.yaml")

list_runs() {
  for shape in 8x8 16x4 64x1; do
    for burst in deployment job pods; do
      for seed in $(seq "$seeds"); do
        echo "--shape $shape --burst $burst --seed $seed"
        echo "--shape $shape --burst $burst --seed $seed --load examples/traces/philly-sample.csv"
      done
    done
  done
}

run_one() { # the flags of one run, then the inputs
  local flags=$1
  shift
  # shellcheck disable=SC2086  # the flags are words
  build/tidegate drill "$@" $flags >/dev/null 2>&1 || echo "FAILED (exit $?): tidegate drill $flags"
}
export -f run_one

total=$(list_runs | wc -l)
echo "drill-matrix: $total drills"
failures=$(list_runs | xargs -P "$(nproc)" -I {} bash -c 'run_one "$@"' - {} "${inputs[@]}")
failed=$(grep -c . <<<"$failures")
[ "$failed" -eq 0 ] || echo "$failures"
echo "drill-matrix: $((total - failed)) of $total drills passed in $SECONDS s"
[ "$failed" -eq 0 ]
