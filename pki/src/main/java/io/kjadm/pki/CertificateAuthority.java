package io.kjadm.pki;

import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Optional;

/** A CA: its certificate, and its key unless that is kept elsewhere. */
public final class CertificateAuthority {

    private static final int REFUSED_RSA_BITS = 1024;
    private static final int WEAK_RSA_BITS = 2048;

    private final X509Certificate certificate;
    private final Optional<PrivateKey> key;
    private final Optional<String> keyPem;

    private CertificateAuthority(
            X509Certificate certificate, Optional<PrivateKey> key, Optional<String> keyPem) {
        this.certificate = certificate;
        this.key = key;
        this.keyPem = keyPem;
    }

    /**
     * A new self-signed CA with a new key.
     *
     * @throws PkiException if the common name is empty
     */
    public static CertificateAuthority create(
            String commonName, KeyAlgorithm algorithm, Validity validity) {
        return create(commonName, KeyPairPool.onDemand(algorithm), validity);
    }

    /** The same with a key out of a stock. */
    public static CertificateAuthority create(
            String commonName, KeyPairPool keys, Validity validity) {
        if (commonName.isBlank()) {
            throw new PkiException("a CA needs a common name");
        }
        KeyPair pair = keys.take();
        X509Certificate certificate = CertificateWriter.selfSigned(commonName, pair, validity);
        return new CertificateAuthority(
                certificate,
                Optional.of(pair.getPrivate()),
                Optional.of(PrivateKeyPem.encode(pair)));
    }

    /**
     * A CA that exists. The first certificate of the text is the CA; the rest, if any, is ignored.
     * Whether it may sign is left to {@link #unfitness()}, because not every caller wants to know.
     *
     * @throws PkiException if one of the texts is unreadable, or if the key belongs to another
     * certificate
     */
    public static CertificateAuthority load(String certificatePem, Optional<String> keyPem) {
        X509Certificate certificate = X509Text.certificates(certificatePem).getFirst();
        Optional<PrivateKey> key = keyPem.map(PrivateKeyPem::parse);
        if (key.isPresent() && !PublicKeyPem.of(key.get()).equals(certificate.getPublicKey())) {
            throw new PkiException("the private key does not belong to the CA certificate of %s"
                    .formatted(X509Text.subject(certificate)));
        }
        return new CertificateAuthority(certificate, key, keyPem);
    }

    /** The one certificate of this CA, without any chain. */
    public String certificatePem() {
        return X509Text.pem(certificate);
    }

    /** The key as it was made or loaded. */
    public Optional<String> keyPem() {
        return keyPem;
    }

    public Instant notBefore() {
        return certificate.getNotBefore().toInstant();
    }

    /** Whether the key is here. */
    public boolean canSign() {
        return key.isPresent();
    }

    /** Whether the certificate says of itself that it may sign others. */
    public boolean isCa() {
        return certificate.getBasicConstraints() >= 0;
    }

    /**
     * Why nothing may be signed with this certificate and its key; empty if it may. Go refuses RSA
     * keys below 1024 bits, and so everything in a cluster.
     */
    public Optional<String> unfitness() {
        if (!isCa()) {
            return Optional.of("its basic constraints do not say CA");
        }
        return rsaBits()
                .filter(bits -> bits < REFUSED_RSA_BITS)
                .map("its RSA key of %d bits can be broken"::formatted);
    }

    /** The bits of an RSA key that is used, but is too short for today. */
    public Optional<Integer> weakRsaBits() {
        return rsaBits().filter(bits -> bits < WEAK_RSA_BITS);
    }

    private Optional<Integer> rsaBits() {
        return certificate.getPublicKey() instanceof RSAPublicKey rsa
                ? Optional.of(rsa.getModulus().bitLength())
                : Optional.empty();
    }

    public CertificateInfo info() {
        return CertificateInfo.of(certificate);
    }

    /**
     * A new certificate with a new key.
     *
     * @throws PkiException if the key of this CA is not here, or it is {@link #unfitness unfit}
     */
    public IssuedCertificate issue(LeafRequest request, KeyAlgorithm algorithm, Validity validity) {
        return issue(request, KeyPairPool.onDemand(algorithm), validity);
    }

    /** The same with a key out of a stock. */
    public IssuedCertificate issue(LeafRequest request, KeyPairPool keys, Validity validity) {
        var issuer = issuer(request);
        KeyPair pair = keys.take();
        X509Certificate leaf = CertificateWriter.leaf(request, pair.getPublic(), issuer, validity);
        return new IssuedCertificate(X509Text.pem(leaf), PrivateKeyPem.encode(pair));
    }

    /**
     * The same for a key that is there already, whose text is kept as it is.
     *
     * @throws PkiException if the text holds no usable private key
     */
    public IssuedCertificate issueFor(
            String privateKeyPem, LeafRequest request, Validity validity) {
        var publicKey = PublicKeyPem.of(PrivateKeyPem.parse(privateKeyPem));
        X509Certificate leaf =
                CertificateWriter.leaf(request, publicKey, issuer(request), validity);
        return new IssuedCertificate(X509Text.pem(leaf), privateKeyPem);
    }

    private CertificateWriter.Issuer issuer(LeafRequest request) {
        PrivateKey signingKey = key.orElseThrow(() -> new PkiException(
                "the certificate for %s cannot be signed: the key of %s is not here"
                        .formatted(request.commonName(), X509Text.subject(certificate))));
        unfitness().ifPresent(why -> {
            throw new PkiException("the certificate for %s cannot be signed by %s: %s"
                    .formatted(request.commonName(), X509Text.subject(certificate), why));
        });
        return new CertificateWriter.Issuer(certificate, signingKey);
    }

    /**
     * Refuses a certificate that does not lead to this CA at this instant. The first certificate of
     * the text is judged, the others may serve as intermediates. Any extended usage will do.
     *
     * @throws PkiException with the reason
     */
    public void verify(String leafChainPem, Instant now) {
        new ChainVerifier(certificate).verify(X509Text.certificates(leafChainPem), now);
    }

    @Override
    public String toString() {
        return "CertificateAuthority[%s, %s]"
                .formatted(X509Text.subject(certificate), canSign() ? "key hidden" : "no key");
    }
}
