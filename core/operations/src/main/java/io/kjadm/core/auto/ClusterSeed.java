package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.StoreException;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Says once, in a store, which cluster the machines form, and makes the token of its machines. */
public final class ClusterSeed {

    private static final int UID_BYTES = 16;

    private final ObjectStore store;
    private final HostFiles files;
    private final Waiter waiter;
    private final RandomGenerator random;

    /**
     * What the operator wants.
     *
     * @param name  of the cluster
     * @param place the store, as it was named
     * @param adopts ID of the cluster that others have set up; empty if the machines found one
     * @param operatorKey file for the private key of the operator, with the public one beside it; a
     *                    pair that is there is used. Empty if a token suffices to end the cluster
     */
    public record Wanted(
            String name,
            ClusterSpec spec,
            String place,
            Optional<String> adopts,
            Optional<Path> operatorKey) {

        /** One without an operator's key. */
        public Wanted(String name, ClusterSpec spec, String place) {
            this(name, spec, place, Optional.empty(), Optional.empty());
        }
    }

    /** In a store, with a secret that nobody can guess. */
    public static ClusterSeed in(ObjectStore store, HostFiles files, Waiter waiter) {
        return new ClusterSeed(store, files, waiter, new SecureRandom());
    }

    /** @param random makes the secret */
    ClusterSeed(ObjectStore store, HostFiles files, Waiter waiter, RandomGenerator random) {
        this.store = store;
        this.files = files;
        this.waiter = waiter;
        this.random = random;
    }

    /**
     * Writes the token file, then the cluster file that belongs to it: killed between them, it leaves
     * a token that is of no cluster, which the next run says.
     *
     * @return what was written, also by an earlier run whose token file is there
     * @throws ClusterException if the store holds a cluster, or cannot hold one
     * @throws UsageException   if there is a token file that belongs to no cluster of the store
     */
    public ClusterFile seed(Wanted wanted, Path tokenFile) {
        try {
            return seeded(wanted, tokenFile);
        } catch (StoreException e) {
            throw new ClusterException(
                    e.what(), e.why(), "check the store, and the access that this machine has", e);
        }
    }

    private ClusterFile seeded(Wanted wanted, Path tokenFile) {
        Optional<byte[]> there =
                store.read(AutoObjects.CLUSTER, ClusterFile.LIMIT).map(Stored::content);
        if (there.isPresent()) {
            return earlier(there.get(), wanted, tokenFile);
        }
        if (files.exists(tokenFile)) {
            throw new UsageException(
                    "%s is there already".formatted(tokenFile),
                    "it belongs to no cluster of this store: an earlier run was interrupted, or the token is of another store",
                    "if no machine uses it, remove it and run the command again; otherwise specify another --token-file");
        }
        new StoreProbe(store, files, random).check();
        byte[] uid = new byte[UID_BYTES];
        random.nextBytes(uid);
        ClusterFile file = new ClusterFile(
                HexFormat.of().formatHex(uid),
                wanted.name(),
                waiter.now(),
                wanted.place(),
                wanted.spec(),
                wanted.adopts(),
                wanted.operatorKey().map(this::publicKey).stream().toList());
        byte[] bytes = file.bytes();
        files.write(tokenFile, AutoToken.of(bytes, random).line() + "\n", FileMode.OWNER_ONLY);
        Optional<byte[]> stored;
        try {
            stored = new SettledPut(store, waiter)
                    .put(AutoObjects.CLUSTER, bytes, ClusterFile.LIMIT);
        } catch (StoreException e) {
            files.delete(tokenFile);
            throw e;
        }
        requireOwn(stored, bytes, tokenFile);
        return file;
    }

    private String publicKey(Path operatorKey) {
        SnapshotKeys keys = new SnapshotKeys(files);
        Path verifying = operatorKey.resolveSibling(operatorKey.getFileName() + ".pub");
        if (!files.exists(verifying)) {
            return keys.create(operatorKey, verifying).text();
        }
        // what the operator approves later would be void
        if (!files.exists(operatorKey) || !keys.belongTogether(operatorKey, verifying)) {
            throw new UsageException(
                    "the operator's key cannot be %s".formatted(operatorKey),
                    files.exists(operatorKey)
                            ? "it does not belong to " + verifying
                            : "there is its public key %s alone".formatted(verifying),
                    "put the pair there that belongs together, or name another file, as operator-key=%s.2"
                            .formatted(operatorKey));
        }
        return keys.verifying(List.of(verifying)).getFirst().text();
    }

    /** The same cluster again is no failure: the run before may not have shown what it did. */
    private ClusterFile earlier(byte[] bytes, Wanted wanted, Path tokenFile) {
        boolean own =
                files.exists(tokenFile) && AutoToken.read(files, tokenFile).fits(bytes);
        if (own) {
            ClusterFile file = ClusterFile.parse(bytes);
            if (file.spec().equals(wanted.spec())
                    && file.name().equals(wanted.name())
                    && file.adopts().equals(wanted.adopts())) {
                return file;
            }
        }
        throw new ClusterException(
                "%s holds a cluster already".formatted(store.location()),
                own
                        ? "%s is its token".formatted(tokenFile)
                        : "its token was written where 'kjadm etcd seed' was run",
                "run 'kjadm etcd auto' on its machines, or specify another store");
    }

    private void requireOwn(Optional<byte[]> there, byte[] own, Path tokenFile) {
        if (there.isEmpty()) {
            throw new ClusterException(
                    "%s does not tell whether it has taken the cluster file"
                            .formatted(store.location()),
                    "it was asked for %d s".formatted(SettledPut.PATIENCE.toSeconds()),
                    "run the command again; it shows whether the cluster file is there");
        }
        if (!Arrays.equals(there.get(), own)) {
            throw new ClusterException(
                    "%s holds a cluster already".formatted(store.location()),
                    "another 'kjadm etcd seed' was faster",
                    "remove %s, and use the token of the other one".formatted(tokenFile));
        }
    }
}
