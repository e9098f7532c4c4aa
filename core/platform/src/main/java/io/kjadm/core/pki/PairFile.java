package io.kjadm.core.pki;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.PkiException;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A certificate and its key, which are two files and cannot change at once. A new certificate is
 * first put beside them under a hidden name; then the key is replaced, then the certificate.
 * Whenever that ends, either a whole pair is in place, or the new key is and its certificate is at
 * hand: {@link #finish} puts it in its place.
 */
public record PairFile(HostFiles files, CertificatePair pair) implements CertificateFile {

    private static final String SUFFIX = ".renewed";

    @Override
    public Path path() {
        return pair.certificate();
    }

    @Override
    public Optional<CertificateInfo> read() {
        return files.read(pair.certificate()).map(CertificateInfo::parse);
    }

    @Override
    public void replace(IssuedCertificate issued, CertificateAuthority ca) {
        replace(issued);
    }

    /**
     * Replaces the pair; the key's owner stays, as a control plane without root has keys of its own
     * users, and its group may read it as before: a monitor of etcd does. Whatever was left of an
     * earlier one is gone.
     */
    public void replace(IssuedCertificate issued) {
        Path staged = staged();
        boolean known = files.exists(pair.key());
        Owner owner = known ? files.owner(pair.key()) : Owner.ROOT;
        FileMode mode =
                known ? FileMode.ofSecret(files.permissions(pair.key())) : FileMode.OWNER_ONLY;
        files.write(staged, bytes(issued.certificatePem()), FileMode.WORLD_READABLE, owner);
        files.write(pair.key(), bytes(issued.keyPem()), mode, owner);
        files.write(pair.certificate(), issued.certificatePem(), FileMode.WORLD_READABLE);
        files.delete(staged);
    }

    private static byte[] bytes(String pem) {
        return pem.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public boolean finish() {
        Path staged = staged();
        Optional<String> pem = files.read(staged);
        if (pem.isEmpty()) {
            return false;
        }
        boolean needed = unfinished();
        if (belongsTo(pair.key(), pem.get())) {
            // an earlier release gave the key to its owner after it had written it
            Owner owner = files.owner(staged);
            if (!files.owner(pair.key()).equals(owner)) {
                files.own(pair.key(), owner, FileMode.OWNER_ONLY);
            }
            files.write(pair.certificate(), pem.get(), FileMode.WORLD_READABLE);
        }
        files.delete(staged);
        return needed;
    }

    @Override
    public boolean unfinished() {
        return files.read(staged())
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

    private Path staged() {
        return pair.certificate().resolveSibling("." + pair.certificate().getFileName() + SUFFIX);
    }
}
