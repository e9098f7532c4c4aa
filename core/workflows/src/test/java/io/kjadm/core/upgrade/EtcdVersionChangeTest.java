package io.kjadm.core.upgrade;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdOrder.Direction;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A node's etcd gets another version while Kubernetes keeps its own. The other members are
 * {@code cp-1} and {@code cp-2} of the simulated cluster; this node's leads at first.
 */
class EtcdVersionChangeTest {

    private static final String WHY_SKIPPED = "a test of one node";
    private static final Path JOURNAL = Path.of(UpgradingNode.JOURNAL);

    private UpgradingNode node = new UpgradingNode(2, "3.6.8").storing("3.6.8-0");

    private static EtcdOrder to(String version) {
        return EtcdOrder.to(Direction.UPGRADE, version, Optional.empty());
    }

    private static EtcdOrder leaderToo(String version) {
        return to(version).skipping(List.of("EtcdLeaderLast"), Optional.of(WHY_SKIPPED));
    }

    private void follow() {
        node.etcd.moveLeader(node.member, node.etcd.id("cp-1"));
    }

    private void othersRun(String version) {
        for (String name : List.of("cp-1", "cp-2")) {
            node.etcd.version(node.etcd.id(name), version);
        }
    }

    private void assertRefused(Rule rule, EtcdOrder order) {
        String before = node.manifest("etcd");
        assertReason(rule, ClusterException.class, () -> node.change(order));
        assertEquals(before, node.manifest("etcd"));
    }

    private void assertStored(String tag) {
        assertHasLine("imageTag: " + tag, node.lab.stored("ClusterConfiguration"));
    }

    @Test
    void aFollowerGetsTheVersionAndTheOthersAreNamed() {
        follow();
        node.change(to("3.6.14"));

        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
        assertEquals("v1.36.2", node.tag("kube-apiserver"));
        assertHasLine(
                "[etcd] Now run 'kjadm etcd upgrade 3.6.14' on cp-2, then on cp-1", node.told());
        assertStored("3.6.8-0");
        assertFalse(node.lab.init.files.exists(JOURNAL));
        assertTrue(node.etcd.writable());
    }

    @Test
    void theLastOneHasTheVersionStored() {
        othersRun("3.6.14");
        node.change(to("3.6.14"));

        assertStored("3.6.14-0");
    }

    @Test
    void aSecondRunChangesNothing() {
        othersRun("3.6.14");
        node.change(to("3.6.14"));
        String before = node.manifest("etcd");

        node.change(to("3.6.14"));

        assertEquals(before, node.manifest("etcd"));
    }

    @Test
    void theLeaderWaitsForTheOthersUnlessThatIsSkipped() {
        assertRefused(Rule.LEADER_LAST, to("3.6.14"));

        node.change(leaderToo("3.6.14"));

        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
        assertFalse(node.etcd.leader().equals(node.member));
        assertTrue(
                node.lab.init.files.files().stream()
                        .filter(path -> path.endsWith("skipped-gates"))
                        .flatMap(path -> node.lab.init.files.read(path).stream())
                        .anyMatch(text -> text.contains(WHY_SKIPPED)),
                "the reason is not kept");
    }

    @Test
    void aGateIsSkippedWithAReasonOnly() {
        assertThrows(
                UsageException.class,
                () -> to("3.6.14").skipping(List.of("EtcdLeaderLast"), Optional.empty()));
        assertThrows(
                UsageException.class,
                () -> to("3.6.14").skipping(List.of("EtcdMood"), Optional.of("why not")));
    }

    @Test
    void tooOldAPatchReleaseIsRefusedUnlessItIsSkipped() {
        node = new UpgradingNode(2, "3.5.30").storing("3.5.30-0");
        follow();
        assertRefused(Rule.PATCH_FIRST, to("3.6.14"));

        node.change(to("3.6.14").skipping(List.of("EtcdPatchFirst"), Optional.of("a test")));

        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
        assertHasLine("- --feature-gates=InitialCorruptCheck=true", node.manifest("etcd"));
    }

    @Test
    void whatOthersWouldPayForIsNotSkipped() {
        follow();
        node.etcd.stop(node.etcd.id("cp-2"));
        EtcdOrder order = to("3.6.14").skipping(List.of("EtcdVoters"), Optional.of("a test"));
        assertRefused(Rule.VOTERS, order);
    }

    @Test
    void membersThatHoldDifferentThingsAreLetBe() {
        follow();
        node.etcd.diverge(node.etcd.id("cp-2"));
        assertRefused(Rule.HASHES, to("3.6.14"));
    }

    @Test
    void twoVotersNeedAWord() {
        node = new UpgradingNode(1, "3.6.8");
        follow();
        assertRefused(Rule.TWO_VOTERS, to("3.6.14"));

        node.change(to("3.6.14").acceptingTwoVoters());

        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
    }

    @Test
    void oneThatDoesNotComeUpGoesBackAndTheNextRunSucceeds() {
        follow();
        String before = node.manifest("etcd");
        node.broken.add("registry.k8s.io/etcd:3.6.14-0");

        ClusterException failure =
                assertThrows(ClusterException.class, () -> node.change(to("3.6.14")));

        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure.reason());
        assertEquals(before, node.manifest("etcd"));
        assertEquals("3.6.8-0", node.runningTags().get("etcd"));
        assertFalse(node.lab.init.files.exists(JOURNAL));
        node.broken.clear();
        node.change(to("3.6.14"));
        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
    }

    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChange() {
        for (PowerCut.Socket cut : PowerCut.moments()) {
            node = new UpgradingNode(2, "3.6.8").storing("3.6.8-0");
            othersRun("3.6.14");
            if (!node.cutChange(cut, to("3.6.14"))) {
                break;
            }
            node.change(to("3.6.14"));
            assertEquals("3.6.14-0", node.runningTags().get("etcd"), "cut " + cut);
            assertStored("3.6.14-0");
            assertFalse(node.lab.init.files.exists(JOURNAL), "cut " + cut);
        }
    }

    @Test
    void anUpgradeOfKubernetesThatDidNotEndIsFinishedFirst() {
        follow();
        node.lab.init.files.with(UpgradingNode.JOURNAL, """
                {"from": "v1.36.2", "to": "v1.37.0", "began": "2026-01-01T00:00:00Z",
                 "changed": [{"step": "etcd", "path": "/etc/kubernetes/manifests/etcd.yaml"}]}
                """);
        assertThrows(HostException.class, () -> node.change(to("3.6.14")));
    }

    @Test
    void aPlanChangesNothingAndNamesWhatStopsIt() {
        String before = node.manifest("etcd");
        node.plan(to("3.6.14"));
        String told = node.told();
        assertHasLine("EtcdPatchFirst         passed", told);
        assertTrue(told.indexOf("cp-2 ") < told.lastIndexOf("kjadm etcd upgrade 3.6.14"), told);
        assertEquals(before, node.manifest("etcd"));

        assertReason(Rule.MINOR_SKIPPED, ClusterException.class, () -> node.plan(to("3.8.0")));
    }

    // ---- down

    private static EtcdOrder down() {
        return EtcdOrder.to(Direction.DOWNGRADE, "3.5.30", Optional.empty())
                .soaking(Duration.ofSeconds(10));
    }

    private static final EtcdVersion LOW = EtcdVersion.parse("3.5.30");

    @ParameterizedTest
    @ValueSource(strings = {"3.4.39", "3.5.1", "3.7.1"})
    void thereIsNoWayDownToSuchAVersion(String version) {
        assertReason(
                Rule.DOWNGRADE_TARGET,
                ClusterException.class,
                () -> node.downgrade().enable(EtcdVersion.parse(version)));
    }

    @Test
    void aMemberGoesDownOnlyWhenTheClusterWasToldTo() {
        node.etcd.storage("3.6.0");
        follow();
        assertRefused(Rule.DOWNGRADE_ENABLED, down());

        node.downgrade().validate(LOW);
        node.downgrade().enable(LOW);
        node.change(down());

        assertEquals("3.5.30-0", node.runningTags().get("etcd"));
        assertHasLine("- --experimental-initial-corrupt-check=true", node.manifest("etcd"));
        assertHasLine(
                "[etcd] Now run 'kjadm etcd downgrade apply 3.5.30' on cp-2, then on cp-1",
                node.told());
        assertStored("3.6.8-0");
    }

    @Test
    void theLastOneEndsIt() {
        node.etcd.storage("3.6.0");
        node.downgrade().enable(LOW);
        othersRun("3.5.30");

        node.change(down());

        assertStored("3.5.30-0");
    }

    @Test
    void enablingAndCancellingMayBeRepeated() {
        node.etcd.storage("3.6.0");
        node.downgrade().enable(LOW);
        node.downgrade().enable(LOW);
        assertEquals(1, changes("enableDowngrade 3.5"));

        MemberId low = node.etcd.id("cp-2");
        node.etcd.version(low, "3.5.30");
        node.downgrade().cancel();
        node.downgrade().cancel();

        assertEquals(1, changes("cancelDowngrade"));
        assertHasLine(
                "[etcd] Now run 'kjadm etcd upgrade 3.6.8' on cp-2, where etcd was downgraded",
                node.told());
    }

    @Test
    void aVoterThatFallsDuringTheSnapshotKeepsTheDowngradeFromBeingEnabled() {
        node.etcd.storage("3.6.0");
        node.duringSnapshot = () -> node.etcd.stop(node.etcd.id("cp-2"));
        assertReason(Rule.VOTERS, ClusterException.class, () -> node.downgrade().enable(LOW));
        assertEquals(0, changes("enableDowngrade 3.5"));
    }

    private long changes(String change) {
        return node.etcd.changes().stream().filter(change::equals).count();
    }
}
