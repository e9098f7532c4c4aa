package io.kjadm.pki;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Public keys as PEM of kind {@code PUBLIC KEY}, and public keys found from private ones. */
final class PublicKeyPem {

    private PublicKeyPem() {}

    static String encode(PublicKey key) {
        return new PemBlock(PemBlock.PUBLIC_KEY, key.getEncoded()).toPem();
    }

    /**
     * The first public key of the text, which may also be in a certificate or follow from a private
     * key.
     */
    static PublicKey parse(String pem) {
        return keys(pem).findFirst().orElseThrow(PublicKeyPem::noKey);
    }

    /** All of them, at least one. */
    static List<PublicKey> parseAll(String pem) {
        List<PublicKey> keys = keys(pem).toList();
        if (keys.isEmpty()) {
            throw noKey();
        }
        return keys;
    }

    private static Stream<PublicKey> keys(String pem) {
        return PemBlock.parseAll(pem).stream().flatMap(block -> key(block).stream());
    }

    private static PkiException noKey() {
        return new PkiException("there is no public key in the PEM text");
    }

    private static Optional<PublicKey> key(PemBlock block) {
        if (block.label().equals(PemBlock.PUBLIC_KEY)) {
            return Optional.of(fromSubjectPublicKeyInfo(block.content()));
        }
        if (block.isCertificate()) {
            return Optional.of(X509Text.certificate(block).getPublicKey());
        }
        return block.isPrivateKey()
                ? Optional.of(of(PrivateKeyPem.parse(block.toPem())))
                : Optional.empty();
    }

    /**
     * The public key that belongs to the private one; computed, because not every private key file
     * brings it.
     */
    static PublicKey of(PrivateKey key) {
        try {
            return switch (key) {
                case RSAPrivateCrtKey rsa ->
                    KeyFactory.getInstance("RSA")
                            .generatePublic(new RSAPublicKeySpec(
                                    rsa.getModulus(), rsa.getPublicExponent()));
                case ECPrivateKey ecdsa -> ofEcdsa(ecdsa);
                default -> throw new PkiException("the private key is neither RSA nor ECDSA");
            };
        } catch (GeneralSecurityException | IOException e) {
            throw new PkiException("the public key cannot be found from the private key", e);
        }
    }

    private static PublicKey ofEcdsa(ECPrivateKey key) throws IOException {
        AlgorithmIdentifier algorithm =
                PrivateKeyInfo.getInstance(key.getEncoded()).getPrivateKeyAlgorithm();
        ASN1ObjectIdentifier curve = ASN1ObjectIdentifier.getInstance(algorithm.getParameters());
        byte[] point = EllipticCurves.publicPoint(curve, key.getS());
        return fromSubjectPublicKeyInfo(new SubjectPublicKeyInfo(algorithm, point).getEncoded());
    }

    private static PublicKey fromSubjectPublicKeyInfo(byte[] der) {
        try {
            ASN1ObjectIdentifier algorithm =
                    SubjectPublicKeyInfo.getInstance(der).getAlgorithm().getAlgorithm();
            String family = algorithm.equals(PKCSObjectIdentifiers.rsaEncryption) ? "RSA" : "EC";
            return KeyFactory.getInstance(family).generatePublic(new X509EncodedKeySpec(der));
        } catch (GeneralSecurityException | RuntimeException e) {
            throw new PkiException("the public key is neither RSA nor ECDSA or is damaged", e);
        }
    }
}
