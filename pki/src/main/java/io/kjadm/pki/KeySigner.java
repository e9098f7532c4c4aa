package io.kjadm.pki;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.operator.ContentSigner;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;

/**
 * Signs with the JDK's providers; the key alone decides on the algorithm. The signer that comes
 * with bouncycastle would first fill its tables of all algorithms there are, which every short run
 * of the program would pay for.
 */
final class KeySigner implements ContentSigner {

    private static final AlgorithmIdentifier RSA_WITH_SHA256 = new AlgorithmIdentifier(
            PKCSObjectIdentifiers.sha256WithRSAEncryption, DERNull.INSTANCE);

    private final PrivateKey key;
    private final String jdkName;
    private final AlgorithmIdentifier identifier;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();

    private KeySigner(PrivateKey key, String jdkName, AlgorithmIdentifier identifier) {
        this.key = key;
        this.jdkName = jdkName;
        this.identifier = identifier;
    }

    /**
     * A signer for one signature: SHA-256 for RSA and P-256, and what matches the size of larger
     * curves.
     */
    static KeySigner of(PrivateKey key) {
        return switch (key) {
            case RSAKey rsa -> new KeySigner(key, "SHA256withRSA", RSA_WITH_SHA256);
            case ECKey ecdsa -> {
                int sizeBits = ecdsa.getParams().getOrder().bitLength();
                if (sizeBits <= 256) {
                    yield ecdsa(key, "SHA256withECDSA", X9ObjectIdentifiers.ecdsa_with_SHA256);
                }
                yield sizeBits <= 384
                        ? ecdsa(key, "SHA384withECDSA", X9ObjectIdentifiers.ecdsa_with_SHA384)
                        : ecdsa(key, "SHA512withECDSA", X9ObjectIdentifiers.ecdsa_with_SHA512);
            }
            default ->
                throw new PkiException("cannot sign with a key of kind " + key.getAlgorithm());
        };
    }

    private static KeySigner ecdsa(PrivateKey key, String jdkName, ASN1ObjectIdentifier oid) {
        return new KeySigner(key, jdkName, new AlgorithmIdentifier(oid));
    }

    @Override
    public AlgorithmIdentifier getAlgorithmIdentifier() {
        return identifier;
    }

    @Override
    public OutputStream getOutputStream() {
        return content;
    }

    @Override
    public byte[] getSignature() {
        try {
            Signature signature = Signature.getInstance(jdkName);
            signature.initSign(key);
            signature.update(content.toByteArray());
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new PkiException("cannot sign with " + jdkName, e);
        }
    }
}
