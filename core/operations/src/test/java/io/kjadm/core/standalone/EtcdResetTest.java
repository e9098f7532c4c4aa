package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A machine leaves its etcd, as far as the others can do without it. */
class EtcdResetTest extends EtcdResetLab {

    @Test
    void aMemberLeavesAndItsDataIsKept() {
        member(3);
        files.with("/var/lib/kjadm/etcd/restore/journal.json", "of this member's data")
                .with("/var/lib/kjadm/etcd/ca-rotation.json", "of this member's certificates")
                .with("/var/lib/etcd/kjadm-restore/snapshot.db", "fetched");
        reset(PLAIN);
        assertGone();
        assertFalse(files.exists(Path.of("/var/lib/etcd/kjadm-restore")));
        assertTrue(files.exists(Path.of("/etc/etcd/pki/ca.key")));
        assertTrue(runner.commands().contains(DISABLE));
    }

    /** It has data of the cluster, and another member could not start with it. */
    @Test
    void aLogThatIsElsewhereIsTold() {
        member(3);
        files.with(
                        "/etc/etcd/etcd.env",
                        files.text("/etc/etcd/etcd.env") + "ETCD_WAL_DIR=/srv/wal\n")
                .with("/srv/wal/0.wal", "log");
        reset(PLAIN);
        assertGone();
        assertTrue(files.exists(Path.of("/srv/wal/0.wal")));
        assertEquals(Set.of("/srv/wal"), Named.files(String.join("\n", out.warnings())));
    }

    @Test
    void theCaGoesIfThatIsAskedFor() {
        member(3);
        reset(new EtcdReset.Options(false, false, true));
        assertEquals(List.of(), files.list(Path.of("/etc/etcd/pki")));
    }

    @Test
    void aMemberThatTheOthersNeedStays() {
        member(3);
        cluster.stop(cluster.id("cp-3"));
        assertReason(
                RemovalState.Reason.NEEDED_FOR_QUORUM, ClusterException.class, () -> reset(PLAIN));
        assertReason(
                RemovalState.Reason.NEEDED_FOR_QUORUM,
                ClusterException.class,
                () -> reset(new EtcdReset.Options(true, false, false)));
        assertTrue(files.exists(Path.of("/var/lib/etcd/member/snap/db")));
        assertFalse(runner.commands().contains(STOP));
    }

    /** A refusal does not wait for a join of another machine. */
    @Test
    void aRefusalTakesNoLock() {
        member(3);
        cluster.stop(cluster.id("cp-3"));
        lock = (work, limit) -> {
            throw new AssertionError("waited for the lock");
        };
        assertReason(
                RemovalState.Reason.NEEDED_FOR_QUORUM, ClusterException.class, () -> reset(PLAIN));
    }

    @Test
    void theLastMemberStaysUnlessItsEndIsMeant() {
        member(1);
        ClusterException refused = assertThrows(ClusterException.class, () -> reset(PLAIN));
        assertEquals(Set.of("--force-last-member"), Named.flags(refused.next()));
        assertFalse(runner.commands().contains(STOP));

        reset(new EtcdReset.Options(false, true, false));
        assertFalse(files.exists(Path.of("/var/lib/etcd/member")));
        assertEquals(1, files.list(Path.of("/var/lib/kjadm-snapshots")).size());
    }

    @Test
    void nothingIsChangedWhereNobodyCanTell() {
        member(3);
        cluster.local("");
        cluster.failLists(100_000);
        assertReason(RemovalState.Reason.UNREACHABLE, ClusterException.class, () -> reset(PLAIN));
        assertTrue(files.exists(Path.of("/etc/etcd/etcd.env")));
        assertFalse(runner.commands().contains(STOP));
    }

    /** The disk with the data of the first machine did not come at this boot, so its etcd is off. */
    @Test
    void anEtcdWhoseDiskIsNotMountedMayHaveStarted() {
        member(3);
        cluster.local("");
        cluster.failLists(100_000);
        files.deleteTree(Path.of("/var/lib/etcd"));
        files.with("/etc/fstab", "LABEL=etcd /var/lib/etcd xfs defaults,nofail 0 0");
        assertReason(
                RemovalState.Reason.UNREACHABLE,
                ClusterException.class,
                () -> reset(EtcdReset.Options.teardown(false, true)));
        assertTrue(files.exists(Path.of("/etc/etcd/pki/ca.key")));
    }

    /** As for a stacked etcd: the others may come back and need it. */
    @Test
    void aLostQuorumIsGivenUpWithBothFlagsOnly() {
        for (boolean force : List.of(false, true)) {
            member(2);
            cluster.stop(cluster.id("cp-2"));
            assertReason(
                    RemovalState.Reason.QUORUM_LOST,
                    ClusterException.class,
                    () -> reset(new EtcdReset.Options(force, !force, false)));
            assertFalse(runner.commands().contains(STOP));
        }
        assertReason(
                RemovalState.Reason.QUORUM_LOST,
                ClusterException.class,
                () -> reset(new EtcdReset.Options(true, true, false)));
        assertTrue(runner.commands().contains(STOP));
        assertTrue(files.exists(Path.of("/var/lib/etcd/member/snap/db")));
    }

    @Test
    void byForceItStopsAndKeepsItsData() {
        member(3);
        cluster.local("");
        cluster.failLists(100_000);
        assertReason(
                RemovalState.Reason.UNREACHABLE,
                ClusterException.class,
                () -> reset(new EtcdReset.Options(true, false, false)));
        assertTrue(runner.commands().contains(STOP));
        assertTrue(files.exists(Path.of("/var/lib/etcd/member/snap/db")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RETIRING", "REMOVING", "REMOVED", "STOPPED", "CLEANING"})
    void aResetThatWasCutShortIsContinued(String state) {
        for (String moment : List.of("before", "after")) {
            files.list(Path.of("/")).forEach(files::deleteTree);
            member(3);
            Failpoints fault = Failpoints.from(
                    Map.of(Failpoints.VARIABLE, "%s:%s=error".formatted(state, moment)));
            assertThrows(HostException.class, () -> reset(PLAIN, fault), state + moment);
            reset(PLAIN);
            assertGone();
        }
    }

    @Tag("power-cut")
    @Test
    void whereverPowerGoesTheSameCommandGoesOn() {
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            files.list(Path.of("/")).forEach(files::deleteTree);
            member(3);
            try {
                reset(
                        PLAIN,
                        Failpoints.none(),
                        socket.plug(HostFiles.class, files),
                        socket.plug(EtcdCluster.class, cluster));
                break;
            } catch (PowerCut e) {
                assertTrue(e.at(socket));
            }
            boolean listed = cluster.members().size() == 3;
            assertFalse(
                    listed && !files.exists(Path.of("/var/lib/etcd/member/snap/db")),
                    () -> "a member without its data: " + socket);
            if (files.exists(Path.of("/etc/etcd/etcd.env"))
                    || files.exists(Path.of("/var/lib/kjadm/etcd/reset.json"))) {
                reset(PLAIN);
            }
            assertGone();
            cuts = socket.step();
        }
        assertTrue(cuts > 12, "the power went " + cuts + " times only");
    }

    @Test
    void aStepThatFailsIsToldAndTheOthersAreDone() {
        member(3);
        files.refusing("/etc/etcd/pki/server.crt", "read-only");
        assertThrows(HostException.class, () -> reset(PLAIN));
        assertFalse(files.exists(Path.of("/etc/systemd/system/etcd.service")));
        assertFalse(files.exists(Path.of("/etc/etcd/pki/server.key")));
        assertTrue(files.exists(Path.of("/etc/etcd/etcd.env")), "the next run finds it");
    }

    @Test
    void whereThereIsNothingNothingIsDone() {
        cluster = SimulatedCluster.ofVoters(1);
        reset(PLAIN);
        assertEquals(List.of(), runner.commands());
    }

    @Test
    void whileAnotherMachineHasTheTurnNothingIsChanged() {
        member(3);
        lock = (work, wait) -> {
            throw new ClusterException("gave up waiting", work.operation(), "");
        };
        assertEquals(
                "etcd reset",
                assertThrows(ClusterException.class, () -> reset(PLAIN)).why());
        assertEquals(3, cluster.members().size());
        assertTrue(files.exists(Path.of("/var/lib/etcd/member/snap/db")));
    }
}
