package io.kjadm.pki;

import java.security.KeyPair;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * New key pairs of one kind, made ahead of their use. Finding the primes of an RSA key is by far
 * the longest part of making a certificate, and needs to know nothing but the algorithm; so a run
 * starts all the keys it will need at once, on all processors, while it looks at other things.
 *
 * <p>Safe for use by several threads.
 */
public final class KeyPairPool {

    private final KeyAlgorithm algorithm;
    private final Queue<CompletableFuture<KeyPair>> ahead = new ConcurrentLinkedQueue<>();

    private KeyPairPool(KeyAlgorithm algorithm) {
        this.algorithm = algorithm;
    }

    /** A stock that makes each key when it is asked for. */
    public static KeyPairPool onDemand(KeyAlgorithm algorithm) {
        return new KeyPairPool(algorithm);
    }

    /**
     * A stock that starts making keys at once.
     *
     * @param count  how many; when they are used up, more are made on demand
     * @param makers runs the work, one task a key
     */
    public static KeyPairPool started(KeyAlgorithm algorithm, int count, Executor makers) {
        KeyPairPool stock = new KeyPairPool(algorithm);
        for (int i = 0; i < count; i++) {
            stock.ahead.add(CompletableFuture.supplyAsync(algorithm::generate, makers));
        }
        return stock;
    }

    /** This stock if it holds keys of that kind, else one that makes them on demand. */
    public KeyPairPool of(KeyAlgorithm wanted) {
        return wanted == algorithm ? this : onDemand(wanted);
    }

    /** A key pair that nobody else gets; waits if it is still being made. */
    KeyPair take() {
        CompletableFuture<KeyPair> next = ahead.poll();
        if (next == null) {
            return algorithm.generate();
        }
        try {
            return next.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PkiException known
                    ? known
                    : new PkiException("cannot generate a key", e);
        }
    }
}
