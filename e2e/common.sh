# What the scripts of this folder have in common; they source it.

kube_version=${KJADM_KUBE_VERSION:-v1.36.2}
kjadm_cache=${XDG_CACHE_HOME:-$HOME/.cache}/kjadm
kube_folder=${KJADM_KUBE_BIN:-$kjadm_cache/kube/$kube_version}
etcd_folder=${KJADM_ETCD_BIN:-$kjadm_cache/etcd}

# What runs inside the nodes: "real", Kubernetes' own components, or "sandbox", the stand-ins for them.
# KJADM_COMPONENTS chooses; otherwise it is what is at hand.
components() {
    if [ -n "${KJADM_COMPONENTS:-}" ]; then
        echo "$KJADM_COMPONENTS"
    elif [ -x "$kube_folder/kube-apiserver" ]; then
        echo real
    else
        echo sandbox
    fi
}

stand_ins='kubelet, API server, controller manager and scheduler'

# Whether there are the stand-ins; KJADM_DIST does not hold them.
stand_ins_built() { [ -e "$here/target/sandbox/java.options" ]; }

# The Debian mirror: the one this machine itself uses; where it uses none, the one debootstrap knows for a Debian suite.
# Nothing is printed if neither is known.
debian_mirror() {
    local found program
    found=$(apt-get indextargets --format '$(ORIGIN) $(SITE)' 'Created-By: Packages' 2> /dev/null \
        | awk '$1 == "Debian" && $2 ~ /\/debian\/?$/ && !found { found = $2 } END { print found }') || true
    # a suite's script may name a mirror of its own; for most suites it is the program's default
    if [ -z "$found" ] && program=$(PATH=$PATH:/usr/sbin:/sbin command -v debootstrap); then
        found=$(awk '
            { sub(/^DEF_MIRROR=/, "default_mirror "); gsub(/"/, "") }
            $1 == "default_mirror" && $2 ~ /\/debian\/?$/ && !found { found = $2 }
            END { print found }' /usr/share/debootstrap/scripts/trixie "$program" 2> /dev/null) || true
    fi
    echo "${found%/}"
}

# with_clock WORDS COMMAND...: on a terminal, shows for how long a command that says nothing has been at it
with_clock() {
    local words=$1 clock status=0
    shift
    if [ ! -t 2 ]; then
        "$@"
        return
    fi
    (from=$SECONDS; while sleep 1 && kill -0 $$; do printf '\r%s, %d s ' "$words" $((SECONDS - from)); done) >&2 &
    clock=$!
    "$@" || status=$?
    kill "$clock" 2> /dev/null || true
    wait "$clock" 2> /dev/null || true
    printf '\r\e[K' >&2
    return "$status"
}

# Starts the container engine unless it answers, or prints why there is none.
need_engine() { docker info > /dev/null 2>&1 || "$here/machine" engine 2> /dev/null; }
