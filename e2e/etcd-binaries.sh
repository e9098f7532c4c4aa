#!/bin/bash
# Fills ~/.cache/kjadm/etcd/<version> (or KJADM_ETCD_BIN) with etcd and etcdctl from Debian's packages, one version per
# Debian suite. The mirror is the one that this machine's own apt uses. What is there already stays.
#
#   etcd-binaries.sh [SUITE...]     (bullseye bookworm trixie sid: etcd 3.3, 3.4, 3.5 and 3.5)
set -euo pipefail
target=${KJADM_ETCD_BIN:-${XDG_CACHE_HOME:-$HOME/.cache}/kjadm/etcd}
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(bullseye bookworm trixie sid)
architecture=$(dpkg --print-architecture)

say() { echo "[etcd] $*" >&2; }

mirror=$(apt-get indextargets --format '$(ORIGIN) $(SITE)' 'Created-By: Packages' 2> /dev/null \
    | awk '$1 == "Debian" && $2 ~ /\/debian\/?$/ { print $2; exit }')
if [ -z "$mirror" ]; then
    say "this machine's apt has no Debian mirror: no etcd from Debian's packages"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# field PACKAGE FIELD: a field of a package in the index that was fetched last
field() {
    awk -v package="$1" -v field="$2:" '
        $1 == "Package:" { inside = $2 == package }
        inside && $1 == field { print $2; exit }' "$work/Packages"
}

for suite in "${suites[@]}"; do
    if ! curl -fsSL "${mirror%/}/dists/$suite/main/binary-$architecture/Packages.xz" -o "$work/Packages.xz"; then
        say "$suite: no package index"
        continue
    fi
    xz -dc "$work/Packages.xz" > "$work/Packages"
    version=$(field etcd-server Version | sed -E 's/^[0-9]+://; s/^([0-9]+\.[0-9]+\.[0-9]+).*/\1/')
    if [ -z "$version" ] || [ -x "$target/$version/etcd" ]; then
        say "$suite: ${version:-no etcd}, nothing to do"
        continue
    fi
    mkdir -p "$work/$version" "$target"
    for package in etcd-server etcd-client; do
        curl -fsSL "${mirror%/}/$(field "$package" Filename)" -o "$work/$package.deb"
        echo "$(field "$package" SHA256)  $work/$package.deb" | sha256sum -c --quiet
        dpkg-deb -x "$work/$package.deb" "$work/root"
    done
    mv "$work/root/usr/bin/"etcd* "$work/$version/"
    mv "$work/$version" "$target/$version"
    rm -rf "$work/root"
    say "$suite: $version"
done
