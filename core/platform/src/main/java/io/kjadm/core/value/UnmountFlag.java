package io.kjadm.core.value;

/** Flags of umount2(2) for the mounts below the kubelet's directory. */
public enum UnmountFlag {
    MNT_FORCE,
    MNT_DETACH,
    MNT_EXPIRE,
    UMOUNT_NOFOLLOW
}
