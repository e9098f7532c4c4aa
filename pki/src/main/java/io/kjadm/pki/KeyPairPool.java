package io.kjadm.pki;

import java.security.KeyPair;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * New key pairs of one kind, made ahead of their use. Finding the primes of an RSA key is by far
 * the longest part of making a certificate, and needs to know nothing but the algorithm; so a run
 * starts all the keys it will need at once, on all processors, while it looks at other things.
 *
 * <p>Safe for use by several threads.
 */
public final class KeyPairPool {

    private final KeyAlgorithm algorithm;
    private final Queue<CompletableFuture<KeyPair>> ahead = new ArrayDeque<>();
    private boolean used;

    private KeyPairPool(KeyAlgorithm algorithm) {
        this.algorithm = algorithm;
    }

    /**
     * A stock that makes the first key when it is asked for. A run that asks for a second one will
     * mostly ask for more: from then on one for each processor is made ahead.
     */
    public static KeyPairPool onDemand(KeyAlgorithm algorithm) {
        return new KeyPairPool(algorithm);
    }

    /**
     * A stock that starts making keys at once, on all processors.
     *
     * @param count how many; when they are used up, more are made on demand
     */
    public static KeyPairPool started(KeyAlgorithm algorithm, int count) {
        KeyPairPool stock = new KeyPairPool(algorithm);
        stock.makeAhead(count);
        stock.used = true;
        return stock;
    }

    /** One that is being made; empty for the first, and where a thread is not worth it. */
    private synchronized Optional<CompletableFuture<KeyPair>> next() {
        if (!used || algorithm.isQuick()) {
            used = true;
            return Optional.ofNullable(ahead.poll());
        }
        makeAhead(Makers.COUNT);
        return Optional.of(ahead.remove());
    }

    private synchronized void makeAhead(int count) {
        while (ahead.size() < count) {
            ahead.add(CompletableFuture.supplyAsync(algorithm::generate, Makers.THREADS));
        }
    }

    /** Threads that do not keep the program alive. */
    private static final class Makers {
        static final int COUNT = Runtime.getRuntime().availableProcessors();
        static final Executor THREADS = Executors.newFixedThreadPool(
                COUNT, Thread.ofPlatform().daemon().name("keys-", 0).factory());
    }

    /** This stock if it holds keys of that kind, else one that makes them on demand. */
    public KeyPairPool of(KeyAlgorithm wanted) {
        return wanted == algorithm ? this : onDemand(wanted);
    }

    /**
     * This stock if it holds keys of that kind. If not, one that makes as many of that kind, on demand
     * where they are quick, and the keys of this one that no thread has begun are not made.
     */
    public synchronized KeyPairPool changedTo(KeyAlgorithm wanted) {
        if (wanted == algorithm || !used) {
            return of(wanted);
        }
        int count = ahead.size();
        ahead.forEach(key -> key.cancel(false));
        ahead.clear();
        return wanted.isQuick() ? onDemand(wanted) : started(wanted, count);
    }

    /** A key pair that nobody else gets; waits if it is still being made. */
    KeyPair take() {
        Optional<CompletableFuture<KeyPair>> made = next();
        if (made.isEmpty()) {
            return algorithm.generate();
        }
        try {
            return made.get().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PkiException known
                    ? known
                    : new PkiException("cannot generate a key", e);
        }
    }
}
