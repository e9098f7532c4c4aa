package io.kjadm.core.snapshot.pki;

import io.kjadm.core.host.FileMode;

import java.nio.file.Path;

/**
 * A file that a cluster cannot be rebuilt without.
 *
 * @param path    where it lies, without the root: {@code etc/kubernetes/pki/ca.key}
 * @param mode    {@link FileMode#OWNER_ONLY} or {@link FileMode#WORLD_READABLE}
 * @param content perhaps a key
 */
public record PkiFile(Path path, FileMode mode, byte[] content) {

    /** Contents are not told. */
    @Override
    public String toString() {
        return "%s (%d bytes)".formatted(path, content.length);
    }
}
