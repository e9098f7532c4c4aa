#!/bin/bash
# Fills ~/.cache/kjadm/kube/<version> (or KJADM_KUBE_BIN) with the official Kubernetes binaries, checked against the
# checksums published beside them. Prints the folder; fails where the release server cannot be reached.
#
#   kube-binaries.sh              fetches what is missing
#   kube-binaries.sh reachable    fetches nothing: succeeds if the release server answers
set -euo pipefail
. "$(cd "$(dirname "$0")" && pwd)/common.sh"
version=$kube_version
target=$kube_folder
case $(uname -m) in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) echo "no Kubernetes release for $(uname -m)" >&2; exit 1 ;;
esac
release=https://dl.k8s.io/release/$version/bin/linux/$architecture
if [ "${1:-}" = reachable ]; then
    curl -fsSL --connect-timeout 4 --max-time 10 "$release/kubelet.sha256" > /dev/null 2>&1
    exit
fi
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
