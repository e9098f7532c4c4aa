package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A machine leaves its etcd, and its CA, programs and data are deleted. */
class EtcdTeardownTest extends EtcdResetLab {

    private void installed() {
        files.with("/opt/bin/etcd", "etcd")
                .with("/opt/bin/etcdctl", "ctl")
                .with("/opt/bin/other", "somebody's")
                .with("/var/cache/kjadm/etcd/v3.6.8/etcd.tar.gz", "archive")
                .with("/var/lib/kjadm/etcd/upgrades/kjadm-upgraded-1/etcd-snapshot.db", "snapshot")
                .with("/var/lib/kjadm/etcd/member.json", """
                {"founder": true, "finished": true, "token": "", "name": "cp-1", "version": "3.6.8",
                 "address": "10.0.0.1", "dataDir": "/var/lib/etcd", "certificatesDir": "/etc/etcd/pki",
                 "installDir": "/opt/bin", "serverCertSans": [], "unitSettings": []}
                """);
    }

    private List<Path> left() {
        return files.files().stream()
                .filter(file -> !file.startsWith("/var/lib/kjadm-snapshots"))
                .toList();
    }

    @Test
    void aTeardownLeavesNothingButDataAndWhatIsSomebodyElses() {
        member(3);
        installed();
        reset(EtcdReset.Options.teardown(false, false));
        assertFalse(cluster.members().stream().anyMatch(member -> member.name().equals("cp-1")));
        assertEquals(
                List.of("/opt/bin/other", "db", "etcd-snapshot.db"),
                left().stream()
                        .map(file -> file.startsWith("/opt")
                                ? file.toString()
                                : file.getFileName().toString())
                        .toList());
        assertFalse(files.exists(Path.of("/etc/etcd")));
        assertFalse(files.exists(Path.of("/var/cache/kjadm/etcd")));
    }

    @Test
    void theLastMemberIsTornDownWithItsDataAndASnapshotIsKept() {
        member(1);
        installed();
        data(SnapshotBytes.atRevision(102));
        reset(EtcdReset.Options.teardown(false, true));
        assertEquals(List.of(Path.of("/opt/bin/other")), left());
        assertEquals(1, files.list(Path.of("/var/lib/kjadm-snapshots")).size());
        assertFalse(files.exists(Path.of("/var/lib/etcd")));
        assertFalse(files.exists(Path.of("/var/lib/kjadm/etcd")));
    }

    private void data(byte[] database) {
        files.with("/var/lib/etcd/member/snap/db", database)
                .with("/var/lib/etcd/member/wal/0.wal", WalText.of(0xa001, 0xc1));
    }

    /** F180: clients wrote between the last snapshot and the stop, or what they wrote is not known. */
    @Test
    void dataThatTheLastSnapshotLacksAreNotDeleted() {
        for (byte[] database : List.of(SnapshotBytes.atRevision(103), new byte[] {1, 2})) {
            files.list(Path.of("/")).forEach(files::deleteTree);
            member(1);
            installed();
            data(database);
            reset(EtcdReset.Options.teardown(false, true));
            assertEquals(1, files.list(Path.of("/var/lib/kjadm-snapshots")).size());
            assertKept();
            assertTrue(
                    Named.files(out.warnings().getLast())
                            .containsAll(Set.of("/var/lib/etcd.reset-20260203-040506")),
                    out.warnings()::toString);
        }
    }

    private void assertKept() {
        assertEquals(
                1,
                files.files().stream()
                        .map(Path::toString)
                        .filter(path -> path.startsWith("/var/lib/etcd.reset-"))
                        .filter(path -> path.endsWith("/snap/db"))
                        .count());
        assertFalse(files.exists(Path.of("/etc/etcd/etcd.env")));
    }

    /** F180: the log of a member that was killed may have more than its database. */
    @Test
    void norAreThoseWhoseLogCannotBeRead() {
        member(1);
        data(SnapshotBytes.atRevision(102));
        files.with("/var/lib/etcd/member/wal/0.wal", "damaged");
        reset(EtcdReset.Options.teardown(false, true));
        assertKept();
    }

    /** Giving the lock back is a write to etcd, and so is what another machine does then. */
    @Test
    void theLastSnapshotIsTakenWhenTheLockWasGivenBack() {
        member(1);
        List<Integer> snapshots = new ArrayList<>();
        boolean[] joins = {false};
        lock = (work, wait) -> new HeldLock() {
            @Override
            public void tell(Work now) {
                // no one waits
            }

            @Override
            public void close() {
                snapshots.add(files.list(Path.of("/var/lib/kjadm-snapshots")).size());
                if (joins[0]) {
                    cluster.start(cluster.plant(SimulatedCluster.peerUrl("cp-2"), false), "cp-2");
                }
            }
        };
        joins[0] = true;
        assertReason(
                RemovalState.Reason.NEEDED_FOR_QUORUM,
                ClusterException.class,
                () -> reset(EtcdReset.Options.teardown(false, true)));
        assertTrue(files.exists(Path.of("/etc/etcd/etcd.env")));
        assertFalse(runner.commands().contains(STOP));

        member(1);
        joins[0] = false;
        reset(EtcdReset.Options.teardown(false, true));
        assertEquals(List.of(0, 0), snapshots);
        assertEquals(1, files.list(Path.of("/var/lib/kjadm-snapshots")).size());
    }

    @Test
    void aMemberThatTheOthersNeedIsNotTornDown() {
        member(3);
        installed();
        cluster.stop(cluster.id("cp-3"));
        List<Path> before = files.files();
        assertReason(
                RemovalState.Reason.NEEDED_FOR_QUORUM,
                ClusterException.class,
                () -> reset(EtcdReset.Options.teardown(true, true)));
        assertEquals(before, files.files());
    }

    @ParameterizedTest
    @ValueSource(strings = {"RETIRING", "REMOVING", "REMOVED", "STOPPED", "CLEANING"})
    void aTeardownThatWasCutShortIsContinued(String state) {
        for (String moment : List.of("before", "after")) {
            files.list(Path.of("/")).forEach(files::deleteTree);
            member(3);
            installed();
            Failpoints fault = Failpoints.from(
                    Map.of(Failpoints.VARIABLE, "%s:%s=error".formatted(state, moment)));
            EtcdReset.Options all = EtcdReset.Options.teardown(false, true);
            assertThrows(HostException.class, () -> reset(all, fault), state + moment);
            reset(all);
            assertEquals(List.of(Path.of("/opt/bin/other")), left(), state + moment);
        }
    }

    @Test
    void whatAResetHasLeftIsRemovedToo() {
        member(3);
        installed();
        reset(PLAIN);
        assertTrue(files.exists(Path.of("/etc/etcd/pki/ca.key")));
        reset(EtcdReset.Options.teardown(false, false));
        assertFalse(files.exists(Path.of("/etc/etcd")));
        assertFalse(files.exists(Path.of("/var/cache/kjadm/etcd")));
        assertTrue(files.exists(Path.of("/opt/bin/etcd")), "whose it is is not known any more");
    }

    @Test
    void programsOfSomebodyElseStay() {
        member(3);
        files.with("/opt/bin/etcd", "etcdadm's");
        reset(EtcdReset.Options.teardown(false, false));
        assertTrue(files.exists(Path.of("/opt/bin/etcd")));
    }
}
