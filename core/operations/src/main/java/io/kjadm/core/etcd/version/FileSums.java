package io.kjadm.core.etcd.version;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.version.UpgradeEntry.ChangedFile;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.Sha256;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;

/** What the files of an upgrade hold, by their SHA-256: programs among them are large. */
record FileSums(HostFiles files) {

    private static final int BUFFER = 1 << 16;

    static String of(byte[] content) {
        return HexFormat.of().formatHex(Sha256.digest().digest(content));
    }

    /** Empty if there is no such file. */
    Optional<String> of(Path path) {
        if (!files.exists(path)) {
            return Optional.empty();
        }
        MessageDigest digest = Sha256.digest();
        try (InputStream content = files.open(path)) {
            byte[] part = new byte[BUFFER];
            for (int read = content.read(part); read >= 0; read = content.read(part)) {
                digest.update(part, 0, read);
            }
        } catch (IOException e) {
            throw new HostException("%s cannot be read".formatted(path), Causes.words(e), "", e);
        }
        return Optional.of(HexFormat.of().formatHex(digest.digest()));
    }

    /** Whether a file holds what was written last, as far as that was noted. */
    boolean holdsWritten(ChangedFile file) {
        return file.written().isEmpty()
                || of(file.path()).filter(file::wroteLast).isPresent();
    }

    /**
     * Whether a file holds neither what was written nor what was there before. One that is missing
     * has nothing that could be lost.
     */
    boolean isForeign(ChangedFile file) {
        if (file.written().isEmpty()) {
            return false;
        }
        Optional<String> now = of(file.path());
        return now.isPresent()
                && !file.written().contains(now.get())
                && !file.saved().flatMap(this::of).equals(now);
    }
}
