package io.kjadm.pki;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The kinds of key that the cluster configuration can ask for in {@code encryptionAlgorithm}. */
public enum KeyAlgorithm {
    RSA_2048("RSA-2048", () -> rsa(2048)),
    RSA_3072("RSA-3072", () -> rsa(3072)),
    RSA_4096("RSA-4096", () -> rsa(4096)),
    ECDSA_P256("ECDSA-P256", () -> ec("secp256r1")),
    ECDSA_P384("ECDSA-P384", () -> ec("secp384r1"));

    /** What is used when the configuration says nothing. */
    public static final KeyAlgorithm DEFAULT = RSA_2048;

    private final String configName;
    private final Generator generator;

    KeyAlgorithm(String configName, Generator generator) {
        this.configName = configName;
        this.generator = generator;
    }

    /**
     * The algorithm that the configuration calls by this name, for example {@code RSA-2048}.
     *
     * @throws PkiException for any other text; upper and lower case differ
     */
    public static KeyAlgorithm fromName(String name) {
        return Arrays.stream(values())
                .filter(algorithm -> algorithm.configName.equals(name))
                .findFirst()
                .orElseThrow(() -> new PkiException("unknown key algorithm \"%s\", known are %s"
                        .formatted(name, knownNames())));
    }

    /** The name in the configuration, for example {@code ECDSA-P256}. */
    public String configName() {
        return configName;
    }

    /** Whether making a key takes less time than starting a thread for it. */
    boolean isQuick() {
        return this == ECDSA_P256 || this == ECDSA_P384;
    }

    KeyPair generate() {
        try {
            return generator.generate();
        } catch (GeneralSecurityException e) {
            throw new PkiException("cannot generate a key of kind " + configName, e);
        }
    }

    private static KeyPair rsa(int bits) throws GeneralSecurityException {
        return RsaKeys.generate(bits, new SecureRandom());
    }

    private static KeyPair ec(String curve) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return generator.generateKeyPair();
    }

    private static String knownNames() {
        return Arrays.stream(values())
                .map(KeyAlgorithm::configName)
                .collect(Collectors.joining(", "));
    }

    private interface Generator {
        KeyPair generate() throws GeneralSecurityException;
    }
}
