#!/bin/bash
# Builds and runs every test in the release build, then all but the slow ones under AddressSanitizer and
# UndefinedBehaviorSanitizer. The last line is "N passed, N failed", which build/test-summary repeats.
set -uo pipefail
cd "$(dirname "$0")/.."

# rapidcheck draws a new seed for each run unless told one; a run of the suite should be one that can be repeated.
export RC_PARAMS="${RC_PARAMS:-seed=20260618}"
passed=0
failed=0

# Adds up ctest's closing line: "98% tests passed, 1 tests failed out of 50".
count() {
  local closing
  closing=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$1" | tail -n 1)
  if [[ $closing =~ ,\ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  else
    failed=$((failed + 1)) # ctest itself could not run
  fi
}

run_preset() {
  local preset=$1 log=build/$1/ctest.log started=$SECONDS
  if ! scripts/build.sh "$preset"; then
    echo "test: the $preset build failed"
    failed=$((failed + 1))
    return
  fi
  echo "test: running the $preset tests"
  ctest --preset "$preset" 2>&1 | tee "$log" | grep -vE '^ +Start +[0-9]+: '
  count "$log"
  echo "test: $preset done in $((SECONDS - started)) s"
}

run_preset release
run_preset dev
echo "$passed passed, $failed failed" | tee build/test-summary
[ "$failed" -eq 0 ]
