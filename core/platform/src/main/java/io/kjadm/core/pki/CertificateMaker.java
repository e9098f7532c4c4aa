package io.kjadm.core.pki;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.AddressText;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Takes the certificates that are there after checking them, and makes what is missing. Running it
 * again changes nothing.
 */
public final class CertificateMaker {

    private static final String AREA = "certs";

    private final HostFiles files;
    private final Reporter out;
    private final Set<String> warned = new HashSet<>();

    public CertificateMaker(HostFiles files, Reporter out) {
        this.files = files;
        this.out = out;
    }

    /** How closely an existing leaf certificate is looked at. */
    public enum CheckLevel {
        /**
         * As init does: it must be signed by its CA and its key must fit; names that it lacks are
         * warned of.
         */
        CHAIN_AND_KEY,
        /** As a joining control plane does: its names must cover what is needed as well. */
        CHAIN_KEY_AND_NAMES
    }

    /**
     * A certificate that is not a CA.
     *
     * @param name for the operator
     */
    public record Leaf(String name, CertificatePair pair, LeafRequest request, Validity validity) {}

    /**
     * A new CA.
     *
     * @param name for the operator
     */
    public record Root(String name, CertificatePair pair, String commonName, Validity validity) {}

    /**
     * The CA of a certificate.
     *
     * @param name for the operator
     * @param pair whose certificate file may hold a second CA that is trusted
     */
    public record Signer(String name, CertificatePair pair, CertificateAuthority authority) {}

    /**
     * A run.
     *
     * @param keys of new certificates
     * @param now  at which those that exist are judged
     */
    public record Run(KeyPairPool keys, Instant now) {}

    /**
     * Sees to it that a CA exists.
     *
     * @throws HostException if what is there cannot be used
     */
    public CertificateAuthority provideCa(Root root, Run run) {
        String name = root.name();
        CertificatePair pair = root.pair();
        if (files.exists(pair.certificate())) {
            CertificateAuthority ca = pair.authority(files);
            ca.weakRsaBits()
                    .ifPresent(bits -> out.warn(
                            "certificate authority %s has an RSA key of %d bits; less than 2048 is too weak"
                                    .formatted(name, bits)));
            warnIfOutOfDate(name, ca.info(), run.now());
            out.step(
                    AREA,
                    ca.canSign()
                            ? "Using existing %s certificate authority".formatted(name)
                            : "Using existing %s keyless certificate authority".formatted(name));
            return ca;
        }
        refuseKeyWithoutCertificate(pair);
        CertificateAuthority ca =
                CertificateAuthority.create(root.commonName(), run.keys(), root.validity());
        pair.write(files, ca.certificatePem(), ca.keyPem().orElseThrow());
        out.step(AREA, "Generating \"%s\" certificate and key".formatted(name));
        return ca;
    }

    /**
     * Sees to it that a certificate and its key exist.
     *
     * @throws HostException if what is there cannot be used, or the CA cannot sign what is missing
     */
    public void provide(Leaf leaf, Signer ca, CheckLevel level, Run run) {
        CertificatePair pair = leaf.pair();
        Optional<String> pem = files.read(pair.certificate());
        warnIfOutOfDate(ca.name(), ca.authority().info(), run.now());
        if (pem.isPresent()) {
            check(leaf, ca, pem.get(), level, run.now());
            out.step(AREA, "Using existing %s certificate and key on disk".formatted(leaf.name()));
            return;
        }
        refuseKeyWithoutCertificate(pair);
        if (!ca.authority().canSign()) {
            throw new HostException(
                    CommonReason.CA_CANNOT_SIGN,
                    "the certificate %s is missing and cannot be made"
                            .formatted(pair.certificate()),
                    "the key of its CA %s is not on this machine".formatted(ca.name()),
                    "put certificate and key there, or the CA's key");
        }
        IssuedCertificate issued =
                ca.authority().issue(leaf.request(), run.keys(), leaf.validity());
        pair.write(files, issued.certificatePem(), issued.keyPem());
        out.step(AREA, "Generating \"%s\" certificate and key".formatted(leaf.name()));
        warnIfItOutlives(ca, CertificateInfo.parse(issued.certificatePem()));
        SubjectNames names = leaf.request().names();
        if (!names.isEmpty()) {
            out.step(AREA, "%s serving cert is signed for %s".formatted(leaf.name(), text(names)));
        }
    }

    /**
     * Makes the certificate of a pair of which an interrupted run wrote the key only; any other
     * pair is left alone.
     */
    public void complete(Leaf leaf, Signer ca) {
        CertificatePair pair = leaf.pair();
        if (!pair.isKeyAlone(files)) {
            return;
        }
        String keyPem = files.read(pair.key()).orElseThrow();
        checked(
                pair.key(),
                () -> files.write(
                        pair.certificate(),
                        ca.authority()
                                .issueFor(keyPem, leaf.request(), leaf.validity())
                                .certificatePem(),
                        FileMode.WORLD_READABLE));
        out.step(
                AREA,
                "Generating \"%s\" certificate for the key that is there".formatted(leaf.name()));
    }

    private static String text(SubjectNames names) {
        return Stream.concat(
                        names.dnsNames().stream(), names.addresses().stream().map(AddressText::of))
                .collect(Collectors.joining(", "));
    }

    private void check(Leaf leaf, Signer ca, String pem, CheckLevel level, Instant now) {
        Path certificate = leaf.pair().certificate();
        SubjectNames names = leaf.request().names();
        checked(certificate, () -> verify(ca, pem, now));
        CertificateInfo info = CertificateInfo.parse(pem);
        checkKey(leaf.pair(), info);
        if (level == CheckLevel.CHAIN_KEY_AND_NAMES && !info.covers(names)) {
            throw new HostException(
                    "%s cannot be used on this machine".formatted(certificate),
                    "it is not valid for " + text(info.missing(names)),
                    "delete certificate and key to generate them again, or replace them");
        }
        if (!info.covers(names)) {
            // kubeadm's init is silent; what uses a missing name then gets no connection
            out.warn("certificate %s is not valid for %s; to generate it again, remove %s and %s"
                    .formatted(
                            leaf.name(),
                            text(info.missing(names)),
                            certificate,
                            leaf.pair().key()));
        }
        warnIfOutOfDate(leaf.name(), info, now);
    }

    /** While the CA is rotated, what the one that is trusted beside it has signed will do. */
    private void verify(Signer ca, String pem, Instant now) {
        try {
            ca.authority().verify(pem, now);
        } catch (PkiException e) {
            boolean trusted =
                    CertificateInfo.parseAll(files.read(ca.pair().certificate()).orElse(""))
                            .stream()
                            .skip(1)
                            .map(other -> CertificateAuthority.load(other.pem(), Optional.empty()))
                            .anyMatch(other -> signed(other, pem, now));
            if (!trusted) {
                throw e;
            }
        }
    }

    private static boolean signed(CertificateAuthority ca, String pem, Instant now) {
        try {
            ca.verify(pem, now);
            return true;
        } catch (PkiException e) {
            return false;
        }
    }

    /** A component does not start with a key that does not fit; kubeadm's init does not look. */
    private void checkKey(CertificatePair pair, CertificateInfo info) {
        String keyPem = files.read(pair.key())
                .orElseThrow(() -> new HostException(
                        "the key %s is missing".formatted(pair.key()),
                        "its certificate is there",
                        "copy the key too, or remove the certificate"));
        checked(pair.key(), () -> {
            if (!info.matchesKey(keyPem)) {
                throw new HostException(
                        "%s does not match %s".formatted(pair.key(), pair.certificate()),
                        "the public keys differ",
                        "copy the pair that belongs together, or remove both to generate them again");
            }
        });
    }

    private void warnIfOutOfDate(String name, CertificateInfo info, Instant now) {
        info.outOfDate(now).ifPresent(why -> warnOnce("certificate %s %s".formatted(name, why)));
    }

    /** What is signed by a CA that ends first is refused from then on, whatever its own date. */
    private void warnIfItOutlives(Signer ca, CertificateInfo info) {
        Instant end = ca.authority().info().notAfter();
        if (info.notAfter().isAfter(end)) {
            warnOnce(
                    "certificate authority %s expires at %s, before certificates that it signs (%s)"
                            .formatted(ca.name(), end, info.notAfter()));
        }
    }

    /** Every certificate of a CA would say the same of it. */
    private void warnOnce(String warning) {
        if (warned.add(warning)) {
            out.warn(warning);
        }
    }

    private void refuseKeyWithoutCertificate(CertificatePair pair) {
        if (pair.isKeyAlone(files)) {
            throw new HostException(
                    CertificateReason.KEY_WITHOUT_CERTIFICATE,
                    "there is a key %s without its certificate".formatted(pair.key()),
                    "%s is missing, and a new one would not match keys already in use"
                            .formatted(pair.certificate()),
                    "restore the certificate; if the command that made the key was interrupted, remove the key, then run the command again");
        }
    }

    private static void checked(Path path, Runnable check) {
        try {
            check.run();
        } catch (PkiException e) {
            throw CertificatePair.unusable(path, e);
        }
    }
}
