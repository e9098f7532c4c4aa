package io.kjadm.core.pki;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.CommonReason;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/** The files of a certificate and its key, in PEM. */
public record CertificatePair(Path certificate, Path key) {

    /** That of a set, in its directory. */
    public static CertificatePair of(Path directory, CertificateSpec spec) {
        return named(directory, spec.fileBase());
    }

    /** Those of that name in a directory. */
    public static CertificatePair named(Path directory, String base) {
        return new CertificatePair(
                directory.resolve(base + CertificateFiles.CERTIFICATE_SUFFIX),
                directory.resolve(base + CertificateFiles.KEY_SUFFIX));
    }

    /** Writes a new pair: the key first, as a certificate without one passes for external. */
    public void write(HostFiles files, String certificatePem, String keyPem) {
        files.write(key, keyPem, FileMode.OWNER_ONLY);
        files.write(certificate, certificatePem, FileMode.WORLD_READABLE);
    }

    /**
     * The CA whose pair this is, the first of its file, with its key if that is here.
     *
     * @throws HostException that names the file which is not good: the certificate or its key
     */
    public CertificateAuthority authority(HostFiles files) {
        String pem = files.read(certificate).orElseThrow(() -> missing(certificate));
        CertificateAuthority keyless = loaded(certificate, pem, Optional.empty());
        Optional<String> keyPem = files.read(key);
        CertificateAuthority ca = keyPem.isPresent() ? loaded(key, pem, keyPem) : keyless;
        ca.unfitness().ifPresent(why -> {
            throw new HostException(
                    CertificateReason.UNFIT_CA,
                    "%s is not a CA certificate that may be used".formatted(certificate),
                    why,
                    "copy the right pair from another machine of the cluster; for a new cluster, delete"
                            + " certificate and key to generate them again");
        });
        return ca;
    }

    /**
     * The same, if it is valid at that moment.
     *
     * @throws HostException also if it is not
     */
    public CertificateAuthority validAuthority(HostFiles files, Instant now) {
        CertificateAuthority ca = authority(files);
        ca.info().outOfDate(now).ifPresent(why -> {
            throw cannotSign("it " + why);
        });
        return ca;
    }

    /**
     * The same, if its key is here as well.
     *
     * @throws HostException also if it is not
     */
    public CertificateAuthority signingAuthority(HostFiles files, Instant now) {
        CertificateAuthority ca = validAuthority(files, now);
        if (!ca.canSign()) {
            throw cannotSign("its key %s is not here".formatted(key));
        }
        return ca;
    }

    private HostException cannotSign(String why) {
        return new HostException(
                CommonReason.CA_CANNOT_SIGN,
                "the CA %s cannot sign".formatted(certificate),
                why,
                "copy the CA's certificate and key from another machine of the cluster to "
                        + certificate.getParent());
    }

    /**
     * Checks that a certificate is there with its key, and signed by a CA whose key is kept
     * elsewhere.
     *
     * @param caName of the CA, for the operator
     * @param at     the moment at which it is judged, by its PEM
     * @throws HostException if not
     */
    public void requireSigned(
            HostFiles files, String caName, CertificateAuthority ca, Function<String, Instant> at) {
        String pem = files.read(certificate)
                .orElseThrow(() -> incomplete(caName, "%s is missing".formatted(certificate)));
        if (!files.exists(key)) {
            throw incomplete(caName, "%s is missing".formatted(key));
        }
        try {
            ca.verify(pem, at.apply(pem));
        } catch (PkiException e) {
            throw incomplete(caName, "%s: %s".formatted(certificate, e.getMessage()));
        }
    }

    private static HostException incomplete(String caName, String why) {
        return new HostException(
                "the external CA \"%s\" is invalid or incomplete".formatted(caName),
                why,
                "provide every certificate and key that this CA signs, or the CA's key");
    }

    /** Whether an interrupted run has written the key only. */
    public boolean isKeyAlone(HostFiles files) {
        return files.exists(key) && !files.exists(certificate);
    }

    /** Whether the certificate is that of a CA and its key is not here: it signs elsewhere. */
    public boolean isExternal(HostFiles files) {
        return !files.exists(key)
                && files.read(certificate).filter(CertificatePair::isCa).isPresent();
    }

    private static boolean isCa(String pem) {
        try {
            return CertificateInfo.parse(pem).isCa();
        } catch (PkiException e) {
            return false;
        }
    }

    private static CertificateAuthority loaded(Path path, String pem, Optional<String> keyPem) {
        try {
            return CertificateAuthority.load(pem, keyPem);
        } catch (PkiException e) {
            throw unusable(path, e);
        }
    }

    /** Of the certificate of a CA. */
    public static HostException missing(Path path) {
        return new HostException(
                "the CA certificate %s is missing".formatted(path),
                "certificates cannot be made or checked without it",
                "copy it from another machine of the cluster, or run the phase that creates it");
    }

    /** Of a file of a pair. */
    public static HostException unusable(Path path, PkiException cause) {
        return new HostException(
                "%s cannot be used".formatted(path),
                cause.getMessage(),
                "replace the file, or delete it and its key to generate them again",
                cause);
    }
}
