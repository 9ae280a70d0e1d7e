#!/bin/bash
# Builds and runs every test in the release build, then all but the slow ones under AddressSanitizer and
# UndefinedBehaviorSanitizer, then the end-to-end tests on a real cluster. The last line is "N passed, N failed",
# which build/test-summary repeats.
#   scripts/run-tests.sh [release] [dev] [e2e] [operators] [volcano]   only these stages; the last two
#                              only if named
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

# Adds up pytest's closing line: "= 1 failed, 5 passed, 1 skipped, 1 error in 12.34s =". An error is a failure.
# $2 is pytest's exit code, which is not 0 as well when it breaks off for reasons that are no test's.
count_pytest() {
  local closing before=$failed
  closing=$(grep -E '^=+ .*in [0-9.]+s' "$1" | tail -n 1)
  [[ $closing =~ ([0-9]+)\ passed ]] && passed=$((passed + BASH_REMATCH[1]))
  [[ $closing =~ ([0-9]+)\ failed ]] && failed=$((failed + BASH_REMATCH[1]))
  [[ $closing =~ ([0-9]+)\ error ]] && failed=$((failed + BASH_REMATCH[1]))
  if [ "$2" -ne 0 ] && [ "$failed" -eq "$before" ]; then
    failed=$((failed + 1))
  fi
}

# $1 names the stage, the rest are pytest's arguments.
run_pytest() {
  local stage=$1 log=build/$1.log started=$SECONDS
  shift
  if ! scripts/cluster/build.sh; then
    echo "test: the cluster's programs could not be built"
    failed=$((failed + 1))
    return
  fi
  echo "test: running the end-to-end tests ($stage)"
  .venv/bin/python -m pytest "$@" 2>&1 | tee "$log"
  count_pytest "$log" "${PIPESTATUS[0]}"
  echo "test: $stage done in $((SECONDS - started)) s"
}

# Two at a time: they mostly wait for clusters to act. A file's tests share a cluster and stay together.
run_e2e() { run_pytest e2e -n 2 --dist loadfile -m "not extra" tests/e2e; }

run_operators() { run_pytest operators tests/e2e/operators_test.py; }
run_volcano() { run_pytest volcano -n 2 tests/e2e/volcano_test.py; }

[ $# -gt 0 ] || set -- release dev e2e
for stage in "$@"; do
  case "$stage" in
    e2e | operators | volcano) "run_$stage" ;;
    release | dev) run_preset "$stage" ;;
    *)
      echo "usage: $0 [release] [dev] [e2e] [operators] [volcano]" >&2
      exit 2
      ;;
  esac
done
echo "$passed passed, $failed failed" | tee build/test-summary
[ "$failed" -eq 0 ]
