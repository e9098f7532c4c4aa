#!/bin/sh
# Runs the program once over what it does most, and keeps the classes it loaded as the AOT cache.
# usage: train.sh DIST_DIR
set -eu
dist=$1
cache=$dist/lib/kjadm.aot
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# one JVM, so that one cache serves all commands
classpath=$(sed -n 's/.*-cp "\(.*\)" io.kjadm.cli.Main.*/\1/p' "$dist/bin/kjadm" | sed "s|\$lib|$dist/lib|g")
if ! "$dist/runtime/bin/java" -XX:AOTCacheOutput="$cache" -Xlog:aot=off -Xlog:cds=off \
    -XX:+UseSerialGC -XX:-UsePerfData -Xss512k -Xms16m -Xmx96m \
    --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
    -cp "$classpath" io.kjadm.cli.Training "$scratch" > "$scratch/log" 2>&1
then
    cat "$scratch/log" >&2
    exit 1
fi
[ -s "$cache" ] || { echo "no AOT cache was written:" >&2; cat "$scratch/log" >&2; exit 1; }
