package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.stream.Stream;

/** The {@code EtcdLearnerMode} gate: chosen at {@code init}, followed by every join (KEP-3614). */
@NeedsLab
@Tag("long")
final class LearnerModeGateIT {
    /** In which whoever wrapped the command notices and runs it again. */
    private static final Duration PAUSE = Duration.ofSeconds(15);

    @Test
    void switchedOffAddsAVoterDirectlyAndWarns() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard().withGate("EtcdLearnerMode", false));
            cluster.init(Tool.KJADM);
            var joined = cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            assertTrue(joined.everything().contains("deprecated"), joined::everything);
            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }

    /**
     * A second voter counts from the add on: until it runs nothing is written and no API server
     * serves, so the same command has to go on by what is on its node.
     */
    @ParameterizedTest(name = "learners {0}, killed at {1}")
    @MethodSource("kills")
    void theSameCommandGoesOnAfterAKillBetweenAddAndStart(boolean learners, String failpoint)
            throws InterruptedException {
        try (var trial = Trial.withNodes(2, learners)) {
            trial.begin();
            var cluster = trial.cluster();
            var killed = cluster.startJoin(
                            Tool.KJADM, trial.node(2), "KJADM_FAILPOINT=" + failpoint + "=exit137")
                    .outcome();
            assertEquals(137, killed.status(), killed::everything);
            Thread.sleep(PAUSE);

            var joined = cluster.joinControlPlane(Tool.KJADM, trial.node(2));

            System.out.printf(
                    "[gate] learners %s, killed at %s, run again after %d s: joined in %.1f s%n",
                    learners, failpoint, PAUSE.toSeconds(), joined.took().toMillis() / 1000.0);
            assertEquals(
                    !learners,
                    joined.everything().contains("is finished before everything else"),
                    joined::everything);
            trial.assertJoined(1, 2);
            var name = "gate " + (learners ? "on" : "off") + ", killed at " + failpoint;
            if (learners) {
                trial.report(name);
            } else {
                assertTrue(
                        trial.reportLosses(name).failed() > 0, "there was a quorum all the time");
            }
        }
    }

    static Stream<Arguments> kills() {
        var usual = Stream.of(Arguments.of(false, "added:before"));
        var more = Stream.of(
                Arguments.of(false, "added:after"),
                Arguments.of(true, "added:before"),
                Arguments.of(true, "added:after"));
        return "all".equals(System.getProperty("kjadm.faults"))
                ? Stream.concat(usual, more)
                : usual;
    }

    @Test
    void etcdWithoutLearnersIsRefusedBeforeAnythingIsAdded() {
        var tag = Components.etcdTag("3.3.");
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(
                    lab, Settings.standard().withEtcdTag(tag).withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);

            var refused = cluster.tryJoinControlPlane(Tool.KJADM, lab.node(2));

            assertNotEquals(0, refused.status());
            assertTrue(
                    refused.everything()
                            .contains("etcd learner mode is not supported by this etcd version"),
                    refused::everything);
            assertEquals(1, cluster.members(lab.node(1)).size());
        }
    }

    @Test
    void theOldestEtcdWithLearnersIsEnough() {
        var tag = Components.etcdTag("3.4.");
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(
                    lab, Settings.standard().withEtcdTag(tag).withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }
}
