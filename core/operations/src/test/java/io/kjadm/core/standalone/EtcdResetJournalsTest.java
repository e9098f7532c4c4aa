package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.leave.LeftJournalsTest;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What is unfinished on a machine that leaves its etcd ends with the reset. */
class EtcdResetJournalsTest extends EtcdResetLab {

    /** The only member was about to end its cluster; another machine has joined since. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLastMemberIsNoLongerTheLast(boolean answers) {
        member(1);
        EtcdReset.Options options = new EtcdReset.Options(false, true, false);
        Failpoints killed =
                Failpoints.from(Map.of(Failpoints.VARIABLE, ResetState.REMOVED + ":after=error"));
        assertThrows(HostException.class, () -> reset(options, killed));
        Member own = cluster.members().getFirst();
        cluster.plant(SimulatedCluster.peerUrl("cp-2"), false);
        cluster.start(cluster.members().getLast().id(), "cp-2");
        files.with("/var/lib/etcd/member/snap/db", SnapshotBytes.listing(cluster.members()));

        if (answers) {
            reset(options);
            assertGone();
            assertTrue(cluster.writable());
        } else {
            cluster.stop(own.id());
            assertThrows(ClusterException.class, () -> reset(PLAIN));
            assertTrue(files.exists(Path.of("/var/lib/etcd/member")));
            assertFalse(runner.commands().contains(STOP));
        }
    }

    /** A reset was killed when only its journal was left, and the machine has joined again. */
    @Test
    void theJournalOfAnotherMemberDoesNotCount() {
        for (String state : List.of("REMOVED", "STOPPED", "CLEANING")) {
            member(3);
            files.with("/var/lib/etcd/member/wal/0.wal", WalText.of(0xa001, 0xc1))
                    .with("/var/lib/kjadm/etcd/reset.json", """
                            {"state": "%s", "criSocket": "", "at": "2026-01-01T00:00:00Z",
                             "memberId": "beef", "clusterId": "other"}
                            """.formatted(state));
            cluster.stop(cluster.id("cp-3"));
            assertReason(
                    RemovalState.Reason.NEEDED_FOR_QUORUM,
                    ClusterException.class,
                    () -> reset(PLAIN));
            assertTrue(
                    cluster.members().stream().anyMatch(member -> member.name().equals("cp-1")));
            assertTrue(files.exists(Path.of("/var/lib/etcd/member/snap/db")));
            assertTrue(files.exists(Path.of("/etc/etcd/etcd.env")));
            assertTrue(files.exists(Path.of("/etc/etcd/pki/server.key")));
        }
    }

    @Test
    void aMemberWithAnotherMembersJournalLeavesAsWithoutOne() {
        member(3);
        files.with("/var/lib/kjadm/etcd/reset.json", """
                {"state": "CLEANING", "criSocket": "", "at": "2026-01-01T00:00:00Z",
                 "memberId": "beef", "clusterId": "other"}
                """);
        reset(PLAIN);
        assertGone();
        assertTrue(runner.commands().contains(STOP));
    }

    /** It is listed, so other machines have to wait; and it is known by its ID alone. */
    @Test
    void aMemberWhoseDataARestoreHasSetAsideLeaves() {
        member(3);
        files.with(
                "/etc/etcd/etcd.env",
                files.text("/etc/etcd/etcd.env")
                        .replace("https://cp-1:2380", "https://elsewhere:2380")
                        .replace("ETCD_NAME=cp-1", "ETCD_NAME=other"));
        cluster.stop(cluster.id("cp-1"));
        files.deleteTree(Path.of("/var/lib/etcd/member"));
        files.with("/var/lib/etcd.replaced-20260101-000000/snap/db", "data")
                .with("/var/lib/kjadm/etcd/restore/journal.json", """
                        {"snapshot": "s1", "command": "kjadm etcd snapshot restore s1",
                         "began": "2026-01-01T00:00:00Z", "token": "t",
                         "aside": "/var/lib/etcd.replaced-20260101-000000", "step": "SET_ASIDE",
                         "data": {"previous": {"clusterId": "c1", "memberId": "a001"}}}
                        """);
        int[] taken = {0};
        MembershipLock usual = lock;
        lock = (work, limit) -> {
            taken[0]++;
            return usual.take(work, limit);
        };
        reset(PLAIN);
        assertFalse(cluster.members().stream().anyMatch(member -> member.name().equals("cp-1")));
        assertFalse(files.exists(Path.of("/etc/etcd/etcd.env")));
        assertTrue(files.exists(Path.of("/var/lib/etcd.replaced-20260101-000000/snap/db")));
        assertEquals(1, taken[0]);
    }

    @Test
    void aRunThatChangedNothingIsForgotten() {
        cluster = SimulatedCluster.ofVoters(1);
        files.with("/var/lib/kjadm/etcd/member.json", """
                {"founder": true, "finished": false, "token": "", "name": "cp-1", "version": "3.6.8",
                 "address": "10.0.0.1", "dataDir": "/var/lib/etcd", "certificatesDir": "/etc/etcd/pki",
                 "installDir": "/opt/bin", "serverCertSans": [], "unitSettings": []}
                """);
        reset(PLAIN);
        assertEquals(List.of(), files.list(Path.of("/var/lib/kjadm/etcd")));
        assertEquals(1, cluster.members().size());
    }

    /** With its key and etcd's history whoever has the machine next could sign for the cluster. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/etcd/pki/ca-rotation.key",
                "/etc/systemd/system/etcd.service.d/90-kjadm-hold.conf"
            })
    void whatAnUnfinishedRotationOrRestoreHasLeftGoes(String file) {
        member(3);
        files.with(file, "left");
        reset(PLAIN);
        assertGone();
        assertFalse(files.exists(Path.of(file)));
    }

    @Test
    void anUpgradeThatDidNotEndIsForgotten() {
        member(3);
        Path journal = Path.of(UpgradingMachine.JOURNAL);
        files.with(journal.toString(), """
                        {"from": "etcd 3.5.30", "to": "etcd 3.6.8", "began": "2026-01-01T00:00:00Z",
                         "changed": [{"step": "etcd", "path": "/opt/bin/etcd"}], "rollingBack": false}
                        """)
                .with(journal.resolveSibling("01-etcd").toString(), "the previous program");
        reset(PLAIN);
        assertGone();
        assertEquals(
                List.of(
                        "the unfinished change of etcd's version of this machine ends with the reset"
                                + " (started at 2026-01-01T00:00:00Z, journal " + journal + ")"),
                out.warnings());
    }

    /** That of a command with --endpoints, as of a replacement, is where a control-plane node has it. */
    static Stream<Arguments> ended() {
        return Stream.concat(
                LeftJournalsTest.ended("/var/lib/kjadm/etcd/"),
                LeftJournalsTest.ended("/etc/kubernetes/tmp/kjadm-etcd-"));
    }

    @ParameterizedTest
    @MethodSource("ended")
    void noJournalStays(Operation operation, String path, String text) {
        member(3);
        files.with(path, text);
        assertEquals(operation, UnfinishedOperations.on(files).all().getFirst().operation());

        reset(PLAIN);

        assertGone();
        assertEquals(List.of(), UnfinishedOperations.on(files).all());
    }

    /** Its journal is where a control-plane node has its own. */
    @Test
    void aReplacementThatDidNotEndIsForgotten() {
        member(3);
        Path journal = Path.of("/etc/kubernetes/tmp/kjadm-etcd-replace/journal.json");
        files.with(journal.toString(), """
                        {"stage": "ARRIVAL", "order": "ADD_FIRST", "clusterId": "c1", "name": "new",
                         "peerUrl": "https://192.0.2.9:2380", "began": "2026-01-01T00:00:00Z",
                         "before": []}
                        """)
                .with(
                        journal.resolveSibling("kjadm-etcd-join").toString(),
                        "the new member's join");
        reset(PLAIN);
        assertGone();
        assertEquals(List.of(), files.list(Path.of("/etc/kubernetes/tmp")));
        assertEquals(List.of(), UnfinishedOperations.on(files).all());
        assertEquals(
                List.of("the unfinished replacement of an etcd member of this machine"
                        + " ends with the reset (started at 2026-01-01T00:00:00Z,"
                        + " at step ARRIVAL, of cluster c1, journal " + journal + ")"),
                out.warnings());
    }

    @Test
    void theSnapshotOfAnUpgradeThatDidNotEndStays() {
        member(3);
        Path journal = Path.of(UpgradingMachine.JOURNAL);
        files.with(journal.toString(), "{}")
                .with(journal.resolveSibling("etcd-snapshot.db").toString(), "snapshot");
        reset(PLAIN);
        assertFalse(files.exists(journal));
        assertTrue(files.exists(journal.resolveSibling("etcd-snapshot.db")));
    }
}
