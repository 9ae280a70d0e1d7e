#!/bin/bash
# Runs the named lints, or all of them.
#   format    clang-format, the pinned version
#   layers    folders include only what the DEPS in CMakeLists.txt allow
#   sources   sizes, clocks, hash order, unfinished work (scripts/check_sources.py lists the rules)
#   fields    the definitions of deploy/crds have the fields that the program has
#   spelling  codespell
set -uo pipefail
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/clang-format ]; then
  echo "lint: the pinned tools are missing: run scripts/install-deps.sh python" >&2
  exit 1
fi

cpp_sources() { find src tests bench -name '*.cpp' -o -name '*.hpp' | sort; }

run_lint() {
  case "$1" in
    format) cpp_sources | xargs .venv/bin/clang-format --dry-run -Werror ;;
    layers) .venv/bin/python scripts/check_layers.py ;;
    sources) .venv/bin/python scripts/check_sources.py ;;
    fields) .venv/bin/python scripts/check_fields.py ;;
    spelling) .venv/bin/codespell ;;
    *)
      echo "lint: no lint named $1" >&2
      return 2
      ;;
  esac
}

[ $# -gt 0 ] || set -- format layers sources fields spelling
failed=0
for lint in "$@"; do
  if run_lint "$lint"; then
    echo "lint: $lint ok"
  else
    echo "lint: $lint FAILED"
    failed=1
  fi
done
exit "$failed"
