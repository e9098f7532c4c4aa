package io.kjadm.pki;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.RSAPrivateKey;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;

/**
 * Private keys as PEM. Read are PKCS#1, SEC1 and PKCS#8, RSA or ECDSA, and for TLS also Ed25519;
 * blocks of other kinds before the key, such as {@code EC PARAMETERS} or its certificate, are
 * skipped. Written are PKCS#1 for RSA and SEC1 for ECDSA, as kubeadm does.
 */
public final class PrivateKeyPem {

    private PrivateKeyPem() {}

    /**
     * The same key as PKCS#8 PEM ({@code PRIVATE KEY}), the one form that the JDK and netty read;
     * RSA, ECDSA or Ed25519.
     *
     * @throws PkiException if the text holds no usable private key
     */
    public static String toPkcs8(String keyPem) {
        return new PemBlock(PemBlock.PKCS8_KEY, read(keyPem).getEncoded()).toPem();
    }

    /** A key that this program signs with, or has the API server sign with. */
    static PrivateKey parse(String keyPem) {
        PrivateKey key = read(keyPem);
        if (key instanceof EdECPrivateKey) {
            throw new PkiException("the private key is neither RSA nor ECDSA");
        }
        return key;
    }

    private static PrivateKey read(String keyPem) {
        PemBlock block = PemBlock.parseAll(keyPem).stream()
                .filter(PemBlock::isPrivateKey)
                .findFirst()
                .orElseThrow(() -> new PkiException("there is no private key in the PEM text"));
        if (block.encrypted()) {
            throw new PkiException(
                    "the private key is protected by a passphrase, which is not supported");
        }
        try {
            return toKey(info(block));
        } catch (PkiException e) {
            throw e;
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            // the ASN.1 reader answers foreign structures with various unchecked exceptions
            throw new PkiException(
                    "the private key in the PEM block \"%s\" cannot be read"
                            .formatted(block.label()),
                    e);
        }
    }

    /** The pair's private key in the form that kubeadm would write. */
    static String encode(KeyPair pair) {
        try {
            PrivateKeyInfo info = PrivateKeyInfo.getInstance(pair.getPrivate().getEncoded());
            if (isRsa(info)) {
                byte[] pkcs1 = info.parsePrivateKey().toASN1Primitive().getEncoded();
                return new PemBlock(PemBlock.PKCS1_KEY, pkcs1).toPem();
            }
            return new PemBlock(PemBlock.SEC1_KEY, toSec1(info, pair)).toPem();
        } catch (IOException e) {
            throw new PkiException("the private key cannot be encoded", e);
        }
    }

    private static PrivateKeyInfo info(PemBlock block) throws IOException {
        return switch (block.label()) {
            case PemBlock.PKCS1_KEY -> fromPkcs1(block.content());
            case PemBlock.SEC1_KEY -> fromSec1(block.content());
            default -> PrivateKeyInfo.getInstance(block.content());
        };
    }

    private static byte[] toSec1(PrivateKeyInfo info, KeyPair pair) throws IOException {
        ASN1ObjectIdentifier curve =
                ASN1ObjectIdentifier.getInstance(info.getPrivateKeyAlgorithm().getParameters());
        DERBitString point = DERBitString.convert(
                SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()).getPublicKeyData());
        ECPrivateKey bare = ECPrivateKey.getInstance(info.parsePrivateKey());
        return new ECPrivateKey(EllipticCurves.orderBits(curve), bare.getKey(), point, curve)
                .getEncoded();
    }

    private static PrivateKeyInfo fromPkcs1(byte[] der) throws IOException {
        AlgorithmIdentifier rsa =
                new AlgorithmIdentifier(PKCSObjectIdentifiers.rsaEncryption, DERNull.INSTANCE);
        return new PrivateKeyInfo(rsa, RSAPrivateKey.getInstance(der));
    }

    private static PrivateKeyInfo fromSec1(byte[] der) throws IOException {
        ECPrivateKey key = ECPrivateKey.getInstance(der);
        if (!(key.getParametersObject() instanceof ASN1ObjectIdentifier curve)) {
            throw new PkiException("the EC private key is damaged or does not name its curve");
        }
        AlgorithmIdentifier ecdsa =
                new AlgorithmIdentifier(X9ObjectIdentifiers.id_ecPublicKey, curve);
        // the curve belongs into the algorithm, and some readers refuse to see it twice
        ECPrivateKey bare = new ECPrivateKey(EllipticCurves.orderBits(curve), key.getKey());
        return new PrivateKeyInfo(ecdsa, bare);
    }

    private static PrivateKey toKey(PrivateKeyInfo info)
            throws IOException, GeneralSecurityException {
        ASN1ObjectIdentifier algorithm = info.getPrivateKeyAlgorithm().getAlgorithm();
        if (algorithm.equals(EdECObjectIdentifiers.id_Ed25519)) {
            // without the public key that RFC 5958 lets follow
            var bare = new PrivateKeyInfo(info.getPrivateKeyAlgorithm(), info.parsePrivateKey());
            return KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new PKCS8EncodedKeySpec(bare.getEncoded()));
        }
        boolean ecdsa = algorithm.equals(X9ObjectIdentifiers.id_ecPublicKey);
        if (!ecdsa && !isRsa(info)) {
            throw new PkiException("the private key is neither RSA nor ECDSA nor Ed25519");
        }
        if (ecdsa) {
            EllipticCurves.requireKnown(ASN1ObjectIdentifier.getInstance(
                    info.getPrivateKeyAlgorithm().getParameters()));
        }
        return KeyFactory.getInstance(ecdsa ? "EC" : "RSA")
                .generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded()));
    }

    private static boolean isRsa(PrivateKeyInfo info) {
        return info.getPrivateKeyAlgorithm()
                .getAlgorithm()
                .equals(PKCSObjectIdentifiers.rsaEncryption);
    }
}
