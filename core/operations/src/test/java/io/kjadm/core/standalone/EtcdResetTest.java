package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.leave.LeftJournalsTest;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A machine leaves its etcd, as far as the others can do without it. */
class EtcdResetTest {

    private static final String STOP = "systemctl stop etcd";
    private static final String DISABLE = "systemctl disable etcd";

    private static final EtcdReset.Options PLAIN = new EtcdReset.Options(false, false, false);

    private final MemoryFiles files = new MemoryFiles();
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl daemon-reload", "")
            .answering(DISABLE, "")
            .answering(STOP, "")
            .answering("systemctl show --property=LoadState etcd", "LoadState=loaded\n")
            .answering("systemctl is-active etcd", new Output(3, "inactive\n", ""));
    private MembershipLock lock = MembershipLock.none();
    private SimulatedCluster cluster;

    private void member(int voters) {
        cluster = SimulatedCluster.ofVoters(voters);
        cluster.local("cp-1");
        files.with("/etc/etcd/etcd.env", """
                        ETCD_NAME=cp-1
                        ETCD_INITIAL_CLUSTER_STATE=new
                        ETCD_INITIAL_ADVERTISE_PEER_URLS=https://cp-1:2380
                        ETCD_ADVERTISE_CLIENT_URLS=http://cp-1:2379
                        ETCD_LISTEN_CLIENT_URLS=http://cp-1:2379,http://127.0.0.1:2379
                        ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                        ETCD_DATA_DIR=/var/lib/etcd
                        """)
                .with("/etc/systemd/system/etcd.service", "[Unit]")
                .with("/etc/etcd/pki/ca.crt", "ca")
                .with("/etc/etcd/pki/ca.key", "key")
                .with("/etc/etcd/pki/server.crt", "server")
                .with("/etc/etcd/pki/server.key", "key")
                .with("/var/lib/etcd/member/snap/db", "data");
    }

    private void reset(EtcdReset.Options options) {
        reset(options, Failpoints.none());
    }

    private void reset(EtcdReset.Options options, Failpoints failpoints) {
        reset(options, failpoints, files, cluster);
    }

    private void reset(
            EtcdReset.Options options, Failpoints failpoints, HostFiles disk, EtcdCluster etcd) {
        new EtcdReset(
                        new SystemdEtcd(
                                new Machine(
                                        disk,
                                        runner,
                                        new MemoryRuntime(),
                                        url -> "",
                                        waiter,
                                        waiter),
                                EtcdHostPaths.standard()),
                        new EtcdClients(
                                disk,
                                new KubeClients(disk, access -> {
                                    throw new IllegalStateException("there is no API");
                                }),
                                access -> etcd,
                                waiter),
                        lock,
                        options,
                        failpoints,
                        out)
                .run();
    }

    private void assertGone() {
        assertFalse(cluster.members().stream().anyMatch(member -> member.name().equals("cp-1")));
        assertFalse(files.exists(Path.of("/var/lib/etcd/member")));
        assertFalse(files.exists(Path.of("/etc/etcd/etcd.env")));
        assertFalse(files.exists(Path.of("/etc/etcd/pki/server.key")));
        assertEquals(List.of(), files.list(Path.of("/var/lib/kjadm/etcd")));
        assertEquals(
                1,
                files.list(Path.of("/var/lib")).stream()
                        .filter(path -> path.toString().startsWith("/var/lib/etcd.reset-"))
                        .count(),
                "its data is kept, once");
    }

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
        assertTrue(Named.files(String.join("\n", out.warnings())).contains("/srv/wal"), out::text);
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

    // ---- teardown

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
