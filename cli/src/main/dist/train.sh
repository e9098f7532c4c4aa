#!/bin/sh
# Runs the program over what it does most, and keeps the classes it loaded as AOT caches. All classes of a cache are loaded
# at the start, so there is one for what prints a version, one for what needs only files, and one for what calls servers.
# What the training found worth compiling is not kept: a run would compile all of it, with the second compiler, before it
# knew what it needs, which took a third of the processor time of "init phase kubeconfig all".
# usage: train.sh DIST_DIR CLUSTER_DIR
# CLUSTER_DIR gets a file "ready" as soon as there is a cluster on the loopback to train with.
set -eu
dist=$1 cluster=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# as the launcher has it
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
export LC_ALL=C.UTF-8
classpath=$(sed -n 's/.*-cp "\(.*\)" io.kjadm.cli.Main.*/\1/p' "$dist/bin/kjadm" | sed "s|\$lib|$dist/lib|g")

train() { # train NAME [CLUSTER_DIR]: one JVM over all that NAME stands for
    name=$1 log=$scratch/$1.log
    shift
    mkdir "$scratch/$name"
    if ! "$dist/runtime/bin/java" -XX:AOTCacheOutput="$dist/lib/$name.aot" -Xlog:aot=off -Xlog:cds=off \
        -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining \
        -XX:+UseSerialGC -XX:-UsePerfData -Xss512k -Xms16m -Xmx96m \
        -XX:-CreateCoredumpOnCrash -XX:ErrorFile=/dev/null -XX:+DisableAttachMechanism \
        --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Dkjadm.lock="$scratch/$name/lock" \
        -cp "$classpath" io.kjadm.cli.AotTraining "$name" "$scratch/$name" "$@" > "$log" 2>&1
    then
        cat "$log" >&2
        exit 1
    fi
    grep 'left out' "$log" >&2 || true
    [ -s "$dist/lib/$name.aot" ] || { echo "no AOT cache was written:" >&2; cat "$log" >&2; exit 1; }
}

train print
# each has a lock of its own, so it runs beside the next one
train files &
files=$!
# a slow machine gets its time: without the cluster, every first call on a node loads its classes from jars
for _ in $(seq 300); do
    [ ! -e "$cluster/ready" ] || break
    sleep 0.2
done
[ -e "$cluster/ready" ] || cluster=
train work ${cluster:+"$cluster"}
wait "$files"
