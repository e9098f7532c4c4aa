#!/bin/sh
# Packs the distribution for Debian and Ubuntu: kjadm, and kjadm-kubeadm, by which it is called as kubeadm. Every file is
# as old as SOURCE_DATE_EPOCH says.
# usage: deb.sh DIST_DIR PACKAGING_JAR VERSION ARCH MAINTAINER SBOM    (SBOM may be missing)
set -eu
dist=$1 packaging=$2 version=$3 arch=$4 maintainer=$5 sbom=$6
here=$(cd "$(dirname "$0")" && pwd)
root=$dist/../deb
link=$dist/../deb-kubeadm
doc=$root/usr/share/doc/kjadm
java="$dist/runtime/bin/java"

# What the runtime is linked with depends on who built the JDK: Debian's takes the system's zlib, for example.
dependencies() {
    glibc=$(find "$dist/runtime" -type f -exec grep -aoh 'GLIBC_2\.[0-9][0-9]*' {} + | sort -uV | tail -1)
    libraries=$(find "$dist/runtime" -type f \( -name '*.so' -o -path '*/bin/*' \) -exec ldd {} + 2> /dev/null |
        awk '/=>/ && $3 !~ /runtime/ { print $1 }' | sort -u)
    packages="libc6 (>= ${glibc#GLIBC_})"
    for library in $libraries; do
        case $library in
            libc.so.* | libdl.so.* | libm.so.* | libpthread.so.* | librt.so.* | libjvm.so) ;;
            libz.so.1) packages="$packages, zlib1g" ;;
            libstdc++.so.6) packages="$packages, libstdc++6" ;;
            libgcc_s.so.1) packages="$packages, libgcc-s1" ;;
            *)
                echo "[package] the runtime needs $library, and deb.sh does not know its package" >&2
                exit 1
                ;;
        esac
    done
    echo "$packages"
}

rm -rf "$root"
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/lib" "$doc" "$root/usr/share/man/man1" \
    "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
    "$root/usr/share/lintian/overrides"
# links, as the tree is large
cp -al "$dist" "$root/usr/lib/kjadm"
ln -s ../lib/kjadm/bin/kjadm "$root/usr/bin/kjadm"
"$dist/bin/kjadm" completion bash > "$root/usr/share/bash-completion/completions/kjadm"
"$dist/bin/kjadm" completion zsh > "$root/usr/share/zsh/vendor-completions/_kjadm"
"$java" -cp "$packaging:$dist/lib/*" io.kjadm.packaging.ManPages "$root/usr/share/man/man1"
gzip -9n "$root"/usr/share/man/man1/*
cp "$here/deb/lintian-overrides" "$root/usr/share/lintian/overrides/kjadm"
[ ! -e "$sbom" ] || cp "$sbom" "$doc/kjadm.cdx.json"

# What is not a release yet sorts before it: 0.1.0-SNAPSHOT becomes 0.1.0~snapshot.
deb_version=$(echo "$version" | tr '[:upper:]' '[:lower:]' | sed 's/-/~/; s/-/./g')

# pack NAME ROOT DEPENDS: packs a tree with the control file of that name
pack() {
    name=$1 tree=$2 depends=$3
    docs=$tree/usr/share/doc/$name
    mkdir -p "$docs" "$tree/DEBIAN"
    cp "$here/deb/copyright" "$docs/copyright"
    cat > "$docs/changelog" << END
$name ($deb_version) unstable; urgency=medium

  * Built from kjadm $version.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
    gzip -9n "$docs/changelog"
    # as dpkg-gencontrol counts: files in whole KiB, and one for whatever else there is
    size=$(find "$tree/usr" -printf '%y %s\n' | awk '{ kib += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print kib }')
    sed "s|@VERSION@|$deb_version|; s|@ARCH@|$arch|; s|@MAINTAINER@|$maintainer|; s|@SIZE@|$size|
        s|@DEPENDS@|$depends|; s|@KUBERNETES@|$kubernetes|" "$here/deb/control.$name" > "$tree/DEBIAN/control"
    (cd "$tree" && find usr -type f | LC_ALL=C sort | xargs md5sum > DEBIAN/md5sums)
    find "$tree" ! -type l -exec chmod u=rwX,go=rX {} +
    find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    # xz takes five times as long for an eighth less
    dpkg-deb --root-owner-group -Zgzip -z6 --build "$tree" "$dist/../deb.part" > /dev/null
    mv "$dist/../deb.part" "$dist/../${name}_${deb_version}_$arch.deb"
    rm -rf "$tree"
}

# Called by this name, kjadm stands in for kubeadm; the kubelet's unit is the one of kubeadm's package.
rm -rf "$link"
mkdir -p "$link/usr/bin" "$link/usr/lib/systemd/system/kubelet.service.d" \
    "$link/usr/share/bash-completion/completions" "$link/usr/share/zsh/vendor-completions"
ln -s ../lib/kjadm/bin/kjadm "$link/usr/bin/kubeadm"
cp "$here/deb/10-kubeadm.conf" "$link/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf"
KJADM_AS=kubeadm "$dist/bin/kjadm" completion bash > "$link/usr/share/bash-completion/completions/kubeadm"
KJADM_AS=kubeadm "$dist/bin/kjadm" completion zsh > "$link/usr/share/zsh/vendor-completions/_kubeadm"
kubernetes=$(KJADM_KUBERNETES_VERSION= "$dist/bin/kjadm" version -o short)
kubernetes=${kubernetes#v}

needed=$(dependencies)
pack kjadm "$root" "$needed"
pack kjadm-kubeadm "$link" "kjadm (= $deb_version)"
