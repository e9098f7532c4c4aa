# Read by the launcher when --rootfs is given: from then on "start" runs a command in that directory as its root,
# in a mount namespace of its own. There the program is mounted, since that file system does not have it.
# Knows: $home, where the program is, and $rootfs. Sets: $seen, where the program is as seen from there.
seen=/run/kjadm
program=$home

refuse_rootfs() {
    printf 'error: cannot use "%s" as the root file system: %s\nNext: %s\n' "$rootfs" "$1" "$2" >&2
    exit 1
}

[ -d "$rootfs/" ] || refuse_rootfs "there is no such directory" "check --rootfs"
rootfs=$(cd "$rootfs/" && pwd -P)
[ "$(id -u)" = 0 ] || refuse_rootfs "only root may change the root file system" "run the command as root"
for tool in unshare mount chroot; do
    command -v $tool > /dev/null ||
        refuse_rootfs "program $tool was not found" "install util-linux and coreutils where kjadm runs"
done
for directory in run proc dev; do
    [ ! -L "$rootfs/$directory" ] ||
        refuse_rootfs "its /$directory is a symbolic link, which may lead out of it" "make it a directory"
done
mkdir -p "$rootfs$seen" 2> /dev/null ||
    refuse_rootfs "the program cannot be mounted at $rootfs$seen" "mount the file system so that it can be written"

start() {
    # what is mounted in here is not seen outside, and is gone when the program ends
    # shellcheck disable=SC2016
    exec unshare --mount --propagation slave sh -c '
        program=$1 seen=$2 rootfs=$3
        shift 3
        failed() {
            echo "error: cannot use \"$rootfs\" as the root file system: $*" >&2
            exit 1
        }
        mounted() { "$@" || failed "command failed: $*"; }
        mounted mount --bind "$program" "$rootfs$seen"
        mounted mount -o remount,bind,ro "$rootfs$seen"
        [ -e "$rootfs/proc/self/exe" ] || {
            mounted mkdir -p "$rootfs/proc"
            mounted mount -t proc proc "$rootfs/proc"
        }
        [ -c "$rootfs/dev/urandom" ] || {
            mounted mkdir -p "$rootfs/dev"
            mounted mount --rbind /dev "$rootfs/dev"
        }
        # a small program of the runtime, which only says what it is not for
        status=0
        chroot "$rootfs" "$seen/runtime/lib/jspawnhelper" > /dev/null 2>&1 || status=$?
        [ "$status" -lt 126 ] || failed "the program does not start there: it needs the GNU C library"
        exec chroot "$rootfs" "$@"' sh "$program" "$seen" "$rootfs" "$@"
}
