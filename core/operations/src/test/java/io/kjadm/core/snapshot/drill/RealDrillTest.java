package io.kjadm.core.snapshot.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.check.FileDiskProbe;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.ProcessRunner;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCheck;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotManifest.MemberHash;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.Verification;
import io.kjadm.core.snapshot.drill.SnapshotDrill.Ground;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdKeys;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.KvHash;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.StoreProxies;
import io.kjadm.store.StoreUrl;
import io.kjadm.store.Stores;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import javax.net.ssl.TrustManager;

/** Drills with etcd's own programs. Skipped where none are at hand. */
class RealDrillTest {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    Path folder;

    private SnapshotCatalog catalog = new SnapshotCatalog(new MemoryStore());
    private final RecordingReporter out = new RecordingReporter();
    private final Waiter clock = new SystemWaiter(new SteadyClock(), out);
    private EtcdProcess process;

    /** The newest of each minor version. */
    static List<EtcdBinary> versions() {
        Map<Integer, EtcdBinary> newest = new TreeMap<>();
        EtcdBinary.found(version -> version.atLeast(3, 5)).stream()
                .filter(binary -> Stream.of("etcdutl", "etcdctl")
                        .map(binary.file()::resolveSibling)
                        .allMatch(Files::isExecutable))
                .forEach(binary -> newest.put(binary.version().minor(), binary));
        assumeFalse(newest.isEmpty(), "no etcdutl and etcdctl beside any etcd");
        return List.copyOf(newest.values());
    }

    @AfterEach
    void end() throws IOException {
        if (process != null) {
            process.close();
        }
        Path ground = folder.resolve("ground");
        if (Files.exists(ground)) {
            try (var left = Files.list(ground)) {
                assertEquals(List.of(), left.toList());
            }
        }
        assertTrue(
                ProcessHandle.current()
                        .descendants()
                        .noneMatch(child -> child.info()
                                .arguments()
                                .map(List::of)
                                .orElse(List.of())
                                .toString()
                                .contains(ground.toString())),
                "an etcd still runs");
    }

    /** A member with some history, and its snapshot. */
    private SnapshotManifest taken(EtcdBinary binary) throws IOException {
        process = EtcdProcess.together(binary, folder, Map.of("cp-1", EtcdProcess.freeUrl()))
                .getFirst();
        process.start();
        EtcdAccess access = EtcdAccess.plain(List.of(process.clientUrl()));
        try (EtcdCluster cluster = new JetcdConnector().connect(access)) {
            clock.until(new Waiter.Await("", "etcd", LIMIT, Duration.ofMillis(100), ""), () -> {
                try {
                    cluster.members();
                    return Waiter.Attempt.done(true);
                } catch (EtcdCallException e) {
                    return Waiter.Attempt.notYet(e.text());
                }
            });
            try (EtcdKeys keys = EtcdKeys.open(access)) {
                put(binary, 12);
                assertEquals(5, keys.count(process.clientUrl(), 0));
                keys.compact(process.clientUrl(), 5);
            }
            SnapshotSave save =
                    new SnapshotSave(cluster, catalog, clock, new SplittableRandom(), out);
            return save.save(save.choose(EtcdHealth.ask(cluster)), SnapshotEncoding.NONE, Map.of());
        }
    }

    private void put(EtcdBinary binary, int count) {
        for (int i = 0; i < count; i++) {
            CommandRunner.Output said = new ProcessRunner("")
                    .run(
                            List.of(
                                    binary.file().resolveSibling("etcdctl").toString(),
                                    "--endpoints=" + process.clientUrl(),
                                    "put",
                                    "town/" + i % 5,
                                    "Basel " + i),
                            LIMIT);
            assertTrue(said.ok(), said::stderr);
        }
    }

    private Verification play(EtcdBinary binary, SnapshotManifest manifest) throws IOException {
        Path ground = Files.createDirectories(folder.resolve("ground"));
        ProcessRunner runner = new ProcessRunner("");
        DiskFiles files = new DiskFiles();
        DrillPrograms programs = DrillPrograms.find(
                Optional.of(binary.file().getParent()),
                "",
                manifest.origin().etcd(),
                files,
                runner);
        return SnapshotDrill.with(
                        programs,
                        catalog,
                        new SnapshotCheck(catalog, List.of(), clock, out),
                        new Ground(ground, files, new FileDiskProbe(true), new SecureRandom()),
                        runner,
                        new JetcdConnector(),
                        clock,
                        out)
                .play(manifest);
    }

    private static SnapshotManifest told(SnapshotManifest manifest, KvHash hash) {
        return new SnapshotManifest(
                manifest.name(),
                manifest.origin(),
                manifest.taken(),
                manifest.plain(),
                manifest.stored(),
                List.of(new MemberHash(manifest.origin().memberId(), Optional.of(hash), "")),
                Map.of());
    }

    @ParameterizedTest
    @MethodSource("versions")
    void whatTheMemberHeldIsServedAgain(EtcdBinary binary) throws IOException {
        SnapshotManifest manifest = taken(binary);

        Verification verification = play(binary, manifest);

        assertTrue(verification.passed(), verification::result);
        assertEquals(
                "etcd serves it: revision 13, 5 keys, with the same hash as its member",
                verification.result());
    }

    /** etcdutl reads the file of the store, which stays as it is. */
    @ParameterizedTest
    @MethodSource("versions")
    void inAFolderItIsPlayedWhereItLies(EtcdBinary binary) throws IOException {
        Path place = folder.resolve("store");
        catalog = new SnapshotCatalog(Stores.open(
                StoreUrl.parse(place.toString()), new TrustManager() {}, StoreProxies.NONE));

        SnapshotManifest manifest = taken(binary);
        Verification verification = play(binary, manifest);

        assertTrue(verification.passed(), verification::result);
        clock.pause("", "", Duration.ofSeconds(1));
        Verification again = play(binary, manifest);
        assertTrue(again.passed(), again::result);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aMemberThatHasCompactedSinceIsComparedAllTheSame(EtcdBinary binary) throws IOException {
        SnapshotManifest manifest = taken(binary);
        EtcdAccess access = EtcdAccess.plain(List.of(process.clientUrl()));
        KvHash since;
        try (EtcdKeys keys = EtcdKeys.open(access);
                EtcdCluster cluster = new JetcdConnector().connect(access)) {
            keys.compact(process.clientUrl(), 10);
            since = cluster.hashKv(process.clientUrl(), 13);
        }
        assertEquals(10, since.compactRevision());

        Verification verification = play(binary, told(manifest, since));

        assertTrue(verification.passed(), verification::result);
        assertEquals(
                "etcd serves it: revision 13, 5 keys, with the same hash as its member",
                verification.result());
    }

    @ParameterizedTest
    @MethodSource("versions")
    void whatTheMemberDidNotHoldIsFound(EtcdBinary binary) throws IOException {
        SnapshotManifest manifest = taken(binary);
        KvHash held = manifest.hashes().getFirst().hash().orElseThrow();

        Verification verification = play(
                binary,
                told(
                        manifest,
                        new KvHash(held.revision(), held.compactRevision(), held.hash() ^ 1)));

        assertFalse(verification.passed());
        assertEquals(
                "the restored data differs from its member's: at revision 13 the hash is %s instead of %s"
                        .formatted(
                                Integer.toHexString(held.hash()),
                                Integer.toHexString(held.hash() ^ 1)),
                verification.result());
    }

    /** Whoever ends the program meanwhile is not told that the snapshot is bad. */
    @ParameterizedTest
    @MethodSource("versions")
    void anInterruptEndsEverything(EtcdBinary binary) throws Exception {
        SnapshotManifest manifest = taken(binary);
        for (int wait = 0; wait < 3; wait++) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread drill = new Thread(() -> {
                try {
                    play(binary, manifest);
                } catch (KjadmException | IOException e) {
                    failure.set(e);
                }
            });
            drill.start();
            Path ground = folder.resolve("ground");
            while (drill.isAlive() && !(Files.exists(ground) && begun(ground, wait))) {
                Thread.onSpinWait();
            }
            drill.interrupt();
            drill.join();
            boolean ended = failure.get() == null;
            assertEquals(
                    ended ? 1 : 0, catalog.entries().getFirst().verifications().size());
            if (ended) {
                return;
            }
        }
        assertTrue(catalog.entries().getFirst().standing().isEmpty());
    }

    /** The file, the data, the log of etcd. */
    private static boolean begun(Path ground, int step) throws IOException {
        try (var all = Files.walk(ground)) {
            String wanted = List.of("snapshot.db", "data", "etcd.log").get(step);
            return all.anyMatch(path -> path.endsWith(wanted));
        } catch (java.io.UncheckedIOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void programsThatAreTooOldAreNotTaken(EtcdBinary binary) {
        EtcdVersion version = binary.version();
        assertThrows(
                KjadmException.class,
                () -> DrillPrograms.find(
                        Optional.of(binary.file().getParent()),
                        "",
                        new EtcdVersion(version.major(), version.minor() + 1, 0),
                        new DiskFiles(),
                        new ProcessRunner("")));
    }
}
