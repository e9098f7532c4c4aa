package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Brings etcd's new CA with its key to all nodes. A node keeps the certificate key beside its CA's
 * key, for root alone, from its first stage to its last: an interrupted run needs it again, and an
 * operator who has lost it finds it there.
 */
record NewCaTransfer(HostFiles files, RotatedNode node, CaRotationKey key, Reporter out) {

    private static final String HOW =
            "put the key that the first %s printed into the environment variable KJADM_CERTIFICATE_KEY, or into a file named by --certificate-key-file; a %s that has done stage 1 keeps it in %s";

    private Path file() {
        return EtcdCertificateFiles.rotationKey(node.ca());
    }

    /**
     * The record that begins a rotation; its certificate key is kept here before anything in etcd
     * needs it.
     */
    CaRotationRecord seal(CertificateAuthority former, CertificateAuthority next, Instant began) {
        Optional<CertificateKey> certificateKey = switch (key) {
            case CaRotationKey.OldCaAlone() -> Optional.empty();
            case CaRotationKey.Carried(var given) ->
                given.or(() -> Optional.of(CertificateKey.generate()));
        };
        certificateKey.ifPresent(this::keep);
        return CaRotationRecord.of(former, next, certificateKey, began);
    }

    private void keep(CertificateKey certificateKey) {
        String text = certificateKey.hex() + "\n";
        if (!files.read(file()).equals(Optional.of(text))) {
            files.write(file(), text, FileMode.OWNER_ONLY);
        }
    }

    /** The record lies in etcd: the operator is given a certificate key that was made here. */
    void begun() {
        if (!(key instanceof CaRotationKey.Carried(var given)) || given.isPresent()) {
            return;
        }
        String every = node.terms().every();
        out.print("""

                Certificate key of this rotation:
                %s

                The new CA's key is stored in etcd, encrypted with this key, until the rotation is finished. Run the
                command on %s with the key in the environment variable KJADM_CERTIFICATE_KEY, or in a
                file named by --certificate-key-file. Until then it is kept in %s.

                """.formatted(kept().map(CertificateKey::hex).orElseThrow(), every, file()));
    }

    /** Nothing needs the certificate key any longer. */
    void forget() {
        if (files.exists(file())) {
            files.delete(file());
        }
    }

    private Optional<CertificateKey> kept() {
        return files.read(file()).map(String::strip).flatMap(text -> {
            try {
                return Optional.of(CertificateKey.parse(text));
            } catch (PkiException e) {
                return Optional.empty();
            }
        });
    }

    /**
     * The new CA with its key. A node that has it already needs no certificate key.
     *
     * @throws HostException    if this node's CA is neither of the two
     * @throws UsageException   if the certificate key is missing, or one is used where there is none
     * @throws ClusterException if the record cannot be read with these keys
     */
    CertificateAuthority open(CaRotationRecord rotation) {
        CertificateAuthority here = node.authority();
        if (here.info().equals(rotation.next())) {
            return here;
        }
        if (!here.info().equals(rotation.former())) {
            throw new HostException(
                    "the CA in %s is neither the old nor the new one of the rotation in progress"
                            .formatted(node.ca().certificate()),
                    "",
                    "copy %s that has finished the last stage, then run the command again"
                            .formatted(node.terms().caFiles()));
        }
        Optional<CertificateKey> certificateKey = certificateKey(rotation);
        try {
            return rotation.open(here.keyPem().orElseThrow(), certificateKey);
        } catch (PkiException e) {
            throw new ClusterException(
                    "the key of etcd's new CA cannot be read from etcd",
                    e.getMessage(),
                    certificateKey.isPresent()
                            ? how()
                                    + ". If it is the right one, the record in etcd was changed: see who can write to etcd"
                            : "the record in etcd was changed: see who can write to etcd",
                    e);
        }
    }

    /** {@link #open}, and keeps the certificate key for a run that resumes this one. */
    CertificateAuthority openAndKeep(CaRotationRecord rotation) {
        CertificateAuthority next = open(rotation);
        if (!node.authority().info().equals(rotation.next())) {
            certificateKey(rotation).ifPresent(this::keep);
        }
        return next;
    }

    /** What the record says is not enough: a holder of the old CA's key can write there. */
    private Optional<CertificateKey> certificateKey(CaRotationRecord rotation) {
        return switch (key) {
            case CaRotationKey.Carried(var given) -> {
                if (!rotation.needsCertificateKey()) {
                    throw new UsageException(
                            "the rotation in progress has no certificate key",
                            "it was started with --no-certificate-key, or a holder of the old CA's key has written it to etcd",
                            "if you started it that way, use --no-certificate-key here too");
                }
                yield Optional.of(given.or(this::kept)
                        .orElseThrow(() -> new UsageException(
                                "the certificate key of the rotation is missing",
                                "the new CA's key in etcd is encrypted with it",
                                how())));
            }
            case CaRotationKey.OldCaAlone() -> {
                if (rotation.needsCertificateKey()) {
                    throw new UsageException(
                            "the rotation in progress has a certificate key",
                            "it was started without --no-certificate-key",
                            "leave out the flag, and " + how());
                }
                yield Optional.empty();
            }
        };
    }

    private String how() {
        String one = node.terms().one();
        return HOW.formatted(one, one, file());
    }
}
