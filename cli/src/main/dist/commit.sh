#!/bin/sh
# Notes the commit that is built, for "version": its 40 digits, and whether the sources are those of the commit. Without
# git, or in an unpacked archive, it notes nothing.
# usage: commit.sh FILE
set -eu
file=$1
rm -f "$file"
cd "$(dirname "$0")"
commit=$(git rev-parse --verify --quiet HEAD 2> /dev/null) || exit 0
# an archive that was unpacked below some other repository is not of that one
git ls-files --error-unmatch "$(basename "$0")" > /dev/null 2>&1 || exit 0
tree=clean
git diff --quiet HEAD -- ../../../.. 2> /dev/null || tree=dirty
mkdir -p "$(dirname "$file")"
printf 'commit=%s\ntree=%s\n' "$commit" "$tree" > "$file"
