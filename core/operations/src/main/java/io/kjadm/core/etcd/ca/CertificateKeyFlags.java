package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A certificate key as the operator gives it: in a file, by a flag, or in the environment. */
public final class CertificateKeyFlags {

    /** The environment variable with the certificate key. */
    public static final String VARIABLE = "KJADM_CERTIFICATE_KEY";

    private static final Set<PosixFilePermission> OF_OTHERS =
            PosixFilePermissions.fromString("---rwxrwx");

    private CertificateKeyFlags() {}

    /**
     * The key, if one is given.
     *
     * @param environment of this process
     * @param printedBy   the command that prints such a key: {@code kjadm etcd init --bundle}
     * @throws UsageException if it cannot be read; its text is not repeated
     */
    public static Optional<CertificateKey> read(
            CommandFlags flags,
            HostFiles files,
            Map<String, String> environment,
            String printedBy) {
        Optional<String> text = flags.path(Flag.CERTIFICATE_KEY_FILE)
                .map(path -> keyFile(files, path, printedBy))
                .or(() -> flags.text(Flag.CERTIFICATE_KEY))
                .or(() -> Optional.ofNullable(environment.get(VARIABLE)))
                .map(String::strip)
                .filter(given -> !given.isEmpty());
        try {
            return text.map(CertificateKey::parse);
        } catch (PkiException e) {
            throw new UsageException(
                    "the certificate key cannot be used",
                    e.getMessage(),
                    "use the 64 hexadecimal digits that '%s' printed".formatted(printedBy));
        }
    }

    private static String keyFile(HostFiles files, Path path, String printedBy) {
        String text = files.read(path)
                .orElseThrow(() -> new UsageException(
                        "there is no %s".formatted(path),
                        "it was given with --certificate-key-file",
                        "name a file that holds the certificate key"));
        if (files.permissions(path).stream().anyMatch(OF_OTHERS::contains)) {
            throw new UsageException(
                    "the certificate key in %s is not used".formatted(path),
                    "other accounts have access to it (%s)"
                            .formatted(PosixFilePermissions.toString(files.permissions(path))),
                    "if no other account has copied it, run 'chmod 600 %s'; otherwise use a new key, which '%s' prints"
                            .formatted(path, printedBy));
        }
        return text;
    }
}
