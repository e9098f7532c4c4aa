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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# keep VERSION: what was unpacked becomes the etcd of that version
keep() {
    mkdir -p "$work/$1" "$target"
    mv "$work/root/usr/bin/"etcd* "$work/$1/"
    mv "$work/$1" "$target/$1"
    rm -rf "$work/root"
}

release() { sed -E 's/^[0-9]+://; s/^([0-9]+\.[0-9]+\.[0-9]+).*/\1/'; }

if [ -z "$mirror" ]; then
    say "this machine's apt has no Debian mirror: only the etcd of its own distribution"
    version=$(apt-cache show etcd-server 2> /dev/null | awk '$1 == "Version:" { print $2; exit }' | release)
    if [ -n "$version" ] && [ ! -x "$target/$version/etcd" ]; then
        (cd "$work" && apt-get download -qq etcd-server etcd-client)
        for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
        keep "$version"
        say "$version"
    fi
    exit 0
fi

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
    version=$(field etcd-server Version | release)
    if [ -z "$version" ] || [ -x "$target/$version/etcd" ]; then
        say "$suite: ${version:-no etcd}, nothing to do"
        continue
    fi
    for package in etcd-server etcd-client; do
        curl -fsSL "${mirror%/}/$(field "$package" Filename)" -o "$work/$package.deb"
        echo "$(field "$package" SHA256)  $work/$package.deb" | sha256sum -c --quiet
        dpkg-deb -x "$work/$package.deb" "$work/root"
    done
    keep "$version"
    say "$suite: $version"
done
