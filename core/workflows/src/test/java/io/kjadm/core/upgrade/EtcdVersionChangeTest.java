package io.kjadm.core.upgrade;

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

    private ClusterException refused(EtcdOrder order) {
        String before = node.manifest("etcd");
        ClusterException failure = assertThrows(ClusterException.class, () -> node.change(order));
        assertEquals(before, node.manifest("etcd"));
        return failure;
    }

    private String configuration() {
        return node.lab.stored("ClusterConfiguration");
    }

    @Test
    void aFollowerGetsTheVersionAndTheOthersAreNamed() {
        follow();
        node.change(to("3.6.14"));

        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
        assertEquals("v1.36.2", node.tag("kube-apiserver"));
        assertTrue(node.told().contains("on cp-2, then on cp-1"), node.told());
        assertTrue(configuration().contains("imageTag: 3.6.8-0"), configuration());
        assertFalse(node.lab.init.files.exists(JOURNAL));
        assertTrue(node.etcd.writable());
    }

    @Test
    void theLastOneHasTheVersionStored() {
        othersRun("3.6.14");
        node.change(to("3.6.14"));

        assertTrue(configuration().contains("imageTag: 3.6.14-0"), configuration());
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
        assertTrue(refused(to("3.6.14")).why().contains("EtcdLeaderLast"));

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
        assertTrue(refused(to("3.6.14")).why().contains("EtcdPatchFirst"));

        node.change(to("3.6.14").skipping(List.of("EtcdPatchFirst"), Optional.of("a test")));

        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
        assertTrue(node.manifest("etcd").contains("--feature-gates=InitialCorruptCheck=true"));
    }

    @Test
    void whatOthersWouldPayForIsNotSkipped() {
        follow();
        node.etcd.stop(node.etcd.id("cp-2"));
        EtcdOrder order = to("3.6.14").skipping(List.of("EtcdVoters"), Optional.of("a test"));
        assertTrue(refused(order).why().contains("EtcdVoters"));
    }

    @Test
    void membersThatHoldDifferentThingsAreLetBe() {
        follow();
        node.etcd.diverge(node.etcd.id("cp-2"));
        assertTrue(refused(to("3.6.14")).why().contains("EtcdHashKV"));
    }

    @Test
    void twoVotersNeedAWord() {
        node = new UpgradingNode(1, "3.6.8");
        follow();
        assertTrue(refused(to("3.6.14")).why().contains("EtcdTwoVoters"));

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

    @Test
    void thePowerMayGoBehindEveryChange() {
        for (int cut = PowerCut.first(); ; cut += PowerCut.STRIDE) {
            node = new UpgradingNode(2, "3.6.8").storing("3.6.8-0");
            othersRun("3.6.14");
            if (!node.cutChange(new PowerCut.Socket(cut), to("3.6.14"))) {
                break;
            }
            node.change(to("3.6.14"));
            assertEquals("3.6.14-0", node.runningTags().get("etcd"), "cut " + cut);
            assertTrue(configuration().contains("imageTag: 3.6.14-0"), "cut " + cut);
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
        assertTrue(told.contains("EtcdPatchFirst         passed"), told);
        assertTrue(told.indexOf("cp-2 ") < told.lastIndexOf("kjadm etcd upgrade 3.6.14"), told);
        assertEquals(before, node.manifest("etcd"));

        assertTrue(assertThrows(ClusterException.class, () -> node.plan(to("3.8.0")))
                .why()
                .contains("EtcdMinorSkipped"));
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
        ClusterException failure = assertThrows(
                ClusterException.class, () -> node.downgrade().enable(EtcdVersion.parse(version)));
        assertTrue(failure.why().contains("EtcdDowngradeTarget"), failure::toString);
    }

    @Test
    void aMemberGoesDownOnlyWhenTheClusterWasToldTo() {
        node.etcd.storage("3.6.0");
        follow();
        assertTrue(refused(down()).why().contains("EtcdDowngradeEnabled"));

        node.downgrade().validate(LOW);
        node.downgrade().enable(LOW);
        node.change(down());

        assertEquals("3.5.30-0", node.runningTags().get("etcd"));
        assertTrue(node.manifest("etcd").contains("--experimental-initial-corrupt-check=true"));
        assertTrue(node.told().contains("kjadm etcd downgrade apply 3.5.30"), node.told());
        assertTrue(configuration().contains("imageTag: 3.6.8-0"), configuration());
    }

    @Test
    void theLastOneEndsIt() {
        node.etcd.storage("3.6.0");
        node.downgrade().enable(LOW);
        othersRun("3.5.30");

        node.change(down());

        assertTrue(configuration().contains("imageTag: 3.5.30-0"), configuration());
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
        assertTrue(node.told().contains("'kjadm etcd upgrade 3.6.8' on cp-2"), node.told());
    }

    private long changes(String change) {
        return node.etcd.changes().stream().filter(change::equals).count();
    }
}
