#!/bin/bash
# Builds the last commit twice, in two folders that differ in name, time zone, language and umask, and compares what
# came out byte by byte.
#
#   compare-builds.sh [--train-both] [MAVEN OPTION...]
#     --train-both    lets the second build train its own AOT caches, which never come out alike (docs/packages.md);
#                     otherwise it packs the first one's, and everything has to be the same
set -euo pipefail
source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
# others may commit while this runs
commit=$(git -C "$source" rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
train_both=''
if [ "${1:-}" = --train-both ]; then
    train_both=1
    shift
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct "$commit")}
export SOURCE_DATE_EPOCH

build() {   # build FOLDER MAVEN-OPTION...
    echo "building $commit in $1" >&2
    git clone -q --no-checkout "$source" "$1"
    git -C "$1" checkout -q --detach "$commit"
    (cd "$1" && shift && mvn -q -B -ntp -pl cli -am package -DskipTests "$@")
}

first=$work/one second=$work/a/folder/with/a/longer/name
(umask 022 && TZ=UTC LC_ALL=C.UTF-8 build "$first" "$@")
caches="-Dkjadm.caches=$first/cli/target/kjadm/lib"
[ -z "$train_both" ] || caches=-Dkjadm.caches=new
mkdir -p "$(dirname "$second")"
(umask 077 && TZ=Pacific/Kiritimati LC_ALL=C build "$second" "$caches" "$@")

status=0
for file in "$first"/cli/target/{kjadm-*.tar.gz,kjadm-*.cdx.json,kjadm_*.deb,SHA256SUMS}; do
    [ -e "$file" ] || continue
    name=$(basename "$file")
    if cmp -s "$file" "$second/cli/target/$name"; then
        echo "same       $name"
    else
        echo "different  $name"
        status=1
    fi
done
if [ "$status" != 0 ]; then
    echo "of the files in the packages differ:"
    { diff -rq "$first/cli/target/kjadm" "$second/cli/target/kjadm" || true; } | sed "s|$work/||g; s/^/  /"
fi
exit "$status"
