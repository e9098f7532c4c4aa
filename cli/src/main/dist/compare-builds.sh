#!/bin/bash
# Builds the last commit twice, in two folders that differ in name, time zone, language and umask, and compares what
# came out byte by byte.
#
#   compare-builds.sh [--train-both | --against FOLDER] [MAVEN OPTION...]
#     --train-both        lets the second build train its own AOT caches, which never come out alike (docs/packages.md);
#                         otherwise it packs the first one's, and everything has to be the same
#     --against FOLDER    takes FOLDER, a cli/target, for the first build
set -euo pipefail
source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
# others may commit while this runs
commit=$(git -C "$source" rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
train_both='' built=''
case ${1:-} in
    --train-both)
        train_both=1
        shift
        ;;
    --against)
        built=$(cd "$2" && pwd)
        shift 2
        ;;
esac
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct "$commit")}
export SOURCE_DATE_EPOCH

build() {   # build FOLDER MAVEN-OPTION...
    echo "building $commit in $1" >&2
    git clone -q --no-checkout "$source" "$1"
    git -C "$1" checkout -q --detach "$commit"
    (cd "$1" && shift && mvn -q -B -ntp -pl cli -am package -DskipTests "$@")
}

first=${built:-$work/one/cli/target} second=$work/a/folder/with/a/longer/name
[ -n "$built" ] || (umask 022 && TZ=UTC LC_ALL=C.UTF-8 build "$work/one" "$@")
caches="-Dkjadm.caches=$first/kjadm/lib"
[ -z "$train_both" ] || caches=-Dkjadm.caches=new
mkdir -p "$(dirname "$second")"
(umask 077 && TZ=Pacific/Kiritimati LC_ALL=C build "$second" "$caches" "$@")
second=$second/cli/target

status=0
for file in "$first"/{kjadm-*.tar.gz,kjadm-*.cdx.json,kjadm_*.deb,kjadm-kubeadm_*.deb,SHA256SUMS}; do
    [ -e "$file" ] || continue
    name=$(basename "$file")
    if cmp -s "$file" "$second/$name"; then
        echo "same       $name"
    else
        echo "different  $name"
        status=1
    fi
done
if [ "$status" != 0 ]; then
    echo "of the files in the packages differ:"
    { diff -rq "$first/kjadm" "$second/kjadm" || true; } | sed "s|$work/||g; s/^/  /"
fi
exit "$status"
