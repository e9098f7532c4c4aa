package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.host.StandaloneEtcdState;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdOrder.Direction;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;
import io.kjadm.manifests.StandaloneEtcd;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A member that systemd runs gets another version, goes back if it must, and survives power cuts. */
class EtcdServiceTest {

    private static final Path JOURNAL = Path.of(UpgradingMachine.JOURNAL);

    private static final String ENVIRONMENT_OF_3_6 = """
            # made by hand
            GOMAXPROCS=2
            ETCD_FEATURE_GATES=InitialCorruptCheck=true
            ETCD_NAME=cp-1
            ETCD_INITIAL_CLUSTER=cp-1=https://cp-1:2380,cp-2=https://cp-2:2380,cp-3=https://cp-3:2380
            ETCD_INITIAL_CLUSTER_STATE=existing
            ETCD_INITIAL_ADVERTISE_PEER_URLS=https://cp-1:2380
            ETCD_ADVERTISE_CLIENT_URLS=http://cp-1:2379
            ETCD_LISTEN_CLIENT_URLS=http://cp-1:2379,http://127.0.0.1:2379
            ETCD_CERT_FILE=/etc/etcd/pki/server.crt
            ETCD_DATA_DIR=/var/lib/etcd
            ETCD_QUOTA_BACKEND_BYTES=4294967296
            """;

    private UpgradingMachine machine = new UpgradingMachine(3, "3.6.8");

    private static EtcdOrder to(String version) {
        return EtcdOrder.to(Direction.UPGRADE, version, Optional.empty())
                .soaking(Duration.ofSeconds(10));
    }

    private void others(String version) {
        List.of("cp-2", "cp-3")
                .forEach(name -> machine.cluster.version(machine.cluster.id(name), version));
    }

    @Test
    void itsProgramsAreExchangedAndTheOthersNamed() {
        machine.apply(to("3.6.14"));

        assertEquals("3.6.14", machine.files.text("/opt/bin/etcd"));
        assertEquals("utl 3.6.14", machine.files.text("/opt/bin/etcdutl"));
        assertEquals(
                Optional.of(FileMode.EXECUTABLE), machine.files.mode(Path.of("/opt/bin/etcd")));
        assertEquals("3.6.14", machine.running());
        assertHasLine(
                "\"version\" : \"3.6.14\",", machine.files.text("/var/lib/kjadm/etcd/member.json"));
        assertHasLine(
                "[etcd] Now run 'kjadm etcd upgrade 3.6.14' on cp-3, then on cp-2",
                machine.out.text());
        assertFalse(machine.files.exists(JOURNAL));
        assertTrue(machine.cluster.writable());
        assertTrue(
                machine.files.files().stream().anyMatch(path -> path.endsWith("etcd-snapshot.db")),
                "a snapshot is kept");
    }

    @Test
    void theEnvironmentFollowsTheVersionAndKeepsWhatWasAdded() {
        machine = new UpgradingMachine(3, "3.5.30");
        machine.apply(to("3.6.14").skipping(List.of("EtcdPatchFirst"), Optional.of("a test")));

        assertEquals(ENVIRONMENT_OF_3_6, machine.environment());
    }

    @Test
    void theLeaderWaitsForTheOthers() {
        machine.cluster.leadBy(machine.member);
        String before = machine.environment();

        assertReason(Rule.LEADER_LAST, ClusterException.class, () -> machine.apply(to("3.6.14")));

        assertEquals(before, machine.environment());
        assertEquals("3.6.8", machine.files.text("/opt/bin/etcd"));

        others("3.6.14");
        machine.apply(to("3.6.14"));
        assertFalse(machine.cluster.leader().equals(machine.member), "it handed over first");
    }

    @Test
    void nothingIsChangedWhileAnotherMemberIsDown() {
        machine.cluster.stop(machine.cluster.id("cp-3"));
        assertThrows(ClusterException.class, () -> machine.apply(to("3.6.14")));
        assertEquals("3.6.8", machine.files.text("/opt/bin/etcd"));
        assertEquals("3.6.8", machine.running());
    }

    /** F305: etcd would start as the only member of its cluster, and the others would end. */
    @Test
    void nothingIsChangedWhereItsStartWouldRemoveTheOthers() {
        String environment = machine.files.text(UpgradingMachine.ENVIRONMENT);
        machine.files.with(
                UpgradingMachine.ENVIRONMENT, environment + "ETCD_FORCE_NEW_CLUSTER=true\n");
        assertReason(
                Rule.FORCE_NEW_CLUSTER, ClusterException.class, () -> machine.apply(to("3.6.14")));
        assertReason(
                Rule.FORCE_NEW_CLUSTER, ClusterException.class, () -> machine.plan(to("3.6.14")));
        assertEquals("3.6.8", machine.files.text("/opt/bin/etcd"));
        assertEquals("3.6.8", machine.running());

        machine.files.with(UpgradingMachine.ENVIRONMENT, environment);
        machine.apply(to("3.6.14"));
        assertEquals("3.6.14", machine.running());
    }

    @Test
    void nothingIsChangedWithoutTheRelease() {
        machine.missing.add("3.6.14");
        assertThrows(HostException.class, () -> machine.apply(to("3.6.14")));
        assertEquals("3.6.8", machine.files.text("/opt/bin/etcd"));
        assertEquals(
                List.of(),
                machine.files.files().stream()
                        .filter(path -> path.endsWith("etcd-snapshot.db"))
                        .toList());
    }

    @Test
    void oneThatDoesNotComeUpGoesBackAndItsLogIsQuoted() {
        String before = machine.environment();
        machine.broken.add("3.6.14");

        ClusterException failure =
                assertThrows(ClusterException.class, () -> machine.apply(to("3.6.14")));

        // of the former etcd's end its log says that a connection is closed
        assertEquals(
                "service etcd of this machine does not stay up: it is broken;"
                        + " this node is as it was before (etcd 3.6.8);"
                        + " fix the cause, then run the same command again",
                failure.getMessage());

        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure.reason());
        assertEquals("3.6.8", machine.running());
        assertEquals("3.6.8", machine.files.text("/opt/bin/etcd"));
        assertEquals(
                Optional.of(FileMode.EXECUTABLE), machine.files.mode(Path.of("/opt/bin/etcd")));
        assertFalse(machine.files.exists(Path.of("/opt/bin/etcdutl")), "there was none");
        assertEquals(before, machine.environment());
        assertFalse(machine.files.exists(JOURNAL));
        machine.broken.clear();
        machine.apply(to("3.6.14"));
        assertEquals("3.6.14", machine.running());
    }

    private static final String UNIT = "/etc/systemd/system/etcd.service";

    private static String unit(boolean former) {
        var directories = new StandaloneEtcd.Directories(
                Path.of("/var/lib/etcd"), Path.of("/etc/etcd/pki"), Path.of("/opt/bin"));
        Path environment = Path.of("/etc/etcd/etcd.env");
        return former
                ? StandaloneEtcd.formerUnit(environment, directories, List.of())
                : StandaloneEtcd.unit(environment, directories, List.of());
    }

    @Test
    void aUnitOfAnEarlierReleaseGetsTheLimits() {
        machine.files.with(UNIT, unit(true));
        machine.apply(to("3.6.14"));
        assertEquals(unit(false), machine.files.text(UNIT));
    }

    @Test
    void aUnitGoesBackWithTheRest() {
        machine.files.with(UNIT, unit(true));
        machine.broken.add("3.6.14");
        assertReason(
                CommonReason.ROLLED_BACK,
                ClusterException.class,
                () -> machine.apply(to("3.6.14")));
        assertEquals(unit(true), machine.files.text(UNIT));
    }

    @Test
    void aUnitThatWasChangedByHandStaysAndThatIsTold() {
        String changed = unit(true) + "# mine\n";
        machine.files.with(UNIT, changed);
        machine.apply(to("3.6.14"));
        assertEquals(changed, machine.files.text(UNIT));
        assertTrue(machine.out.text().contains(UNIT + " stays as it is"), machine.out.text());
    }

    @Test
    void aUnitStaysWhereEtcdWritesElsewhere() {
        machine.files
                .with(UNIT, unit(true))
                .with("/etc/etcd/etcd.env", machine.environment() + "ETCD_WAL_DIR=/wal\n");
        machine.apply(to("3.6.14"));
        assertEquals(unit(true), machine.files.text(UNIT));
    }

    @Test
    void programsThatWereExchangedByHandAreStarted() {
        machine.files.with("/opt/bin/etcd", "3.6.14");
        machine.apply(to("3.6.14"));
        assertEquals("3.6.14", machine.running());
        // and no program is replaced
        assertEquals(
                List.of(
                        "Using etcd 3.6.14 in /opt/bin",
                        UNIT
                                + " stays as it is, without the limits that this version writes:"
                                + " it was changed by hand",
                        "Wrote /var/lib/kjadm/etcd/member.json, /etc/etcd/etcd.env",
                        "etcd works",
                        "The replaced files and the snapshot are kept in"
                                + " /var/lib/kjadm/etcd/upgrades/kjadm-upgraded-2026-02-03-04-05-16",
                        "Now run 'kjadm etcd upgrade 3.6.14' on cp-3, then on cp-2"),
                machine.out.in("etcd"));
        machine.apply(to("3.6.14"));
    }

    @Test
    void programsThatWereExchangedByHandNeedNoRelease() {
        machine.files.with("/opt/bin/etcd", "3.6.14");
        machine.missing.add("3.6.14");

        machine.apply(to("3.6.14"));

        assertEquals("3.6.14", machine.running());
        assertEquals(
                "existing",
                StandaloneEtcdState.variables(machine.environment()).get("INITIAL_CLUSTER_STATE"));
    }

    @Test
    void theProgramMayEndBehindEveryChange() {
        everyCut(false);
    }

    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChange() {
        everyCut(true);
    }

    /** Killed between its record and its environment, it would keep flags of 3.5. */
    /** Its programs are exchanged, it was not restarted, and another voter is down since. */
    @Test
    void whatWasExchangedIsNotRestartedWhileTheOthersNeedIt() {
        int exchanged = 0;
        for (PowerCut.Socket cut : PowerCut.everyMoment()) {
            machine = new UpgradingMachine(3, "3.6.8");
            if (!machine.cut(cut, to("3.6.14"))) {
                break;
            }
            boolean waits = machine.files.text("/opt/bin/etcd").equals("3.6.14")
                    && machine.cluster.writable()
                    && machine.running().equals("3.6.8");
            if (waits) {
                exchanged++;
                machine.cluster.stop(machine.cluster.id("cp-3"));

                assertReason(
                        CommonReason.TIMED_OUT,
                        ClusterException.class,
                        () -> machine.apply(to("3.6.14")));
                assertEquals("3.6.8", machine.running(), "cut " + cut);

                machine.cluster.start(machine.cluster.id("cp-3"), "cp-3");
                machine.apply(to("3.6.14"));
                assertEquals("3.6.14", machine.running(), "cut " + cut);
                assertFalse(machine.files.exists(JOURNAL), "cut " + cut);
            }
        }
        assertTrue(exchanged > 0, "it was never killed there");
    }

    @Tag("power-cut")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void flagsFollowTheVersionWhereverItIsKilled(boolean reboot) {
        EtcdOrder order = to("3.6.14").skipping(List.of("EtcdPatchFirst"), Optional.of("a test"));
        int cuts = 0;
        for (PowerCut.Socket cut : PowerCut.moments()) {
            machine = new UpgradingMachine(3, "3.5.30");
            if (!machine.cut(cut, order)) {
                break;
            }
            cuts = cut.step();
            if (reboot) {
                machine.reboot();
            }
            machine.apply(order);
            assertEquals("3.6.14", machine.running(), "cut " + cut);
            assertEquals(ENVIRONMENT_OF_3_6, machine.environment(), "cut " + cut);
        }
        assertTrue(cuts + PowerCut.STRIDE > 10, "the power went " + cuts + " times only");
    }

    private void everyCut(boolean reboot) {
        int cuts = 0;
        for (PowerCut.Socket cut : PowerCut.moments()) {
            machine = new UpgradingMachine(3, "3.6.8");
            others("3.6.14");
            if (!machine.cut(cut, to("3.6.14"))) {
                break;
            }
            cuts = cut.step();
            if (reboot) {
                machine.reboot();
            }
            machine.apply(to("3.6.14"));
            assertEquals("3.6.14", machine.running(), "cut " + cut);
            assertEquals("3.6.14", machine.files.text("/opt/bin/etcd"), "cut " + cut);
            assertEquals("ctl 3.6.14", machine.files.text("/opt/bin/etcdctl"), "cut " + cut);
            assertFalse(machine.files.exists(JOURNAL), "cut " + cut);
            assertTrue(machine.cluster.writable(), "cut " + cut);
        }
        assertTrue(cuts + PowerCut.STRIDE > 10, "the power went " + cuts + " times only");
    }

    @Test
    void aPlanChangesNothing() {
        machine.plan(to("3.6.14"));
        String told = machine.out.text();
        assertHasLine("cp-1                 kjadm etcd upgrade 3.6.14", told);
        assertEquals("3.6.8", machine.files.text("/opt/bin/etcd"));
        assertFalse(machine.files.exists(JOURNAL));
    }

    @Test
    void aMachineThatIsNotSetUpYetIsLetBe() {
        machine.files.with(
                "/var/lib/kjadm/etcd/member.json",
                machine.files
                        .text("/var/lib/kjadm/etcd/member.json")
                        .replace("\"finished\": true", "\"finished\": false"));
        HostException refused =
                assertThrows(HostException.class, () -> machine.apply(to("3.6.14")));
        assertEquals("a 'kjadm etcd init' was interrupted", refused.why());
    }

    @Test
    void aMachineWhoseDataAreBeingRestoredIsLetBe() {
        machine.files.with("/var/lib/kjadm/etcd/restore/journal.json", "{}");
        HostException refused =
                assertThrows(HostException.class, () -> machine.apply(to("3.6.14")));
        assertEquals(Set.of("--undo"), Named.flags(refused.next()));
    }
}
