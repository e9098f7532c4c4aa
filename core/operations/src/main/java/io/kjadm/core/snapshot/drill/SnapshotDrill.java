package io.kjadm.core.snapshot.drill;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCheck;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.Verification;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.drill.ScratchEtcd.UnusableSnapshotException;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdErrors;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Plays a snapshot: makes a throw-away etcd of it, compares what that holds with what the members
 * held, and notes in the store how it went. Nothing is left of it on the machine, however it ends;
 * what a killed run has left is removed by a later one.
 */
public final class SnapshotDrill {

    private static final String AREA = "snapshot";
    /** etcd's log, and what else is written. */
    private static final long MARGIN_BYTES = 256L << 20;
    /** With less, whatever failed has failed for want of space. */
    private static final long NO_SPACE_BYTES = 16L << 20;

    private final SnapshotCatalog catalog;
    private final SnapshotCheck check;
    private final Ground ground;
    private final ScratchEtcd.Maker maker;
    private final Waiter clock;
    private final Reporter out;

    /**
     * Where snapshots are played.
     *
     * @param folder that each gets a folder of its own in; on a disk
     * @param random for that folder's name, so a secure one
     */
    public record Ground(Path folder, HostFiles files, DiskProbe disk, RandomGenerator random) {}

    SnapshotDrill(
            SnapshotCatalog catalog,
            SnapshotCheck check,
            Ground ground,
            ScratchEtcd.Maker maker,
            Waiter clock,
            Reporter out) {
        this.catalog = catalog;
        this.check = check;
        this.ground = ground;
        this.maker = maker;
        this.clock = clock;
        this.out = out;
    }

    /**
     * With programs of this machine.
     *
     * @param check reads the snapshot
     */
    public static SnapshotDrill with(
            DrillPrograms programs,
            SnapshotCatalog catalog,
            SnapshotCheck check,
            Ground ground,
            CommandRunner runner,
            EtcdConnector connector,
            Waiter clock,
            Reporter out) {
        return new SnapshotDrill(
                catalog,
                check,
                ground,
                new ScratchProcess.Maker(
                        programs, ground.files(), runner, connector, clock, ground.random()),
                clock,
                out);
    }

    /**
     * Plays one.
     *
     * @throws HostException if it could not be played; nothing is noted then
     */
    public Verification play(SnapshotManifest manifest) {
        Instant begun = clock.now();
        new DrillFolders(ground.files(), ground.folder(), clock, out).removeLeftOvers();
        requireSpace(manifest);
        byte[] id = new byte[Long.BYTES];
        ground.random().nextBytes(id);
        Path work = DrillFolders.path(ground.folder(), id);
        Outcome outcome;
        try {
            ground.files().createDirectory(work, FileMode.PRIVATE_DIRECTORY);
            try (Claim _ = DrillFolders.claim(ground.files(), work)) {
                outcome = outcome(manifest, work);
            }
        } finally {
            Uninterrupted.run(() -> ground.files().deleteTree(work));
        }
        Verification verification = new Verification(
                Level.DRILL,
                begun,
                Duration.between(begun, clock.now()),
                outcome instanceof Outcome.Stood,
                outcome.text());
        catalog.note(manifest, verification, out);
        return verification;
    }

    private void requireSpace(SnapshotManifest manifest) {
        long bytes = manifest.plain().bytes();
        boolean copied = check.file(manifest).isEmpty();
        long free = free();
        // the manifest is the store's word: a size that no disk has must not overflow
        long needed = bytes > free ? bytes : bytes * (copied ? 22 : 12) / 10 + MARGIN_BYTES;
        if (free < needed) {
            throw new HostException(
                    CommonReason.NO_SPACE,
                    "there is not enough space to test snapshot " + manifest.name(),
                    "the disk of %s has %d MiB free, and %d are needed for the data that are made of it, and for etcd's log"
                            .formatted(ground.folder(), free >> 20, needed >> 20),
                    "name a directory on a larger disk with --work-dir");
        }
    }

    private long free() {
        try {
            return ground.disk().freeBytes(ground.folder());
        } catch (IOException e) {
            throw new HostException(
                    "the free space of %s is not known".formatted(ground.folder()),
                    e.getMessage(),
                    "name another directory with --work-dir",
                    e);
        }
    }

    /** How it went. */
    private sealed interface Outcome {

        String text();

        record Stood(String text) implements Outcome {}

        record Fell(String text) implements Outcome {}
    }

    private Outcome outcome(SnapshotManifest manifest, Path work) {
        // etcd's tool reads a file: that of the store, or else a copy
        Optional<Path> stored = check.file(manifest);
        Path file = stored.orElse(work.resolve("snapshot.db"));
        Optional<String> fault = out.during(
                AREA,
                "Reading snapshot " + manifest.name(),
                () -> stored.isPresent()
                        ? check.look(manifest)
                        : check.extract(manifest, ground.files(), file));
        if (fault.isPresent()) {
            return new Outcome.Fell(fault.get());
        }
        out.step(
                AREA,
                "Restoring snapshot %s into a temporary etcd %s"
                        .formatted(manifest.name(), maker.version()));
        try (ScratchEtcd etcd =
                out.during(AREA, "Restoring the snapshot", () -> maker.of(file, work))) {
            return out.during(AREA, "Comparing its data", () -> compare(manifest, etcd));
        } catch (UnusableSnapshotException e) {
            if (free() < NO_SPACE_BYTES) {
                throw new HostException(
                        "the disk of %s is full".formatted(ground.folder()),
                        e.getMessage(),
                        "name a directory on a larger disk with --work-dir",
                        e);
            }
            return new Outcome.Fell(e.getMessage());
        } catch (EtcdCallException e) {
            if (EtcdErrors.isNotPermitted(e.text())) {
                throw new HostException(
                        CommonReason.NOT_PERMITTED,
                        "the drill of snapshot %s cannot be done".formatted(manifest.name()),
                        "its cluster has authentication enabled, and a drill is none of its users: "
                                + e.text(),
                        "verify it with --level structure");
            }
            throw new HostException(
                    "the drill of snapshot %s did not finish".formatted(manifest.name()),
                    "the temporary etcd did not respond: " + e.getMessage(),
                    "run the command again",
                    e);
        }
    }

    private static Outcome compare(SnapshotManifest manifest, ScratchEtcd etcd) {
        return switch (HashComparison.of(manifest, etcd)) {
            case HashComparison.Differs(String how) -> new Outcome.Fell(how);
            case HashComparison.Same(long keys) ->
                new Outcome.Stood(
                        "etcd serves it: revision %d, %d keys, with the same hash as its member"
                                .formatted(revision(manifest), keys));
            case HashComparison.Unknown(long keys) ->
                new Outcome.Stood(
                        "etcd serves it: revision %d, %d keys; there is no hash of its member to compare with"
                                .formatted(revision(manifest), keys));
        };
    }

    private static long revision(SnapshotManifest manifest) {
        return manifest.plain().content().revision();
    }
}
