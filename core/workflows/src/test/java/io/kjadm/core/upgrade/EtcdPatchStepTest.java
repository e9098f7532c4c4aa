package io.kjadm.core.upgrade;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdOrder.Direction;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A cluster of v1.36.2 whose etcd is the 3.6.8 of kubeadm goes to v1.37.0: every member gets 3.6.11
 * before the first gets 3.7.0.
 */
class EtcdPatchStepTest {

    private static final Path JOURNAL = Path.of(UpgradingNode.JOURNAL);

    private UpgradingNode node = new UpgradingNode(2, "3.6.8").storingNoTag();

    private void othersRun(String... versions) {
        for (int i = 0; i < 2; i++) {
            node.etcd.version(
                    node.etcd.id("cp-" + (i + 1)), versions[Math.min(i, versions.length - 1)]);
        }
    }

    private KjadmException refused() {
        return assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, node::apply).getCause());
    }

    private void assertUpgraded() {
        assertEquals("3.7.0-0", node.runningTags().get("etcd"));
        assertEquals("v1.37.0", node.runningTags().get("kube-apiserver"));
        assertEquals(
                Map.of("local", Map.of("dataDir", "/var/lib/etcd")),
                ManifestYaml.readObject(configuration()).get("etcd"));
        assertFalse(node.lab.init.files.exists(JOURNAL));
        assertTrue(node.etcd.writable());
    }

    private String configuration() {
        return node.lab.stored("ClusterConfiguration");
    }

    @Test
    void theOnlyMemberGetsBothInOneRun() {
        node = new UpgradingNode(0, "3.6.8").storingNoTag();

        node.apply();

        assertUpgraded();
        assertHasLine(
                "[upgrade] etcd 3.7.0 requires 3.6.11 first: this node's member gets it now",
                node.told());
        assertTrue(
                node.lab.init.files.files().stream()
                        .flatMap(path -> node.lab.init.files.read(path).stream())
                        .flatMap(String::lines)
                        .map(String::strip)
                        .anyMatch("image: registry.k8s.io/etcd:3.6.11-0"::equals),
                "the manifest of 3.6.11 is not among the files that were kept");
    }

    @Test
    void membersThatLackItStopTheRunBeforeAnythingOfTheNextVersionIsWritten() {
        Map<String, String> before = node.manifests();
        String stored = configuration();

        KjadmException refusal = refused();

        assertInstanceOf(ClusterException.class, refusal);
        assertEquals(
                "run 'kjadm etcd upgrade 3.6.11' on cp-2, cp-1, then run the same command again",
                refusal.next());
        assertEquals("3.6.11-0", node.runningTags().get("etcd"));
        node.manifests().forEach((component, text) -> {
            if (!component.equals("etcd")) {
                assertEquals(before.get(component), text);
            }
        });
        assertEquals(stored, configuration());
        assertFalse(node.lab.init.files.exists(JOURNAL));

        // a second run changes nothing either
        String patched = node.manifest("etcd");
        refused();
        assertEquals(patched, node.manifest("etcd"));

        othersRun("3.6.11");
        node.apply();
        assertUpgraded();
    }

    @Test
    void otherMembersAreWaitedForIfThatIsWanted() {
        node.patchWait = Duration.ofMinutes(30);
        Instant start = node.lab.waiter.now();
        node.lab.waiter.eachTime(() -> {
            if (node.lab.waiter.now().isAfter(start.plus(Duration.ofMinutes(10)))) {
                othersRun("3.6.11");
            }
        });

        node.apply();

        assertUpgraded();
    }

    private void at(Duration after, Runnable what) {
        node.lab.waiter.after(after, what);
    }

    /** Silence is no answer: a member that restarts may come back as it was. */
    @Test
    void aMemberThatRestartsWithItsPreviousVersionIsStillWaitedFor() {
        node.patchWait = Duration.ofHours(1);
        othersRun("3.6.11", "3.6.8");
        at(Duration.ofMinutes(10), () -> node.etcd.stop(node.etcd.id("cp-2")));
        at(Duration.ofMinutes(12), () -> node.etcd.start(node.etcd.id("cp-2"), "cp-2"));
        at(Duration.ofMinutes(20), () -> othersRun("3.6.11"));

        node.apply();

        assertUpgraded();
    }

    @Test
    void aQuorumThatIsLostForAMomentEndsNoWait() {
        node.patchWait = Duration.ofHours(1);
        othersRun("3.6.11", "3.6.8");
        at(
                Duration.ofMinutes(10),
                () -> List.of("cp-1", "cp-2").forEach(name -> node.etcd.stop(node.etcd.id(name))));
        at(
                Duration.ofMinutes(11),
                () -> List.of("cp-1", "cp-2")
                        .forEach(name -> node.etcd.start(node.etcd.id(name), name)));
        at(Duration.ofMinutes(20), () -> othersRun("3.6.11"));

        node.apply();

        assertUpgraded();
    }

    @Test
    void membersThatDoNotGetItInTimeStopTheRun() {
        node.patchWait = Duration.ofMinutes(30);
        othersRun("3.6.11", "3.6.8");

        KjadmException refusal = refused();

        assertEquals(Set.of("cp-2"), Named.members(refusal.toString()));
        assertEquals("v1.36.2", node.tag("kube-apiserver"));
    }

    @Test
    void aMemberThatIsNewerStays() {
        othersRun("3.6.14");
        node.apply();
        assertUpgraded();
    }

    /** A kubeadm of 1.37 gave it the minor without asking, so that it is too late for the others. */
    @Test
    void whereAnotherMemberHasTheNextMinorTheOthersAreToldOnly() {
        othersRun("3.7.0", "3.6.8");

        node.apply();

        assertUpgraded();
        assertHasLine(
                "another member has the minor of etcd 3.7.0 already, and this was not done before: etcd 3.6.8 → 3.6.11 on cp-2. Next: run 'kjadm etcd upgrade 3.6.11' on cp-2",
                String.join("\n", node.lab.out.warnings()));
    }

    @Test
    void aPatchReleaseThatDoesNotStartGoesBackAndStopsIt() {
        othersRun("3.6.11");
        Map<String, String> before = node.manifests();
        node.broken.add("registry.k8s.io/etcd:3.6.11-0");

        refused();

        assertEquals(before, node.manifests());
        assertEquals("3.6.8-0", node.runningTags().get("etcd"));
        assertFalse(node.lab.init.files.exists(JOURNAL));
    }

    @Test
    void aNextMinorThatDoesNotStartGoesBackToThePatchRelease() {
        othersRun("3.6.11");
        node.broken.add("registry.k8s.io/etcd:3.7.0-0");

        refused();

        assertEquals("3.6.11-0", node.runningTags().get("etcd"));
        assertEquals("v1.36.2", node.runningTags().get("kube-apiserver"));
        node.broken.clear();
        node.apply();
        assertUpgraded();
    }

    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChange() {
        int steps = 0;
        for (PowerCut.Socket cut : PowerCut.moments()) {
            node = new UpgradingNode(2, "3.6.8").storingNoTag();
            othersRun("3.6.11");
            if (!node.cut(cut)) {
                break;
            }
            steps = cut.step();
            node.apply();
            assertUpgraded();
        }
        assertTrue(steps + PowerCut.STRIDE > 20, "only %d changes".formatted(steps));
    }

    @Test
    void anotherChangeOfTheVersionThatDidNotEndIsNotContinued() {
        for (String to : List.of("3.6.14", "3.5.30")) {
            node.lab.init.files.with(UpgradingNode.JOURNAL, """
                    {"from": "etcd 3.6.8", "to": "etcd %s", "began": "2026-01-01T00:00:00Z",
                     "changed": [{"step": "etcd", "path": "/etc/kubernetes/manifests/etcd.yaml"}]}
                    """.formatted(to));
            Map<String, String> before = node.manifests();

            assertInstanceOf(HostException.class, refused());

            assertEquals(before, node.manifests());
        }
    }

    @Test
    void thatOfAnInterruptedEtcdUpgradeIsContinued() {
        othersRun("3.6.11");
        EtcdOrder order = EtcdOrder.to(Direction.UPGRADE, "3.6.11", Optional.empty());
        for (int cut = 1; !node.lab.init.files.exists(JOURNAL); cut++) {
            node.cutChange(new PowerCut.Socket(cut), order);
        }
        node.apply();
        assertUpgraded();
    }

    /** Otherwise etcd would stay at 3.6 for ever, as neither program changes a tag. */
    @Test
    void aTagThatEtcdUpgradeHasSetIsLeftOutWhereALaterEtcdComes() {
        node = new UpgradingNode(2, "3.6.8").storing("3.6.8-0");
        othersRun("3.6.14");
        node.etcd.moveLeader(node.member, node.etcd.id("cp-1"));
        node.change(EtcdOrder.to(Direction.UPGRADE, "3.6.14", Optional.empty()));
        assertHasLine("imageTag: 3.6.14-0", configuration());

        node.apply();

        assertUpgraded();
        assertHasLine(
                "etcd.local.imageTag 3.6.14-0, which 'kjadm etcd upgrade' set, is left out: a later etcd goes with Kubernetes v1.37.0",
                String.join("\n", node.lab.out.warnings()));
    }

    @Test
    void aTagThatTheOperatorHasChangedSinceIsTheOperators() {
        node = new UpgradingNode(2, "3.6.8").storing("3.6.8-0");
        othersRun("3.6.11");
        node.etcd.moveLeader(node.member, node.etcd.id("cp-1"));
        node.change(EtcdOrder.to(Direction.UPGRADE, "3.6.11", Optional.empty()));
        node.lab.api.patch(ConfigMap.class, "kube-system", "kubeadm-config", map -> {
            map.getData()
                    .computeIfPresent(
                            "ClusterConfiguration",
                            (key, text) ->
                                    text.replace("imageTag: 3.6.11-0", "imageTag: 3.6.14-0"));
            return map;
        });

        node.apply();

        assertEquals("3.6.14-0", node.runningTags().get("etcd"));
        assertHasLine("imageTag: 3.6.14-0", configuration());
    }

    @Test
    void aTagThatTheOperatorHasSetIsKept() {
        node = new UpgradingNode(2, "3.6.8").storing("3.6.10-0");
        node.apply();
        assertEquals("3.6.10-0", node.runningTags().get("etcd"));
        assertHasLine("imageTag: 3.6.10-0", configuration());

        node = new UpgradingNode(2, "3.6.8").storing("3.7.0-0");
        KjadmException refusal = refused();
        assertEquals(
                "before etcd 3.7.0 these members need a newer patch release: cp-1 3.6.8, cp-2 3.6.8, 192.0.2.10 3.6.8: etcd asks for 3.6.11 or newer before 3.7",
                refusal.why());
        assertEquals("3.6.8-0", node.runningTags().get("etcd"));
    }
}
