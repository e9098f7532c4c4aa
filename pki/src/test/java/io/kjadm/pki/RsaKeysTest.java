package io.kjadm.pki;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.util.HashSet;
import java.util.Set;

import javax.crypto.Cipher;

class RsaKeysTest {
    private final SecureRandom random = new SecureRandom();

    @ParameterizedTest
    @ValueSource(ints = {2048, 3072, 4096})
    void aKeyIsWhatFips186AsksFor(int bits) throws Exception {
        KeyPair pair = RsaKeys.generate(bits, random);
        RSAPublicKey open = (RSAPublicKey) pair.getPublic();
        RSAPrivateCrtKey key = (RSAPrivateCrtKey) pair.getPrivate();
        BigInteger p = key.getPrimeP();
        BigInteger q = key.getPrimeQ();
        assertEquals(bits, open.getModulus().bitLength());
        assertEquals(p.multiply(q), open.getModulus());
        assertEquals(open.getModulus(), key.getModulus());
        assertEquals(bits / 2, p.bitLength());
        assertEquals(bits / 2, q.bitLength());
        assertTrue(
                p.subtract(q).abs().bitLength() > bits / 2 - 100,
                "the primes are close to each other");
        // the JDK's test, with a test of Lucas in it
        assertTrue(p.isProbablePrime(100));
        assertTrue(q.isProbablePrime(100));
        assertEquals(BigInteger.valueOf(65537), open.getPublicExponent());
        assertEquals(open.getPublicExponent(), key.getPublicExponent());
        for (BigInteger minus1 :
                new BigInteger[] {p.subtract(BigInteger.ONE), q.subtract(BigInteger.ONE)}) {
            assertEquals(
                    BigInteger.ONE,
                    key.getPublicExponent().multiply(key.getPrivateExponent()).mod(minus1));
        }
        assertTrue(
                key.getPrivateExponent().bitLength() > bits / 2, "the private exponent is small");
        assertEquals(
                key.getPrivateExponent().mod(p.subtract(BigInteger.ONE)), key.getPrimeExponentP());
        assertEquals(
                key.getPrivateExponent().mod(q.subtract(BigInteger.ONE)), key.getPrimeExponentQ());
        assertEquals(BigInteger.ONE, key.getCrtCoefficient().multiply(q).mod(p));
    }

    @Test
    void aKeySignsAndDecrypts() throws Exception {
        KeyPair pair = RsaKeys.generate(2048, random);
        byte[] text = "kube-apiserver".getBytes(StandardCharsets.UTF_8);
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(pair.getPrivate());
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(pair.getPublic());
        signature.update(text);
        assertTrue(signature.verify(signed));
        signature.update((byte) 'x');
        assertFalse(signature.verify(signed));
        Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
        cipher.init(Cipher.ENCRYPT_MODE, pair.getPublic());
        byte[] sealed = cipher.doFinal(text);
        cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
        assertArrayEquals(text, cipher.doFinal(sealed));
    }

    /** Small ones are found often enough to meet each of the rules, and can be checked against the JDK's test. */
    @Test
    void primesOfEveryStartArePrimeAndDiffer() {
        Set<BigInteger> seen = new HashSet<>();
        BigInteger exponent = BigInteger.valueOf(65537);
        for (int i = 0; i < 300; i++) {
            BigInteger prime = RsaKeys.prime(192, random);
            assertEquals(192, prime.bitLength());
            assertTrue(prime.testBit(190), "the second bit is not set");
            assertTrue(prime.isProbablePrime(100), () -> prime + " is not prime");
            assertEquals(
                    BigInteger.ONE,
                    prime.subtract(BigInteger.ONE).gcd(exponent),
                    "65537 has no inverse");
            assertTrue(seen.add(prime), "twice the same prime");
        }
    }

    /** What the sieve lets through, the test of Miller and Rabin must refuse. */
    @Test
    void compositesWithoutSmallFactorsAreRefused() {
        for (int i = 0; i < 50; i++) {
            BigInteger product = RsaKeys.prime(128, random).multiply(RsaKeys.prime(128, random));
            assertFalse(RsaKeys.isPrime(product, random), () -> product + " is taken for a prime");
        }
        assertTrue(RsaKeys.isPrime(BigInteger.ONE.shiftLeft(521).subtract(BigInteger.ONE), random));
    }
}
