package io.kjadm.core.upgrade;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A node goes from v1.36.2 to v1.37.0, or back to what it was, and never stays in between. */
class UpgradeWorkflowTest extends UpgradeScene {

    private static final Map<String, String> UPGRADED = Map.of(
            "etcd", "3.6.14-0",
            "kube-apiserver", "v1.37.0",
            "kube-controller-manager", "v1.37.0",
            "kube-scheduler", "v1.37.0");
    private final String formerEtcd = node.manifest("etcd");

    @Test
    void everyComponentGetsTheVersionAndEtcdsLeaderIsElsewhere() {
        node.apply();

        assertEquals(UPGRADED, node.runningTags());
        assertUpgraded(node);
        assertEquals(List.of("moveLeader " + node.etcd.leader()), moves());
    }

    /** F183: the other member knows the new leader at once, and applies its first entry later. */
    @Test
    void aFollowerThatIsInTheFormerTermForAWhileIsWaitedFor() {
        node.followerLags = Duration.ofSeconds(9);

        node.apply();

        assertUpgraded(node);
    }

    @Test
    void aFollowerThatStaysInTheFormerTermStopsIt() {
        node.followerLags = Duration.ofHours(1);
        Map<String, String> before = node.manifests();

        Throwable refusal = assertThrows(PhaseFailure.class, node::apply).getCause();

        assertEquals(
                "this node's etcd cannot be upgraded now: the etcd members are in different raft terms: cp-1 in 5, cp-2 in 4, 192.0.2.10 in 5; an election is going on, wait until it is over",
                refusal.getMessage());
        assertEquals(before, node.manifests());
    }

    @Test
    void aSecondRunChangesNothing() {
        node.apply();
        Map<String, String> before = node.manifests();

        node.apply();

        assertEquals(before, node.manifests());
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"})
    void oneThatDoesNotComeUpTakesAllBackAndTheNextRunSucceeds(String component) {
        Map<String, String> before = node.manifests();
        Map<String, String> tags = node.runningTags();
        String image = "registry.k8s.io/%s:%s".formatted(component, UPGRADED.get(component));
        node.broken.add(image);

        KjadmException failure = assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, node::apply).getCause());

        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure.reason());
        assertEquals(before, node.manifests());
        assertEquals(tags, node.runningTags());
        assertFalse(node.lab.init.files.exists(Path.of(UpgradingNode.JOURNAL)));

        node.broken.clear();
        node.apply();
        assertUpgraded(node);
    }

    @Test
    void f89TheOnlyMemberOfItsClusterGoesBackToo() {
        UpgradingNode alone = new UpgradingNode(0, "3.6.8");
        Map<String, String> before = alone.manifests();
        alone.broken.add("registry.k8s.io/etcd:3.6.14-0");
        alone.clientsEnd = true;

        KjadmException failure = failureOf(alone);

        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure.reason());
        assertEquals(before.keySet(), alone.runningTags().keySet(), "something is made to wait");
        assertEquals(before, alone.manifests());
        assertTrue(alone.etcd.writable());
        alone.broken.clear();
        alone.apply();
        assertUpgraded(alone);
    }

    /** F305: the manifest would come from what the cluster's configuration says. */
    @Test
    void etcdThatWouldRemoveTheOthersWhenItStartsIsNotReplaced() {
        UpgradingNode three = new UpgradingNode();
        three.configured("    imageTag: 3.6.14-0\n", """
                    imageTag: 3.6.14-0
                    extraArgs:
                    - {name: force-new-cluster, value: "true"}
                """);
        String tag = three.tag("etcd");

        assertEquals(Optional.of(CommonReason.STARTS_ALONE), failureOf(three).reason());

        assertEquals(tag, three.tag("etcd"));
    }

    /** Moved by hand, and the cluster's configuration was not told. */
    @Test
    void etcdThatWouldNotFindItsDataIsNotReplaced() {
        node.edit("etcd", "path: /var/lib/etcd", "path: /srv/etcd");
        assertStaysForWantOfItsData(node);

        UpgradingNode withLog = new UpgradingNode();
        withLog.edit("etcd", "    - --name=", "    - --wal-dir=/srv/wal\n    - --name=");
        assertStaysForWantOfItsData(withLog);

        UpgradingNode configured = new UpgradingNode();
        configured.configured("dataDir: /var/lib/etcd", "dataDir: /srv/etcd");
        assertStaysForWantOfItsData(configured);

        UpgradingNode below = new UpgradingNode();
        below.edit("etcd", "--data-dir=/var/lib/etcd", "--data-dir=/var/lib/etcd/data");
        assertStaysForWantOfItsData(below);
    }

    private static void assertStaysForWantOfItsData(UpgradingNode one) {
        Map<String, String> before = one.manifests();

        assertEquals(Optional.of(CommonReason.DATA_ELSEWHERE), failureOf(one).reason());

        assertEquals(before, one.manifests());
        assertEquals(4, one.runningTags().size(), "something does not run");
    }

    @Test
    void dataBehindALinkAreFound() {
        node.lab.init.files.with("/srv/etcd/member/snap/db", "");
        node.lab.init.files.withLink("/srv/link", "/srv/etcd");
        node.edit("etcd", "path: /var/lib/etcd", "path: /srv/etcd");
        node.configured("dataDir: /var/lib/etcd", "dataDir: /srv/link");

        node.apply();

        assertUpgraded(node);
    }

    @Test
    void whatOthersChangeInTheConfigurationMeanwhileStays() {
        node.duringSnapshot = () -> node.configured("clusterName: kubernetes", "clusterName: ours");
        node.apply();
        assertHasLine("clusterName: ours", node.lab.stored("ClusterConfiguration"));
        assertHasLine("kubernetesVersion: v1.37.0", node.lab.stored("ClusterConfiguration"));
    }

    @Test
    void f92WhileAnotherVoterIsDownNothingIsChanged() {
        Map<String, String> before = node.manifests();
        node.etcd.stop(node.etcd.id("cp-1"));

        KjadmException failure = failureOf(node);

        assertEquals(Set.of("cp-1"), Named.members(failure.problem().facts()));
        assertEquals(before, node.manifests());
        assertEquals(List.of(), moves());
    }

    /** The snapshot of a large database takes minutes. */
    @Test
    void f92AVoterThatFallsDuringTheSnapshotKeepsThisOneFromBeingRestarted() {
        Map<String, String> before = node.manifests();
        node.duringSnapshot = () -> node.etcd.stop(node.etcd.id("cp-2"));

        KjadmException failure = failureOf(node);

        assertEquals(Set.of("cp-2"), Named.members(failure.problem().facts()));
        assertEquals(before, node.manifests());
        assertTrue(node.etcd.writable());
    }

    /** A member falls in the first run, which ends there; the next one is days later. */
    @Test
    void theSnapshotOfAnEarlierRunDoesNotCount() {
        node.duringSnapshot = () -> node.etcd.stop(node.etcd.id("cp-2"));
        failureOf(node);
        node.etcd.start(node.etcd.id("cp-2"), "cp-2");
        node.lab.waiter.pause("", "", Duration.ofDays(9));
        int[] snapshots = {0};
        node.duringSnapshot = () -> snapshots[0]++;

        node.apply();

        assertEquals(1, snapshots[0]);
    }

    /** What follows the first one takes two minutes. */
    @Test
    void aSnapshotMoreThanAMinuteOldIsTakenAgain() {
        int[] snapshots = {0};
        node.duringSnapshot = () -> snapshots[0]++;
        node.duringHandOver = () -> node.lab.waiter.pause("", "", Duration.ofMinutes(2));

        node.apply();

        assertEquals(2, snapshots[0]);
    }

    @Test
    void f93WithoutRoomForTheSnapshotNothingIsChanged() {
        Map<String, String> before = node.manifests();
        node.etcd.cutSnapshots(100);

        failureOf(node);

        assertEquals(before, node.manifests());
        assertEquals(List.of(), moves());
    }

    /** Another voter falls when etcd works already with its new version, and the API server fails. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void etcdThatTheOthersNeedIsPutBackWhenTheyCanDoWithoutIt(boolean inTime) {
        node.broken.add("registry.k8s.io/kube-apiserver:v1.37.0");
        Fall fall = new Fall(inTime ? Duration.ofMinutes(1) : Duration.ofDays(1));
        node.lab.waiter.eachTime(fall);

        KjadmException failure = failureOf(node);

        assertTrue(fall.begun.isPresent());
        assertTrue(fall.alwaysWritable, "etcd lost its quorum");
        assertEquals("v1.36.2", node.tag("kube-apiserver"));
        assertEquals(inTime ? "3.6.8-0" : "3.6.14-0", node.tag("etcd"), failure::toString);
        assertEquals(
                Optional.of(inTime ? CommonReason.ROLLED_BACK : CommonReason.PARTLY_ROLLED_BACK),
                failure.reason());
        assertEquals(inTime ? Set.of() : Set.of("cp-1"), Named.members(failure.why()));
        if (!inTime) {
            fall.returns();
            failureOf(node);
            assertEquals("3.6.8-0", node.tag("etcd"));
        }
        node.broken.clear();
        node.lab.waiter.pause("", "", Duration.ofSeconds(1));
        node.apply();
        assertUpgraded(node);
    }

    /** Of one voter, with the first API server of the next version; it returns after some time. */
    private final class Fall implements Runnable {

        private final Duration length;
        private Optional<Duration> begun = Optional.empty();
        private boolean alwaysWritable = true;
        private boolean over;

        Fall(Duration length) {
            this.length = length;
        }

        @Override
        public void run() {
            Duration now = node.lab.waiter.elapsed();
            if (begun.isEmpty() && node.tag("kube-apiserver").equals("v1.37.0")) {
                begun = Optional.of(now);
                node.etcd.stop(node.etcd.id("cp-1"));
            }
            if (!over
                    && begun.filter(since -> now.compareTo(since.plus(length)) > 0)
                            .isPresent()) {
                returns();
            }
            alwaysWritable &= node.etcd.writable();
        }

        void returns() {
            over = true;
            node.etcd.start(node.etcd.id("cp-1"), "cp-1");
        }
    }

    @Test
    void f98AnApiThatIsAwayForMinutesIsNotMissed() {
        node.startsAfter = Duration.ofSeconds(100);
        node.lab.waiter.eachTime(() -> node.outage = !node.manifest("etcd").equals(formerEtcd)
                && !node.tag("kube-scheduler").equals(UPGRADED.get("kube-scheduler")));

        node.apply();

        assertUpgraded(node);
        assertTrue(node.lab.waiter.elapsed().compareTo(Duration.ofMinutes(6)) > 0);
    }

    @ParameterizedTest
    @CsvSource({"'', true", "3.5.0, true", "3.6.0, false"})
    void f100OnceTheClusterVersionHasRisenOnlyTheWayForwardIsOffered(
            String clusterVersion, boolean back) {
        UpgradingNode last = new UpgradingNode(2, "3.5.32");
        last.etcd.version(last.etcd.id("cp-1"), "3.6.14");
        last.etcd.version(last.etcd.id("cp-2"), "3.6.14");
        last.etcd.storage(clusterVersion);
        last.broken.add("registry.k8s.io/etcd:3.6.14-0");

        KjadmException failure = failureOf(last);

        assertEquals(back ? "3.5.32-0" : "3.6.14-0", last.tag("etcd"), failure::toString);
        assertEquals(
                Optional.of(back ? CommonReason.ROLLED_BACK : CommonReason.PARTLY_ROLLED_BACK),
                failure.reason(),
                failure::toString);
        last.broken.clear();
        last.apply();
        assertUpgraded(last);
    }

    /** The cluster version rises as soon as the last member has started, which works. */
    @Test
    void f100TheMemberItselfTellsThatTheClusterVersionHasRisen() {
        UpgradingNode alone = new UpgradingNode(0, "3.5.32");
        alone.broken.add("registry.k8s.io/kube-apiserver:v1.37.0");
        alone.lab.waiter.eachTime(
                () -> alone.etcd.storage(alone.tag("etcd").equals("3.6.14-0") ? "3.6.0" : ""));

        KjadmException failure = failureOf(alone);

        assertEquals("3.6.14-0", alone.tag("etcd"), failure::toString);
        assertEquals(Optional.of(CommonReason.PARTLY_ROLLED_BACK), failure.reason());
        assertEquals("v1.36.2", alone.tag("kube-apiserver"));
        assertTrue(alone.etcd.writable());
        failure = failureOf(alone);
        assertEquals(Optional.of(CommonReason.PARTLY_ROLLED_BACK), failure.reason());
        alone.broken.clear();
        alone.apply();
        assertUpgraded(alone);
    }

    /** Its last look was just before: the last member has come up with the new version by then. */
    @Test
    void f188TheClusterVersionRisesWhileTheMemberGoesBack() {
        UpgradingNode last = new UpgradingNode(2, "3.5.32");
        last.etcd.version(last.etcd.id("cp-1"), "3.6.14");
        last.etcd.version(last.etcd.id("cp-2"), "3.6.14");
        last.etcd.storage("3.5.0");
        last.broken.add("registry.k8s.io/kube-apiserver:v1.37.0");
        boolean[] tried = {false};
        last.lab.waiter.eachTime(() -> {
            tried[0] |= last.tag("etcd").equals("3.6.14-0");
            if (tried[0] && last.tag("etcd").equals("3.5.32-0")) {
                // the former version's container ends at once from then on
                last.etcd.storage("3.6.0");
                last.broken.add("registry.k8s.io/etcd:3.5.32-0");
            }
        });

        KjadmException failure = failureOf(last);

        assertEquals("3.6.14-0", last.tag("etcd"), failure::toString);
        assertEquals(Optional.of(CommonReason.PARTLY_ROLLED_BACK), failure.reason());
        last.broken.remove("registry.k8s.io/kube-apiserver:v1.37.0");
        last.apply();
        assertUpgraded(last);
    }

    private List<String> moves() {
        // the first one made it the leader
        return node.etcd.changes().stream()
                .filter(change -> change.startsWith("moveLeader"))
                .skip(1)
                .toList();
    }

    /** Behind each change, whatever was done so far; a machine comes up with what its disk holds. */
    @Tag("power-cut")
    @ParameterizedTest
    @ValueSource(strings = {"", "kube-scheduler"})
    void thePowerMayGoBehindEveryChange(String component) {
        List<String> failures = new ArrayList<>();
        Set<Integer> rolledBack = new HashSet<>();
        int steps = 0;
        for (PowerCut.Socket socket : PowerCut.moments()) {
            UpgradingNode one = new UpgradingNode();
            if (!component.isEmpty()) {
                one.broken.add("registry.k8s.io/%s:v1.37.0".formatted(component));
            }
            cutAndGoOn(one, socket, rolledBack, failures);
            steps = socket.step();
        }
        assertEquals(List.of(), failures);
        assertTrue(steps > 20, "only %d steps".formatted(steps));
        assertEquals(component.isEmpty(), rolledBack.isEmpty(), rolledBack::toString);
    }

    private void cutAndGoOn(
            UpgradingNode one,
            PowerCut.Socket socket,
            Set<Integer> rolledBack,
            List<String> failures) {
        try {
            try {
                one.cut(socket);
            } catch (PhaseFailure e) {
                assertFalse(socket.wasCut(), e::toString);
            }
            assertEquals(4, one.manifests().size());
            one.broken.clear();
            try {
                one.apply();
            } catch (PhaseFailure e) {
                // it had given up before, and that is finished first
                rolledBack.add(socket.step());
                assertEquals("v1.36.2", one.tag("kube-apiserver"), e::toString);
                one.apply();
            }
            assertUpgraded(one);
        } catch (RuntimeException | AssertionError e) {
            failures.add("%s: %s".formatted(socket, e));
        }
    }
}
