#!/bin/bash
# Fills ~/.cache/kjadm/kube/<version> (or KJADM_KUBE_BIN) with the official Kubernetes binaries, checked against the
# checksums published beside them. Prints the folder; fails where the release server cannot be reached.
#
#   kube-binaries.sh [VERSION]      (v1.36.2)
set -euo pipefail
version=${1:-${KJADM_KUBE_VERSION:-v1.36.2}}
target=${KJADM_KUBE_BIN:-${XDG_CACHE_HOME:-$HOME/.cache}/kjadm/kube/$version}
case $(uname -m) in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) echo "no Kubernetes release for $(uname -m)" >&2; exit 1 ;;
esac
release=https://dl.k8s.io/release/$version/bin/linux/$architecture
programs=(kubeadm kubectl kubelet kube-apiserver kube-controller-manager kube-scheduler kube-proxy)

mkdir -p "$target"
for program in "${programs[@]}"; do
    [ ! -x "$target/$program" ] || continue
    echo "[kube] $program $version" >&2
    curl -fsSL --retry 3 --max-time 300 "$release/$program" -o "$target/.$program"
    echo "$(curl -fsSL --retry 3 "$release/$program.sha256")  $target/.$program" | sha256sum -c --quiet
    chmod 755 "$target/.$program"
    mv "$target/.$program" "$target/$program"
done
echo "$target"
