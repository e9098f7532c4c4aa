package io.kjadm.pki;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Makes RSA keys as FIPS 186-5 describes it (appendix A.1): two random primes of half the size, the exponent 65537.
 *
 * <p>The JDK's generator takes twice as long in a warm JVM and four times in a JVM that just started, which is the
 * only kind that kjadm knows: it removes fewer candidates before the first exponentiation, and adds a Lucas test to
 * each prime, whose divisions no compiler has seen yet. Here all the time is in {@link BigInteger#modPow}.
 */
final class RsaKeys {
    private static final BigInteger EXPONENT = BigInteger.valueOf(65537);

    /** Rounds of Miller and Rabin for a random number of 1024 bits or more (FIPS 186-5, table B.1). */
    private static final int ROUNDS = 5;

    /** Each prime costs a division, and saves an exponentiation for one candidate in as many. */
    private static final int[] SMALL_PRIMES = oddPrimesBelow(1 << 15);

    /** Odd numbers from a random start that are looked at. A prime of 2048 bits is among them nearly always. */
    private static final int WINDOW = 4096;

    private RsaKeys() {}

    /**
     * A new key pair.
     *
     * @param bits of the modulus: 2048, 3072 or 4096
     * @throws GeneralSecurityException when this JVM has no RSA
     */
    static KeyPair generate(int bits, SecureRandom random) throws GeneralSecurityException {
        BigInteger p = prime(bits / 2, random);
        BigInteger q = prime(bits / 2, random);
        while (p.subtract(q).abs().bitLength() <= bits / 2 - 100) {
            q = prime(bits / 2, random);
        }
        BigInteger pMinus1 = p.subtract(BigInteger.ONE);
        BigInteger qMinus1 = q.subtract(BigInteger.ONE);
        BigInteger order = pMinus1.divide(pMinus1.gcd(qMinus1)).multiply(qMinus1);
        BigInteger d = EXPONENT.modInverse(order);
        BigInteger n = p.multiply(q);
        KeyFactory factory = KeyFactory.getInstance("RSA");
        return new KeyPair(
                factory.generatePublic(new RSAPublicKeySpec(n, EXPONENT)),
                factory.generatePrivate(new RSAPrivateCrtKeySpec(
                        n, EXPONENT, d, p, q, d.mod(pMinus1), d.mod(qMinus1), q.modInverse(p))));
    }

    /** The first prime behind a random start for which 65537 has an inverse. Its two top bits are set. */
    static BigInteger prime(int bits, SecureRandom random) {
        while (true) {
            BigInteger start = new BigInteger(bits, random)
                    .setBit(bits - 1)
                    .setBit(bits - 2)
                    .setBit(0);
            BitSet composite = composites(start);
            for (int at = composite.nextClearBit(0);
                    at < WINDOW;
                    at = composite.nextClearBit(at + 1)) {
                BigInteger candidate = start.add(BigInteger.valueOf(2L * at));
                if (candidate.bitLength() == bits && isPrime(candidate, random)) {
                    return candidate;
                }
            }
        }
    }

    /** Which of the odd numbers {@code start + 2 * index} have a small factor, or exceed a multiple of 65537 by one. */
    private static BitSet composites(BigInteger start) {
        BitSet composite = new BitSet(WINDOW);
        int[] words = words(start);
        for (int prime : SMALL_PRIMES) {
            strike(composite, prime, remainder(words, prime), 0);
        }
        int exponent = EXPONENT.intValue();
        strike(composite, exponent, remainder(words, exponent), 1);
        return composite;
    }

    /** Marks the indexes at which {@code remainder + 2 * index} is {@code unwanted} modulo the divisor, an odd number. */
    private static void strike(BitSet composite, int divisor, int remainder, int unwanted) {
        int distance = Math.floorMod(unwanted - remainder, divisor);
        int first = distance % 2 == 0 ? distance / 2 : (distance + divisor) / 2;
        for (int at = first; at < WINDOW; at += divisor) {
            composite.set(at);
        }
    }

    private static int remainder(int[] words, int divisor) {
        long remainder = 0;
        for (int word : words) {
            remainder = (remainder << 32 | Integer.toUnsignedLong(word)) % divisor;
        }
        return (int) remainder;
    }

    private static int[] words(BigInteger number) {
        int[] words = new int[(number.bitLength() + 31) / 32];
        for (int i = 0; i < words.length; i++) {
            words[words.length - 1 - i] = number.shiftRight(32 * i).intValue();
        }
        return words;
    }

    /** The test of Miller and Rabin with random bases (FIPS 186-5, appendix B.3.1), for odd numbers. */
    static boolean isPrime(BigInteger number, SecureRandom random) {
        BigInteger minus1 = number.subtract(BigInteger.ONE);
        int twos = minus1.getLowestSetBit();
        BigInteger odd = minus1.shiftRight(twos);
        for (int round = 0; round < ROUNDS; round++) {
            BigInteger base = new BigInteger(number.bitLength() - 1, random);
            if (base.bitLength() < 2) {
                continue;
            }
            BigInteger power = base.modPow(odd, number);
            for (int i = 1;
                    i < twos && !power.equals(BigInteger.ONE) && !power.equals(minus1);
                    i++) {
                power = power.multiply(power).mod(number);
                if (power.equals(BigInteger.ONE)) {
                    return false;
                }
            }
            if (!power.equals(minus1) && !power.equals(BigInteger.ONE)) {
                return false;
            }
        }
        return true;
    }

    private static int[] oddPrimesBelow(int limit) {
        BitSet composite = new BitSet(limit);
        for (int n = 3; n * n < limit; n += 2) {
            if (!composite.get(n)) {
                for (int multiple = n * n; multiple < limit; multiple += 2 * n) {
                    composite.set(multiple);
                }
            }
        }
        return IntStream.iterate(3, n -> n < limit, n -> n + 2)
                .filter(n -> !composite.get(n))
                .toArray();
    }
}
