package io.kjadm.core.node;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificateMaker;
import io.kjadm.core.pki.CertificateMaker.CheckLevel;
import io.kjadm.core.pki.CertificateMaker.Leaf;
import io.kjadm.core.pki.CertificateMaker.Root;
import io.kjadm.core.pki.CertificateMaker.Run;
import io.kjadm.core.pki.CertificateMaker.Signer;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.ServiceAccountKeys;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The certificates directory of one node: takes what is there after checking it, makes what is
 * missing. Running it again changes nothing.
 */
public final class CertificateStore {

    private static final String AREA = "certs";

    private final HostFiles files;
    private final KeyPairPool keys;
    private final Reporter out;
    private final CertificateMaker maker;

    public CertificateStore(HostFiles files, KeyPairPool keys, Reporter out) {
        this.files = files;
        this.keys = keys;
        this.out = out;
        this.maker = new CertificateMaker(files, out);
    }

    /**
     * Sees to it that a certificate and its key exist.
     *
     * @throws HostException if what is there cannot be used, or its CA cannot sign what is missing
     */
    public void provide(ControlPlaneNode node, CertificateSpec spec, CheckLevel level) {
        Run run = new Run(keys.of(node.keyAlgorithm()), node.startedAt());
        if (spec.isCa()) {
            maker.provideCa(
                    new Root(
                            spec.name(),
                            node.pair(spec),
                            spec.commonNameOn(node.name()),
                            Validity.startingAt(
                                    node.startedAt(),
                                    node.cluster().caCertificateValidityPeriod())),
                    run);
        } else {
            maker.provide(leaf(node, spec), signer(node, spec), level, run);
        }
    }

    /**
     * Makes the certificate of a leaf pair of which an interrupted run wrote the key only; any
     * other pair is left alone.
     */
    public void complete(ControlPlaneNode node, CertificateSpec spec) {
        if (!spec.isCa() && node.pair(spec).isKeyAlone(files)) {
            maker.complete(leaf(node, spec), signer(node, spec));
        }
    }

    private Leaf leaf(ControlPlaneNode node, CertificateSpec spec) {
        return new Leaf(
                spec.name(),
                node.pair(spec),
                spec.requestFor(node.name(), new CertificateSans(node, out).names(spec)),
                node.validity());
    }

    private Signer signer(ControlPlaneNode node, CertificateSpec spec) {
        CertificateSpec ca = CertificateSet.named(spec.caName().orElseThrow());
        return new Signer(ca.name(), node.pair(ca), authority(node, ca.name()));
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
        return node.pair(CertificateSet.named(caName)).authority(files);
    }

    /** All certificates in the file of that CA: its own, and those that lead from it to a root. */
    public List<CertificateInfo> chain(ControlPlaneNode node, String caName) {
        Path path = node.pair(CertificateSet.named(caName)).certificate();
        String pem = files.read(path).orElseThrow(() -> CertificatePair.missing(path));
        try {
            return CertificateInfo.parseAll(pem);
        } catch (PkiException e) {
            throw CertificatePair.unusable(path, e);
        }
    }

    /**
     * Whether a CA's certificate is here without its key: it is kept elsewhere, and signs
     * elsewhere.
     */
    public boolean isExternal(ControlPlaneNode node, String caName) {
        return node.pair(CertificateSet.named(caName)).isExternal(files);
    }

    private static void checked(Path path, Runnable check) {
        try {
            check.run();
        } catch (PkiException e) {
            throw CertificatePair.unusable(path, e);
        }
    }
}
