#!/bin/bash
# clang-tidy over the C++ files that differ from a commit (default: HEAD), or over all: scripts/tidy.sh --all
# Needs build/release/compile_commands.json, which `make build` writes.
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
echo "tidy: $(wc -l <<<"$files") files, some seconds each"
xargs -P "$(nproc)" -n 1 .venv/bin/clang-tidy --quiet -p build/release <<<"$files"
