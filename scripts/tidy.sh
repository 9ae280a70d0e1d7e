#!/bin/bash
# clang-tidy over the C++ files that differ from a commit (default: HEAD), or over all: scripts/tidy.sh --all
# Reads each source by itself, as in the preset tidy, which is only configured.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --all ]; then
  files=$(git ls-files 'src/*.cpp')
else
  files=$(git diff --name-only --diff-filter=d "${1:-HEAD}" -- 'src/*.cpp')
fi
if [ -z "$files" ]; then
  echo "tidy: no file to check"
  exit 0
fi
cmake --preset tidy >/dev/null
echo "tidy: $(wc -l <<<"$files") files, some seconds each"
xargs -P "$(nproc)" -n 1 .venv/bin/clang-tidy --quiet -p build/tidy <<<"$files"
