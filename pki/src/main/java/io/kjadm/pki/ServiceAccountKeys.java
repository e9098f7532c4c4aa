package io.kjadm.pki;

import java.security.KeyPair;
import java.security.PublicKey;
import java.util.List;

/** The pair with which service account tokens are signed and checked, as PEM. */
public record ServiceAccountKeys(String privateKeyPem, String publicKeyPem) {

    public static ServiceAccountKeys generate(KeyAlgorithm algorithm) {
        return generate(KeyPairPool.onDemand(algorithm));
    }

    /** The same with a key out of a stock. */
    public static ServiceAccountKeys generate(KeyPairPool keys) {
        KeyPair pair = keys.take();
        return new ServiceAccountKeys(
                PrivateKeyPem.encode(pair), PublicKeyPem.encode(pair.getPublic()));
    }

    /**
     * The pair of an existing private key, whose text is kept as it is.
     *
     * @throws PkiException if the text holds no usable private key
     */
    public static ServiceAccountKeys ofPrivate(String privateKeyPem) {
        return new ServiceAccountKeys(
                privateKeyPem,
                PublicKeyPem.encode(PublicKeyPem.of(PrivateKeyPem.parse(privateKeyPem))));
    }

    /**
     * Refuses a private key that could not sign tokens.
     *
     * @throws PkiException with the reason
     */
    public static void checkPrivate(String privateKeyPem) {
        PrivateKeyPem.parse(privateKeyPem);
    }

    /**
     * Refuses a public key that could not check tokens; a certificate or a private key also holds
     * one.
     *
     * @throws PkiException with the reason
     */
    public static void checkPublic(String publicKeyPem) {
        PublicKeyPem.parse(publicKeyPem);
    }

    /**
     * Whether servers that check tokens with those public keys accept what that private key signs.
     * A file may hold several public keys, as while keys are exchanged.
     *
     * @throws PkiException if one of the texts holds no usable key, or the keys are of different
     *     types
     */
    public static boolean belongTogether(String privateKeyPem, String publicKeyPems) {
        PublicKey own = PublicKeyPem.of(PrivateKeyPem.parse(privateKeyPem));
        List<PublicKey> accepted = PublicKeyPem.parseAll(publicKeyPems);
        if (accepted.contains(own)) {
            return true;
        }
        String type = accepted.getFirst().getAlgorithm();
        if (accepted.stream().noneMatch(key -> key.getAlgorithm().equals(own.getAlgorithm()))) {
            throw new PkiException("the private key is %s and the public key %s"
                    .formatted(name(own.getAlgorithm()), name(type)));
        }
        return false;
    }

    private static String name(String algorithm) {
        return algorithm.equals("EC") ? "ECDSA" : algorithm;
    }

    @Override
    public String toString() {
        return "ServiceAccountKeys[private key hidden]";
    }
}
