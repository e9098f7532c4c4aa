package io.kjadm.core.node;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles.Pair;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.AddressText;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.ServiceAccountKeys;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The certificates directory of one node: takes what is there after checking it, makes what is
 * missing. Running it again changes nothing.
 */
public final class CertificateStore {

    private static final String AREA = "certs";

    private final HostFiles files;
    private final KeyPairPool keys;
    private final Reporter out;
    private final Set<String> warned = new HashSet<>();

    public CertificateStore(HostFiles files, KeyPairPool keys, Reporter out) {
        this.files = files;
        this.keys = keys;
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
     * Sees to it that a certificate and its key exist.
     *
     * @throws HostException if what is there cannot be used, or its CA cannot sign what is missing
     */
    public void provide(ControlPlaneNode node, CertificateSpec spec, CheckLevel level) {
        if (spec.isCa()) {
            provideCa(node, spec);
        } else {
            provideLeaf(node, spec, level);
        }
    }

    /**
     * Makes the certificate of a leaf pair of which an interrupted run wrote the key only; any
     * other pair is left alone.
     */
    public void complete(ControlPlaneNode node, CertificateSpec spec) {
        Pair pair = node.pair(spec);
        Optional<String> keyPem = files.read(pair.key());
        if (spec.isCa() || keyPem.isEmpty() || files.exists(pair.certificate())) {
            return;
        }
        CertificateAuthority ca = authority(node, spec.caName().orElseThrow());
        SubjectNames names = new CertificateSans(node, out).names(spec);
        checked(
                pair.key(),
                () -> files.write(
                        pair.certificate(),
                        ca.issueFor(
                                        keyPem.get(),
                                        spec.requestFor(node.name(), names),
                                        node.validity())
                                .certificatePem(),
                        FileMode.WORLD_READABLE));
        out.step(
                AREA,
                "Generating \"%s\" certificate for the key that is there".formatted(spec.name()));
    }

    /**
     * Sees to it that the pair that signs service account tokens exists; an existing private key is
     * kept.
     */
    public void provideServiceAccountKeys(ControlPlaneNode node) {
        Path privateKey = node.paths().certificate(CertificateFiles.SERVICE_ACCOUNT_PRIVATE_KEY);
        Path publicKey = node.paths().certificate(CertificateFiles.SERVICE_ACCOUNT_PUBLIC_KEY);
        Optional<String> existing = files.read(privateKey);
        if (existing.isPresent()) {
            checked(privateKey, () -> ServiceAccountKeys.checkPrivate(existing.get()));
            out.step(AREA, "Using the existing \"sa\" key");
            files.read(publicKey)
                    .ifPresentOrElse(
                            pem -> checkPair(existing.get(), privateKey, pem, publicKey),
                            // kubeadm leaves it missing, and the API server then fails to start
                            () -> files.write(
                                    publicKey,
                                    ServiceAccountKeys.ofPrivate(existing.get()).publicKeyPem(),
                                    FileMode.OWNER_ONLY));
            return;
        }
        ServiceAccountKeys pair = ServiceAccountKeys.generate(keys.of(node.keyAlgorithm()));
        files.write(privateKey, pair.privateKeyPem(), FileMode.OWNER_ONLY);
        files.write(publicKey, pair.publicKeyPem(), FileMode.OWNER_ONLY);
        out.step(AREA, "Generating \"sa\" key and public key");
    }

    /** API servers refuse every token that is signed with a key they do not have. */
    private void checkPair(String privatePem, Path privateKey, String publicPems, Path publicKey) {
        checked(publicKey, () -> {
            if (!ServiceAccountKeys.belongTogether(privatePem, publicPems)) {
                out.warn(
                        "%s does not belong to %s: API servers that check with it refuse the service account tokens that are signed with the key"
                                .formatted(publicKey, privateKey));
            }
        });
    }

    /**
     * The CA of that name, with its key if that is here.
     *
     * @throws HostException if it is missing or nothing may be signed with it
     */
    public CertificateAuthority authority(ControlPlaneNode node, String caName) {
        Pair pair = node.pair(CertificateSet.named(caName));
        return load(pair, caText(pair.certificate()));
    }

    private static void refuseUnfit(Path certificate, CertificateAuthority ca) {
        ca.unfitness().ifPresent(why -> {
            throw new HostException(
                    CertificateReason.UNFIT_CA,
                    "%s is not a CA certificate that may be used".formatted(certificate),
                    why,
                    "copy the right pair from a control-plane node, or remove certificate and key"
                            + " before init to generate them again");
        });
    }

    /** All certificates in the file of that CA: its own, and those that lead from it to a root. */
    public List<CertificateInfo> chain(ControlPlaneNode node, String caName) {
        Path path = node.pair(CertificateSet.named(caName)).certificate();
        try {
            return CertificateInfo.parseAll(caText(path));
        } catch (PkiException e) {
            throw unusable(path, e);
        }
    }

    /**
     * Whether a CA's certificate is here without its key: it is kept elsewhere, and signs
     * elsewhere.
     */
    public boolean isExternal(ControlPlaneNode node, String caName) {
        Pair pair = node.pair(CertificateSet.named(caName));
        return !files.exists(pair.key())
                && files.read(pair.certificate())
                        .filter(CertificateStore::isCaCertificate)
                        .isPresent();
    }

    private static boolean isCaCertificate(String pem) {
        try {
            return CertificateInfo.parse(pem).isCa();
        } catch (PkiException e) {
            return false;
        }
    }

    private void provideCa(ControlPlaneNode node, CertificateSpec spec) {
        Pair pair = node.pair(spec);
        Optional<String> pem = files.read(pair.certificate());
        if (pem.isPresent()) {
            CertificateAuthority ca = load(pair, pem.get());
            ca.weakRsaBits()
                    .ifPresent(bits -> out.warn(
                            "certificate authority %s has an RSA key of %d bits; less than 2048 is too weak"
                                    .formatted(spec.name(), bits)));
            warnIfOutOfDate(node, spec, ca.info());
            out.step(
                    AREA,
                    ca.canSign()
                            ? "Using existing %s certificate authority".formatted(spec.name())
                            : "Using existing %s keyless certificate authority"
                                    .formatted(spec.name()));
            return;
        }
        refuseKeyWithoutCertificate(pair);
        Validity validity =
                Validity.startingAt(node.startedAt(), node.cluster().caCertificateValidityPeriod());
        CertificateAuthority ca = CertificateAuthority.create(
                spec.commonNameOn(node.name()), keys.of(node.keyAlgorithm()), validity);
        pair.write(files, ca.certificatePem(), ca.keyPem().orElseThrow());
        out.step(AREA, "Generating \"%s\" certificate and key".formatted(spec.name()));
    }

    private void provideLeaf(ControlPlaneNode node, CertificateSpec spec, CheckLevel level) {
        Pair pair = node.pair(spec);
        SubjectNames names = new CertificateSans(node, out).names(spec);
        Optional<String> pem = files.read(pair.certificate());
        CertificateAuthority ca = authority(node, spec.caName().orElseThrow());
        warnIfOutOfDate(node, CertificateSet.named(spec.caName().orElseThrow()), ca.info());
        if (pem.isPresent()) {
            check(node, spec, ca, pair, pem.get(), names, level);
            out.step(AREA, "Using existing %s certificate and key on disk".formatted(spec.name()));
            return;
        }
        refuseKeyWithoutCertificate(pair);
        if (!ca.canSign()) {
            throw new HostException(
                    CommonReason.CA_CANNOT_SIGN,
                    "the certificate %s is missing and cannot be made"
                            .formatted(pair.certificate()),
                    "the key of its CA %s is not on this node"
                            .formatted(spec.caName().orElseThrow()),
                    "put certificate and key there, or the CA's key");
        }
        IssuedCertificate issued = ca.issue(
                spec.requestFor(node.name(), names), keys.of(node.keyAlgorithm()), node.validity());
        pair.write(files, issued.certificatePem(), issued.keyPem());
        out.step(AREA, "Generating \"%s\" certificate and key".formatted(spec.name()));
        warnIfItOutlives(spec, CertificateInfo.parse(issued.certificatePem()), ca.info());
        if (!names.isEmpty()) {
            out.step(AREA, "%s serving cert is signed for %s".formatted(spec.name(), text(names)));
        }
    }

    private static String text(SubjectNames names) {
        return Stream.concat(
                        names.dnsNames().stream(), names.addresses().stream().map(AddressText::of))
                .collect(Collectors.joining(", "));
    }

    private void check(
            ControlPlaneNode node,
            CertificateSpec spec,
            CertificateAuthority ca,
            Pair pair,
            String pem,
            SubjectNames names,
            CheckLevel level) {
        Path certificate = pair.certificate();
        checked(certificate, () -> ca.verify(pem, node.startedAt()));
        CertificateInfo info = CertificateInfo.parse(pem);
        checkKey(pair, info);
        if (level == CheckLevel.CHAIN_KEY_AND_NAMES && !info.covers(names)) {
            throw new HostException(
                    "%s cannot be used on this node".formatted(certificate),
                    "it is not valid for " + text(info.missing(names)),
                    "remove certificate and key to generate them again, or replace them");
        }
        if (!info.covers(names)) {
            // kubeadm's init is silent; what uses a missing name then gets no connection
            out.warn("certificate %s is not valid for %s; to generate it again, remove %s and %s"
                    .formatted(spec.name(), text(info.missing(names)), certificate, pair.key()));
        }
        warnIfOutOfDate(node, spec, info);
    }

    /** A component does not start with a key that does not fit; kubeadm's init does not look. */
    private void checkKey(Pair pair, CertificateInfo info) {
        String keyPem = files.read(pair.key())
                .orElseThrow(() -> new HostException(
                        "the key %s is missing".formatted(pair.key()),
                        "its certificate is there",
                        "copy the key too, or remove the certificate"));
        if (!info.matchesKey(keyPem)) {
            throw new HostException(
                    "%s does not match %s".formatted(pair.key(), pair.certificate()),
                    "the public keys differ",
                    "copy the pair that belongs together, or remove both to generate them again");
        }
    }

    private void warnIfOutOfDate(
            ControlPlaneNode node, CertificateSpec spec, CertificateInfo info) {
        info.outOfDate(node.startedAt())
                .ifPresent(why -> warnOnce("certificate %s %s".formatted(spec.name(), why)));
    }

    /** What is signed by a CA that ends first is refused from then on, whatever its own date. */
    private void warnIfItOutlives(CertificateSpec spec, CertificateInfo info, CertificateInfo ca) {
        if (info.notAfter().isAfter(ca.notAfter())) {
            warnOnce(
                    "certificate authority %s expires at %s, before certificates that it signs (%s)"
                            .formatted(
                                    spec.caName().orElseThrow(), ca.notAfter(), info.notAfter()));
        }
    }

    /** Every certificate of a CA would say the same of it. */
    private void warnOnce(String warning) {
        if (warned.add(warning)) {
            out.warn(warning);
        }
    }

    private void refuseKeyWithoutCertificate(Pair pair) {
        if (files.exists(pair.key())) {
            throw new HostException(
                    CertificateReason.KEY_WITHOUT_CERTIFICATE,
                    "there is a key %s without its certificate".formatted(pair.key()),
                    "%s is missing, and a new one would not match keys already in use"
                            .formatted(pair.certificate()),
                    "restore the certificate, or remove the key");
        }
    }

    private String caText(Path path) {
        return files.read(path)
                .orElseThrow(() -> new HostException(
                        "the CA certificate %s is missing".formatted(path),
                        "certificates cannot be made or checked without it",
                        "run the phase that creates it, or copy it from a control-plane node"));
    }

    /** @throws HostException that names the file which is not good: the certificate, or its key */
    private CertificateAuthority load(Pair pair, String pem) {
        CertificateAuthority keyless = loaded(pair.certificate(), pem, Optional.empty());
        Optional<String> keyPem = files.read(pair.key());
        CertificateAuthority ca = keyPem.isPresent() ? loaded(pair.key(), pem, keyPem) : keyless;
        refuseUnfit(pair.certificate(), ca);
        return ca;
    }

    private static CertificateAuthority loaded(Path path, String pem, Optional<String> keyPem) {
        try {
            return CertificateAuthority.load(pem, keyPem);
        } catch (PkiException e) {
            throw unusable(path, e);
        }
    }

    private static void checked(Path path, Runnable check) {
        try {
            check.run();
        } catch (PkiException e) {
            throw unusable(path, e);
        }
    }

    private static HostException unusable(Path path, PkiException cause) {
        return new HostException(
                "%s cannot be used".formatted(path),
                cause.getMessage(),
                "replace the file, or remove it with its key to generate it again",
                cause);
    }
}
