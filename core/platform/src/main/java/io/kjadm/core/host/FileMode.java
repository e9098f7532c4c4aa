package io.kjadm.core.host;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The permission bits a file or directory is created with, whatever the umask says. */
public enum FileMode {
    /** 0600: private keys, kubeconfigs, static pod manifests. */
    OWNER_ONLY("rw-------"),
    /** 0640: keys that one other group may read. */
    GROUP_READABLE("rw-r-----"),
    /** 0644: certificates and kubelet files. */
    WORLD_READABLE("rw-r--r--"),
    /** 0755: programs. */
    EXECUTABLE("rwxr-xr-x"),
    /** 0700: directories with manifests, kubelet state or etcd data. */
    PRIVATE_DIRECTORY("rwx------"),
    /** 0711: directories that others may pass through, but not list. */
    PASSABLE_DIRECTORY("rwx--x--x"),
    /** 0755: directories that others may list. */
    OPEN_DIRECTORY("rwxr-xr-x");

    private final Set<PosixFilePermission> permissions;

    FileMode(String symbolic) {
        this.permissions = Set.copyOf(PosixFilePermissions.fromString(symbolic));
    }

    /**
     * That of a secret which replaces another: a group that was let in by the operator may read it
     * again. One that all could read was left open by mistake.
     *
     * @param former the bits of the file that is replaced, none if there is none
     */
    public static FileMode ofSecret(Set<PosixFilePermission> former) {
        return former.contains(PosixFilePermission.GROUP_READ)
                        && !former.contains(PosixFilePermission.OTHERS_READ)
                ? GROUP_READABLE
                : OWNER_ONLY;
    }

    /** The same mode as the JDK's set of permission bits. */
    public Set<PosixFilePermission> permissions() {
        return permissions;
    }
}
