#!/bin/bash
# Prints the Debian packages of the shared libraries that a program needs, one a line.
#   deploy/docker/runtime-packages.sh PROGRAM
set -euo pipefail

libraries=$(ldd "$1")
if grep -q 'not found' <<<"$libraries"; then
  echo "runtime-packages: $1 needs a library that is not here:" >&2
  grep 'not found' <<<"$libraries" >&2
  exit 1
fi
# dpkg knows a file under /usr/lib or under /lib, whichever its package was built with; both are one folder.
awk '$2 == "=>" { print $3 }' <<<"$libraries" | while read -r library; do
  owner=$(dpkg-query -S "$library" 2>/dev/null || dpkg-query -S "/usr$library" 2>/dev/null ||
    dpkg-query -S "${library#/usr}")
  echo "${owner%%:*}"
done | sort -u
