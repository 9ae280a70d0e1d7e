#!/bin/bash
# Formats every C++ file in place with the pinned clang-format.
set -euo pipefail
cd "$(dirname "$0")/.."
find src tests bench -name '*.cpp' -o -name '*.hpp' | sort | xargs .venv/bin/clang-format -i
