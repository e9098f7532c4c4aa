#!/bin/sh
# Puts the distribution together and packs it.
# usage: package.sh DIST_DIR PROGRAM_JAR RUNTIME_IMAGE VERSION CLUSTER_DIR
# CLUSTER_DIR is removed, which ends the cluster in it; see train.sh
set -eu
dist=$1 jar=$2 image=$3 version=$4 cluster=$5
trap 'rm -rf "$cluster"' EXIT
here=$(cd "$(dirname "$0")" && pwd)

rm -rf "$dist/runtime" "$dist/bin" "$dist"/lib/*.aot
mkdir -p "$dist/bin"
mv "$image" "$dist/runtime"
rm -rf "$dist"/../runtime-*
rm -f "$dist/runtime/lib/classlist"
cp "$jar" "$dist/lib/"

# The program's own jar first; the order must be the same in every start or the cache does not fit.
classpath=\$lib/$(basename "$jar")
for library in "$dist"/lib/*.jar; do
    [ "$(basename "$library")" = "$(basename "$jar")" ] || classpath=$classpath:\$lib/$(basename "$library")
done
sed "s|@CLASSPATH@|$classpath|" "$here/bin/kjadm" > "$dist/bin/kjadm"
chmod 755 "$dist/bin/kjadm"
cp "$here/rootfs.sh" "$dist/lib/"

# An AOT cache takes neither old classes nor those of signed jars.
"$dist/runtime/bin/java" -cp "$jar" io.kjadm.cli.CacheableJars "$dist"/lib/picocli-*.jar "$dist"/lib/bc*.jar

# The cache remembers each jar's time in seconds, and the archive keeps it: unpacked anywhere, it still fits.
find "$dist/lib" -name '*.jar' -exec touch -d '2026-01-01T00:00:00Z' {} +

sh "$here/train.sh" "$dist" "$cluster"

case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) arch=$(uname -m) ;;
esac
# moved into place when it is whole: an interrupted build leaves no half of one
tar -C "$dist/.." --sort=name --owner=0 --group=0 --numeric-owner -I 'gzip -9' -cf "$dist/../archive" \
    "$(basename "$dist")"
archive=kjadm-$version-linux-$arch.tar.gz
rm -f "$dist/../$archive.sha256"
mv "$dist/../archive" "$dist/../$archive"
(cd "$dist/.." && sha256sum "$archive" > "$archive.sha256")
