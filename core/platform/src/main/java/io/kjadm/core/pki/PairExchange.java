package io.kjadm.core.pki;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Exchanges a certificate and its key, which are two files and cannot change at once. The new
 * certificate is first put beside them under a hidden name; then the key is replaced, then the
 * certificate. Whenever that ends, either a whole pair is in place, or the new key is and its
 * certificate is at hand: {@link #finish} puts it in its place.
 */
public final class PairExchange {

    private static final String SUFFIX = ".renewed";

    private final HostFiles files;

    public PairExchange(HostFiles files) {
        this.files = files;
    }

    /** Replaces a pair; the key's owner stays. Whatever was left of an earlier one is gone. */
    public void replace(CertificatePair pair, IssuedCertificate issued) {
        Path staged = staged(pair);
        Owner owner = files.exists(pair.key()) ? files.owner(pair.key()) : Owner.ROOT;
        files.write(staged, issued.certificatePem(), FileMode.WORLD_READABLE);
        give(staged, owner, FileMode.WORLD_READABLE);
        files.write(pair.key(), issued.keyPem(), FileMode.OWNER_ONLY);
        give(pair.key(), owner, FileMode.OWNER_ONLY);
        files.write(pair.certificate(), issued.certificatePem(), FileMode.WORLD_READABLE);
        files.delete(staged);
    }

    /** Root's files are made as root's; a control plane without root has keys of its own users. */
    private void give(Path file, Owner owner, FileMode mode) {
        if (!owner.equals(Owner.ROOT)) {
            files.own(file, owner, mode);
        }
    }

    /**
     * Goes on with an exchange that was interrupted.
     *
     * @return whether it had to: the certificate did not fit the key
     */
    public boolean finish(CertificatePair pair) {
        Path staged = staged(pair);
        Optional<String> pem = files.read(staged);
        if (pem.isEmpty()) {
            return false;
        }
        boolean needed = unfinished(pair);
        if (belongsTo(pair.key(), pem.get())) {
            give(pair.key(), files.owner(staged), FileMode.OWNER_ONLY);
            files.write(pair.certificate(), pem.get(), FileMode.WORLD_READABLE);
        }
        files.delete(staged);
        return needed;
    }

    /** Whether an exchange was interrupted and the pair in place does not fit together. */
    public boolean unfinished(CertificatePair pair) {
        return files.read(staged(pair))
                .filter(pem -> belongsTo(pair.key(), pem)
                        && !files.read(pair.certificate()).equals(Optional.of(pem)))
                .isPresent();
    }

    private boolean belongsTo(Path key, String certificatePem) {
        try {
            return files.read(key)
                    .filter(CertificateInfo.parse(certificatePem)::matchesKey)
                    .isPresent();
        } catch (PkiException e) {
            return false;
        }
    }

    private static Path staged(CertificatePair pair) {
        return pair.certificate().resolveSibling("." + pair.certificate().getFileName() + SUFFIX);
    }
}
