#!/bin/bash
# Builds the programs of a test cluster from the Go modules in tools/cluster-go into build/cluster/bin.
#   scripts/cluster/build.sh               all of them
#   scripts/cluster/build.sh NAME...       etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet kwok
#                                          operators (the controllers of JobSet, Kubeflow and KubeRay)
#   scripts/cluster/build.sh volcano-controllers volcano-scheduler   Volcano as it is, for `make test-volcano`
#   scripts/cluster/build.sh helm          not part of a cluster: renders the chart for scripts/check-deploy.sh
# A program is skipped when it was built from the same module files and flags. The first build takes some
# minutes (kube-apiserver most of them); of two calls at once the second waits, if it needs what is being built.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly MODULES=$PWD/tools/cluster-go BIN=$PWD/build/cluster/bin
readonly KUBERNETES_VERSION=v1.36.1
readonly ALL=(etcd kube-apiserver kube-controller-manager kwok kubectl kube-scheduler kubelet operators)

say() { echo "cluster: $*"; }

# Prints the module's folder, the package and the linker flags of one program.
recipe() {
  local kubernetes="-X k8s.io/component-base/version.gitVersion=$KUBERNETES_VERSION"
  case "$1" in
    operators) echo "operators tidegate.dev/cluster/operators -s -w" ;;
    etcd) echo "kubernetes go.etcd.io/etcd/server/v3 -s -w" ;;
    kwok) echo "kwok sigs.k8s.io/kwok/cmd/kwok -s -w" ;;
    volcano-controllers) echo "volcano volcano.sh/volcano/cmd/controller-manager -s -w" ;;
    volcano-scheduler) echo "volcano volcano.sh/volcano/cmd/scheduler -s -w" ;;
    helm) echo "helm helm.sh/helm/v4/cmd/helm -s -w" ;;
    kube-apiserver | kube-controller-manager | kube-scheduler | kubectl | kubelet)
      echo "kubernetes k8s.io/kubernetes/cmd/$1 -s -w $kubernetes"
      ;;
    *)
      say "no program named $1; there are: ${ALL[*]} volcano-controllers volcano-scheduler helm" >&2
      exit 2
      ;;
  esac
}

key_of() {
  local module _ flags
  read -r module _ flags < <(recipe "$1")
  (shopt -s nullglob && cat "$MODULES/$module"/{go.mod,go.sum,*.go} <(echo "$flags")) | sha256sum
}

up_to_date() { [ -x "$BIN/$1" ] && [ "$(cat "$BIN/.$1.key" 2>/dev/null)" = "$(key_of "$1")" ]; }

build() {
  local name=$1 module package flags key started=$SECONDS
  read -r module package flags < <(recipe "$name")
  key=$(key_of "$name")
  say "building $name (${SECONDS} s so far)"
  rm -f "$BIN/.$name.key"
  # Nothing here needs a C compiler; modules come from the sums that are committed, with the Go that is here.
  (cd "$MODULES/$module" &&
    CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false' \
      nice -n 10 "$go" build -ldflags "$flags" -o "$BIN/$name" "$package")
  echo "$key" >"$BIN/.$name.key"
  say "$name built in $((SECONDS - started)) s"
}

[ $# -gt 0 ] || set -- "${ALL[@]}"
for name in "$@"; do
  recipe "$name" >/dev/null
done
mkdir -p "$BIN"
exec 9>"$BIN/.lock"
for name in "$@"; do
  if ! up_to_date "$name"; then
    go=${go:-$(scripts/cluster/find-go.sh)}
    flock 9
    up_to_date "$name" || build "$name"
    flock -u 9
  fi
done
