#!/bin/sh
# Puts the distribution together and packs it: an archive, a package for Debian, a bill of materials, checksums.
# usage: package.sh DIST_DIR PROGRAM_JAR RUNTIME_IMAGE VERSION TIME RELEASE MAINTAINER CACHES CLUSTER_DIR
#   PROGRAM_JAR   next to it lies ...-packaging.jar, with the programs of src/packaging, which are not packed
#   TIME          that of everything packed: RFC 3339, or seconds since 1970
#   RELEASE       true: what is only a warning otherwise ends the build
#   CACHES        new, or the folder with the AOT caches of another build, to be packed instead (see docs/packages.md)
#   CLUSTER_DIR   is removed, which ends the cluster in it; see train.sh
set -eu
dist=$1 jar=$2 image=$3 version=$4 time=$5 release=$6 maintainer=$7 caches=$8 cluster=$9
packaging=${jar%.jar}-packaging.jar
trap 'rm -rf "$cluster"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$dist/.." && pwd)
case $time in
    *[!0-9]*) SOURCE_DATE_EPOCH=$(date -d "$time" +%s) ;;
    *) SOURCE_DATE_EPOCH=$time ;;
esac
export SOURCE_DATE_EPOCH
# the order of the jars is that of their names, whatever the language
export LC_ALL=C.UTF-8

# lacking WHAT: a release has everything
lacking() {
    echo "[package] $1" >&2
    [ "$release" != true ] || exit 1
}

rm -rf "$dist/runtime" "$dist/bin" "$dist"/lib/*.aot
mkdir -p "$dist/bin"
mv "$image" "$dist/runtime"
rm -rf "$dist"/../runtime-*
rm -f "$dist/runtime/lib/classlist"
# A security provider that is listed and not there has the JDK open every jar for it, at the first TLS connection, and set
# up Bouncy Castle's six hundred classes, which nobody asked for.
sed -i -E '/^security\.provider\.[0-9]+=/{/=(SUN|SunRsaSign|SunEC|SunJSSE|SunJCE)$/!d}' \
    "$dist/runtime/conf/security/java.security"
cp "$jar" "$dist/lib/"
"$dist/runtime/bin/java" -cp "$packaging" io.kjadm.packaging.JdkAge "$release"

# The program's own jar first; the order must be the same in every start or the cache does not fit.
classpath=\$lib/$(basename "$jar")
for library in "$dist"/lib/*.jar; do
    [ "$(basename "$library")" = "$(basename "$jar")" ] || classpath=$classpath:\$lib/$(basename "$library")
done
sed "s|@CLASSPATH@|$classpath|" "$here/bin/kjadm" > "$dist/bin/kjadm"
chmod 755 "$dist/bin/kjadm"
cp "$here/rootfs.sh" "$dist/lib/"
cp "$here/kubeadm" "$dist/lib/kubeadm"
chmod 755 "$dist/lib/kubeadm"

# An AOT cache takes neither old classes nor those of signed jars; Maven's own jars have the modes of the umask. Bouncy
# Castle and Guava have several times the classes that are used, and load none by a name that they put together where
# Bouncy Castle's provider is not used.
"$dist/runtime/bin/java" -cp "$packaging" io.kjadm.packaging.PackedJars --reached-from=kjadm- \
    "$dist"/lib/bc*.jar "$dist"/lib/guava-*.jar
find "$dist/lib" -name '*.jar' ! -name 'bc*.jar' ! -name 'guava-*.jar' \
    -exec "$dist/runtime/bin/java" -cp "$packaging" io.kjadm.packaging.PackedJars {} +

# The cache remembers each jar's time in seconds, and the packages keep it: unpacked anywhere, it still fits.
find "$dist" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

if [ "$caches" = new ]; then sh "$here/train.sh" "$dist" "$cluster"; else cp "$caches"/*.aot "$dist/lib/"; fi
find "$dist" ! -type l -exec chmod u=rwX,go=rX {} +
find "$dist" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) arch=$(uname -m) ;;
esac
name=kjadm-$version-linux-$arch
# Moved into place when it is whole: an interrupted build leaves no half of one. More than level 6 takes four times as
# long for half a percent.
tar -C "$target" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -I 'gzip -6n' \
    -cf "$target/archive.part" "$(basename "$dist")"
mv "$target/archive.part" "$target/$name.tar.gz"

# Maven's plugin leaves it out where Maven is offline
if [ -e "$target/bom.json" ]; then
    "$dist/runtime/bin/java" -cp "$packaging:$dist/lib/*" io.kjadm.packaging.Sbom "$target/bom.json" "$dist/lib" "$target/$name.cdx.json"
else
    lacking "no bill of materials: Maven's plugin for it does nothing offline"
fi
if command -v dpkg-deb > /dev/null; then
    sh "$here/deb.sh" "$dist" "$packaging" "$version" "$arch" "$maintainer" "$target/$name.cdx.json"
else
    lacking "no package for Debian: dpkg-deb was not found"
fi

cd "$target"
for file in "$name.tar.gz" "$name.cdx.json" kjadm_*.deb kjadm-kubeadm_*.deb; do [ ! -e "$file" ] || echo "$file"; done | xargs sha256sum > SHA256SUMS
