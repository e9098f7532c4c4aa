package io.kjadm.pki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.security.KeyPair;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

class KeyPairPoolTest {

    /** By several threads, more keys than were started, each of them once. */
    @ParameterizedTest
    @CsvSource({"RSA_2048, 0", "RSA_2048, 3", "ECDSA_P256, 0", "ECDSA_P256, 3"})
    void everyKeyIsTakenOnce(KeyAlgorithm algorithm, int started) throws Exception {
        KeyPairPool pool = started == 0
                ? KeyPairPool.onDemand(algorithm)
                : KeyPairPool.started(algorithm, started);
        Set<PublicKey> keys = new HashSet<>();
        try (var takers = Executors.newFixedThreadPool(3)) {
            var taken = IntStream.range(0, 8)
                    .mapToObj(i -> takers.submit(pool::take))
                    .toList();
            for (Future<KeyPair> pair : taken) {
                assertTrue(keys.add(pair.get().getPublic()), "twice the same key");
            }
        }
        assertEquals(8, keys.size());
    }

    /** Keys of the usual kind are begun before it is known that the cluster has another. */
    @ParameterizedTest
    @CsvSource({"RSA_2048, RSA, 2048", "ECDSA_P256, EC, 256"})
    void aStockChangesItsKind(KeyAlgorithm wanted, String family, int bits) {
        KeyPairPool pool = KeyPairPool.started(KeyAlgorithm.RSA_2048, 3).changedTo(wanted);
        PublicKey key = pool.take().getPublic();
        assertEquals(family, key.getAlgorithm());
        assertEquals(
                bits,
                key instanceof RSAPublicKey rsa
                        ? rsa.getModulus().bitLength()
                        : ((ECPublicKey) key).getParams().getOrder().bitLength());
    }
}
