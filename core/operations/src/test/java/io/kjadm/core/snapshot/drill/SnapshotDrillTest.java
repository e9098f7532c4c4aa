package io.kjadm.core.snapshot.drill;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCheck;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotManifest.MemberHash;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.Verification;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.drill.ScratchEtcd.UnusableSnapshotException;
import io.kjadm.core.snapshot.drill.SnapshotDrill.Ground;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.store.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;

/** What a drill says of a snapshot, with an etcd that answers what the test wants. */
class SnapshotDrillTest {

    private static final Path FOLDER = Path.of("/var/tmp");

    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.14");
    private final MemoryStore store = new MemoryStore();
    private final SnapshotCatalog catalog = new SnapshotCatalog(store);
    private final VirtualWaiter clock = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final MemoryFiles files = new MemoryFiles();
    private final SnapshotManifest manifest = taken();

    private long free = 10L << 30;
    /** What the throw-away etcd is asked, and how it is made. */
    private ScratchEtcd.Maker maker = new Making(new Restored(0, held(0)));

    private final class Disk implements DiskProbe {
        @Override
        public long freeBytes(Path directory) {
            return free;
        }

        @Override
        public Optional<Duration> syncTime(Path directory) {
            return Optional.empty();
        }
    }

    private static class Making implements ScratchEtcd.Maker {
        private final ScratchEtcd made;

        Making(ScratchEtcd made) {
            this.made = made;
        }

        @Override
        public EtcdVersion version() {
            return EtcdVersion.parse("3.6.14");
        }

        @Override
        public ScratchEtcd of(Path snapshot, Path work) {
            return made;
        }
    }

    /** An etcd that has compacted so far. */
    private static class Restored implements ScratchEtcd {
        private final int hash;
        private long compacted;
        private boolean closed;

        Restored(long compacted, int hash) {
            this.compacted = compacted;
            this.hash = hash;
        }

        @Override
        public KvHash hashAt(long revision) {
            return new KvHash(revision, compacted, hash + (int) compacted);
        }

        @Override
        public long keysAt(long revision) {
            return 7;
        }

        @Override
        public void compact(long revision) {
            compacted = revision;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private SnapshotManifest taken() {
        SnapshotSave save = new SnapshotSave(etcd, catalog, clock, new SplittableRandom(1), out);
        return save.save(save.choose(EtcdHealth.ask(etcd)), SnapshotEncoding.NONE, Map.of());
    }

    /** What the member said when it had compacted so far. */
    private int held(int more) {
        return manifest.hashes().getFirst().hash().orElseThrow().hash() + more;
    }

    private SnapshotManifest told(Optional<KvHash> hash) {
        return new SnapshotManifest(
                manifest.name(),
                manifest.origin(),
                manifest.taken(),
                manifest.plain(),
                manifest.stored(),
                List.of(new MemberHash(manifest.origin().memberId(), hash, "")),
                Map.of());
    }

    private Verification play(SnapshotManifest one) {
        SnapshotCheck check = new SnapshotCheck(catalog, List.of(), clock, out);
        Ground ground = new Ground(FOLDER, files, new Disk(), new Random(1));
        return new SnapshotDrill(catalog, check, ground, maker, clock, out).play(one);
    }

    private List<Verification> noted() {
        return catalog.entries().getFirst().verifications();
    }

    @AfterEach
    void nothingIsLeft() {
        assertEquals(List.of(), files.list(FOLDER));
    }

    @Test
    void whatTheMemberHeldStands() {
        Restored made = new Restored(0, held(0));
        maker = new Making(made);

        Verification verification = play(manifest);

        assertTrue(verification.passed(), verification::result);
        assertEquals(List.of(verification), noted());
        assertEquals(
                Level.DRILL,
                catalog.entries().getFirst().standing().orElseThrow().level());
        assertTrue(made.closed);
    }

    @Test
    void otherKeysAreFound() {
        maker = new Making(new Restored(0, held(1)));

        Verification verification = play(manifest);

        assertFalse(verification.passed());
        assertEquals(List.of(verification), noted());
    }

    @Test
    void whereTheMemberHadCompactedSinceTheSameIsDone() {
        KvHash since = new KvHash(102, 50, held(50));

        assertEquals(
                "etcd serves it: revision 102, 7 keys, with the same hash as its member",
                play(told(Optional.of(since))).result());

        maker = new Making(new Restored(0, held(1)));
        clock.pause("", "", Duration.ofMinutes(1));
        assertFalse(play(told(Optional.of(since))).passed());
    }

    @Test
    void whatNobodyToldIsNotCompared() {
        Verification verification = play(told(Optional.empty()));

        assertTrue(verification.passed());
        assertEquals(
                "etcd serves it: revision 102, 7 keys; there is no hash of its member to compare with",
                verification.result());
    }

    @Test
    void anEtcdWithoutTheRevisionIsFound() {
        maker = new Making(new Restored(0, 0) {
            @Override
            public KvHash hashAt(long revision) {
                throw EtcdCallException.refused(
                        RpcKind.READ, RpcCode.OUT_OF_RANGE, "future revision", "hash");
            }
        });

        assertFalse(play(manifest).passed());
    }

    @Test
    void aStoredBitThatIsFlippedIsFound() {
        store.objects.entrySet().stream()
                .filter(object -> object.getKey().endsWith("/data"))
                .forEach(object -> object.getValue()[9000] ^= 1);

        assertFalse(play(manifest).passed());
        assertEquals(1, noted().size());
    }

    @Test
    void whatEtcdsProgramsDoNotTakeHasFailed() {
        maker = failing(new UnusableSnapshotException("etcdutl does not accept it"));

        assertEquals("etcdutl does not accept it", play(manifest).result());
        assertFalse(noted().getFirst().passed());
    }

    @Test
    void aFullDiskIsNotTheSnapshotsFault() {
        maker = failing(new UnusableSnapshotException("no space left"));
        free = 1L << 29;
        assertFalse(play(manifest).passed());
        maker = new Making(new Restored(0, 0)) {
            @Override
            public ScratchEtcd of(Path snapshot, Path work) {
                free = 0;
                throw new UnusableSnapshotException("no space left");
            }
        };
        clock.pause("", "", Duration.ofMinutes(1));

        assertThrows(HostException.class, () -> play(manifest));

        assertEquals(1, noted().size());
    }

    @Test
    void withoutRoomNothingIsBegun() {
        free = 100L << 20;

        assertReason(CommonReason.NO_SPACE, HostException.class, () -> play(manifest));

        assertEquals(List.of(), noted());
    }

    /** Ctrl-C, or an etcd that was killed. */
    @Test
    void oneThatWasNotPlayedToTheEndIsNotNoted() {
        maker = failing(new HostException("etcd was ended by signal 2", "", ""));
        assertThrows(HostException.class, () -> play(manifest));
        Restored silent = new Restored(0, 0) {
            @Override
            public long keysAt(long revision) {
                Thread.currentThread().interrupt();
                throw EtcdCallException.refused(
                        RpcKind.READ, RpcCode.CANCELLED, "interrupted", "count");
            }
        };
        maker = new Making(silent);

        assertThrows(HostException.class, () -> play(manifest));

        assertTrue(Thread.interrupted());
        assertTrue(silent.closed);
        assertEquals(List.of(), noted());
    }

    /** It would be refused each time, and says nothing of the snapshot. */
    @Test
    void oneOfAClusterWithAuthenticationCannotBePlayed() {
        maker = new Making(new Restored(0, 0) {
            @Override
            public long keysAt(long revision) {
                throw EtcdCallException.refused(
                        RpcKind.READ,
                        RpcCode.PERMISSION_DENIED,
                        "etcdserver: permission denied",
                        "count");
            }
        });

        assertReason(CommonReason.NOT_PERMITTED, HostException.class, () -> play(manifest));

        assertEquals(List.of(), noted());
    }

    private static ScratchEtcd.Maker failing(RuntimeException failure) {
        return new Making(new Restored(0, 0)) {
            @Override
            public ScratchEtcd of(Path snapshot, Path work) {
                throw failure;
            }
        };
    }
}
