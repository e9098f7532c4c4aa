#!/bin/bash
# Fills ~/.cache/kjadm/etcd/<version> (or KJADM_ETCD_BIN) with etcd and etcdctl from Debian's packages, one version per
# Debian suite. Each suite's index is checked by its signature, each package by the index. What is there already stays.
#
#   etcd-binaries.sh [SUITE...]     (bullseye bookworm trixie sid: etcd 3.3, 3.4, 3.5 and 3.5)
set -euo pipefail
. "$(cd "$(dirname "$0")" && pwd)/common.sh"
target=$etcd_folder
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(bullseye bookworm trixie sid)
architecture=$(dpkg --print-architecture)

say() { echo "[etcd] $*" >&2; }

mirror=$(debian_mirror)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$target"

# keep VERSION: what was unpacked becomes the etcd of that version. Across file systems a move is a copy, so it gets its
# name only when it is whole.
keep() {
    rm -rf "$target/.$1" "${target:?}/$1"
    mkdir "$target/.$1"
    mv "$work/root/usr/bin/"etcd* "$target/.$1/"
    mv "$target/.$1" "$target/$1"
    rm -rf "$work/root"
}

release() { sed -E 's/^[0-9]+://; s/^([0-9]+\.[0-9]+\.[0-9]+).*/\1/'; }

if [ -z "$mirror" ]; then
    say "no Debian mirror is known here: only the etcd of this machine's own distribution"
    version=$(apt-cache show etcd-server 2> /dev/null | awk '$1 == "Version:" && !seen++ { print $2 }' | release)
    if [ -n "$version" ] && [ ! -x "$target/$version/etcd" ]; then
        (cd "$work" && apt-get download -qq etcd-server etcd-client)
        for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
        keep "$version"
        say "$version"
    fi
    exit 0
fi

get() { curl -fsSL --retry 2 --connect-timeout 20 --speed-limit 1000 --speed-time 60 "$mirror/$1" -o "$2"; }

# index SUITE: fetches the suite's package index, as the archive signed it
index() {
    local file=main/binary-$architecture/Packages.xz sum
    if ! get "dists/$1/InRelease" "$work/InRelease"; then
        say "$1: cannot be fetched"
        return 1
    fi
    # Signed by several keys, of which an older keyring knows some: as for apt, one good signature will do, and gpgv's
    # exit status, which asks for all, says nothing.
    gpgv --status-fd 1 --keyring "$keyring" --output "$work/Release" "$work/InRelease" \
        > "$work/gpgv.status" 2> "$work/gpgv.log" || true
    if ! grep -q '^\[GNUPG:\] GOODSIG ' "$work/gpgv.status" || grep -q '^\[GNUPG:\] BADSIG ' "$work/gpgv.status"; then
        say "$1: not signed by Debian's archive: $(tail -1 "$work/gpgv.log")"
        return 1
    fi
    sum=$(awk -v file="$file" '/^[A-Z]/ { inside = $1 == "SHA256:" } inside && $3 == file { print $1 }' "$work/Release")
    get "dists/$1/$file" "$work/Packages.xz"
    echo "$sum  $work/Packages.xz" | sha256sum -c --quiet || return 1
    xz -dc "$work/Packages.xz" > "$work/Packages"
}

# field PACKAGE FIELD: a field of a package in the index that was fetched last
field() {
    awk -v package="$1" -v field="$2:" '
        $1 == "Package:" { inside = $2 == package }
        inside && $1 == field && !seen++ { print $2 }' "$work/Packages"
}

for suite in "${suites[@]}"; do
    rm -f "$work/Release"
    index "$suite" || continue
    version=$(field etcd-server Version | release)
    if [ -z "$version" ] || [ -x "$target/$version/etcd" ]; then
        say "$suite: ${version:-no etcd}, nothing to do"
        continue
    fi
    for package in etcd-server etcd-client; do
        get "$(field "$package" Filename)" "$work/$package.deb"
        echo "$(field "$package" SHA256)  $work/$package.deb" | sha256sum -c --quiet
        dpkg-deb -x "$work/$package.deb" "$work/root"
    done
    keep "$version"
    say "$suite: $version"
done
