package io.kjadm.core.snapshot;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.SnapshotManifest.Plain;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Looks into a snapshot as it lies in the store, and notes there what it stood. All of it is read,
 * unless the store has told its checksum when it was written; nothing is kept.
 */
public final class SnapshotCheck {

    private static final String AREA = "snapshot";
    private static final int BUFFER = 256 * 1024;

    private final SnapshotCatalog catalog;
    private final List<String> identities;
    private final Waiter clock;
    private final Reporter out;

    /**
     * @param identities secret keys for those that are encrypted
     */
    public SnapshotCheck(
            SnapshotCatalog catalog, List<String> identities, Waiter clock, Reporter out) {
        this.catalog = catalog;
        this.identities = List.copyOf(identities);
        this.clock = clock;
        this.out = out;
    }

    /**
     * Verifies one. Of what the store has confirmed only the keys are read for {@link Level#SUM}.
     *
     * @param level {@link Level#SUM} or {@link Level#STRUCTURE}
     * @throws HostException if it is encrypted, more than its sum is asked for and no identity
     *     fits; or it is not encrypted although identities are given
     */
    public Verification check(SavedSnapshot snapshot, Level level) {
        return level == Level.SUM && snapshot.confirmed()
                ? noted(
                        snapshot.manifest(),
                        level,
                        Optional::empty,
                        ", by the checksum of the store")
                : check(snapshot.manifest(), level);
    }

    /** The same for one that is read again. */
    public Verification check(SnapshotManifest manifest, Level level) {
        return out.during(
                AREA,
                "Reading snapshot %s".formatted(manifest.name()),
                () -> noted(
                        manifest,
                        level,
                        () -> fault(manifest, level, OutputStream.nullOutputStream()),
                        ""));
    }

    private Verification noted(
            SnapshotManifest manifest, Level level, Supplier<Optional<String>> look, String how) {
        Instant begun = clock.now();
        Optional<String> fault = look.get()
                .or(() -> manifest.stored()
                        .pki()
                        .flatMap(keys -> SnapshotPki.fault(keys, catalog.pki(manifest))));
        Verification verification = new Verification(
                level,
                begun,
                Duration.between(begun, clock.now()),
                fault.isEmpty(),
                fault.orElse("%d bytes, revision %d%s"
                        .formatted(
                                manifest.plain().bytes(),
                                manifest.plain().content().revision(),
                                how)));
        catalog.note(manifest, verification, out);
        return verification;
    }

    /** The file with a snapshot as etcd sent it, if the store has it on this machine. */
    public Optional<Path> file(SnapshotManifest manifest) {
        return catalog.file(manifest);
    }

    /**
     * Looks into a snapshot as for {@link Level#STRUCTURE}; notes nothing.
     *
     * @return what is wrong with it, if anything
     */
    public Optional<String> look(SnapshotManifest manifest) {
        return fault(manifest, Level.STRUCTURE, OutputStream.nullOutputStream());
    }

    /**
     * Writes a snapshot as etcd sent it into a file, readable for its owner only, and looks into it
     * as for {@link Level#STRUCTURE}; notes nothing.
     *
     * @return what is wrong with it, if anything; the file is of no use then
     * @throws HostException if it cannot be decrypted, or the file not be written
     */
    public Optional<String> extract(SnapshotManifest manifest, HostFiles files, Path file) {
        List<String> faults = new ArrayList<>();
        files.fill(file, FileMode.OWNER_ONLY, to -> {
            try {
                fault(manifest, Level.STRUCTURE, to).ifPresent(faults::add);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        });
        return faults.stream().findFirst();
    }

    private Optional<String> fault(SnapshotManifest manifest, Level level, OutputStream into) {
        manifest.stored().encoding().requireEncrypted(identities);
        boolean asTheyAre = manifest.stored().encoding().equals(SnapshotEncoding.NONE);
        try (InputStream stored = catalog.open(manifest)) {
            if (level != Level.SUM && asTheyAre) {
                // added up once: what is stored is the snapshot itself
                SnapshotVerifier verifier = new SnapshotVerifier(into);
                Optional<String> inside = within(manifest, stored, verifier);
                return manifest.stored()
                        .sumFault(verifier.size(), verifier.sha256Hex())
                        .or(() -> inside);
            }
            SummedOutput sum = new SummedOutput(OutputStream.nullOutputStream());
            Optional<String> inside = Optional.empty();
            InputStream summed = new TeeInput(stored, sum);
            if (level != Level.SUM) {
                inside = within(
                        manifest,
                        manifest.stored().encoding().decode(summed, identities),
                        new SnapshotVerifier(into));
            }
            readToEnd(manifest.stored(), summed, sum);
            // bytes that were changed explain whatever is wrong within
            Optional<String> found = inside;
            return manifest.stored().sumFault(sum.size(), sum.sha256Hex()).or(() -> found);
        } catch (IOException e) {
            requireGoingOn(manifest, e);
            return Optional.of("it cannot be read: " + e.getMessage());
        }
    }

    /** A reader that is told to stop has found nothing wrong. */
    private static void requireGoingOn(SnapshotManifest manifest, IOException e) {
        if (Thread.currentThread().isInterrupted()) {
            throw new HostException(
                    "snapshot %s was not read to its end".formatted(manifest.name()),
                    "the program was asked to stop",
                    "run the command again",
                    e);
        }
    }

    /** Or to where it is longer than it should be: a store may send bytes for ever. */
    private static void readToEnd(Stored told, InputStream summed, SummedOutput sum)
            throws IOException {
        byte[] buffer = new byte[BUFFER];
        while (sum.size() <= told.bytes() && summed.read(buffer) != -1) {
            // it is added up
        }
    }

    private static Optional<String> within(
            SnapshotManifest manifest, InputStream snapshot, SnapshotVerifier verifier) {
        byte[] buffer = new byte[BUFFER];
        try {
            for (int read; (read = snapshot.read(buffer)) != -1; ) {
                pass(buffer, read, verifier);
                if (verifier.size() > manifest.plain().bytes()) {
                    return Optional.of("it has more than the %d bytes that its manifest names"
                            .formatted(manifest.plain().bytes()));
                }
            }
        } catch (IOException e) {
            requireGoingOn(manifest, e);
            return Optional.of("it cannot be decoded: " + e.getMessage());
        }
        Plain told = manifest.plain();
        return switch (verifier.verdict()) {
            case Verdict.Damaged(String why) -> Optional.of(why);
            case Verdict.Whole whole
            when !whole.content().equals(told.content())
                    || !verifier.sha256Hex().equals(told.sha256()) ->
                Optional.of("it is intact, but does not match its manifest");
            case Verdict.Whole _ -> Optional.empty();
        };
    }

    /** What cannot be written is not the snapshot's fault. */
    private static void pass(byte[] bytes, int length, OutputStream into) {
        try {
            into.write(bytes, 0, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything that is read goes to another place too. */
    private static final class TeeInput extends FilterInputStream {

        private final OutputStream to;

        TeeInput(InputStream from, OutputStream to) {
            super(from);
            this.to = to;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) == -1 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            if (read > 0) {
                to.write(bytes, offset, read);
            }
            return read;
        }

        @Override
        public long skip(long count) {
            return 0;
        }
    }
}
