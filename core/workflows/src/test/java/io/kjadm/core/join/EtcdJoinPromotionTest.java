package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A learner whose promotion waits: for the peer ports of the others, or for a voter that is down. */
class EtcdJoinPromotionTest extends EtcdJoinScene {

    private void waitsWhileThePeerPortSays(PeerContact contact) {
        JoinRun run = prepared();
        PeerContact good = lab.probes.contact;
        lab.probes.contact = contact;
        lab.waiter.after(Duration.ofMinutes(4), () -> {
            assertEquals(List.of("addLearner"), verbs());
            lab.probes.contact = good;
        });
        lab.phases(run, "etcd-join");
        assertVoter();
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofMinutes(4)) >= 0,
                lab.waiter.elapsed()::toString);
    }

    @Test
    void aLearnerIsNotPromotedBeforeThisNodeReachesThePeerPortsOfTheOthers() {
        waitsWhileThePeerPortSays(new PeerContact.Unreachable("cp-1:2380: connect timed out"));
    }

    @Test
    void norWhereTheyRefuseItsCertificate() {
        waitsWhileThePeerPortSays(new PeerContact.Refused("bad certificate"));
    }

    @Test
    void aLearnerThatIsNeverReachedIsTakenBackAndThePortIsNamed() {
        JoinRun run = prepared();
        lab.probes.contact = new PeerContact.Untrusted("no path", "CA other", "CA ours");
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        String told = failure.getCause().getMessage();
        assertEquals(
                Optional.of(FailReason.NOT_PROMOTED),
                assertInstanceOf(ClusterException.class, failure.getCause()).reason());
        assertEquals(
                "etcd member a002 is ready but was not promoted: 30 min after it was added not enough voters are healthy (1 of 2 voters would be healthy and 2 must be): this node does not reach port 2380 of a001 cp-1 (voter, https://cp-1:2380): it presents CA other, this node trusts CA ours (no path) (etcd member a002, which this node had added, was removed again; its data was moved to /var/lib/etcd.failed-20261120-103000); bring the voter back, or remove it if it is gone for good (kjadm etcd member remove); then run the same command again",
                told);
        assertTakenBack();
    }

    /** Three voters, of which the third stops as soon as the new member is there. */
    private void aVoterStopsAfterTheAdd() {
        for (String name : List.of("cp-3", "cp-4")) {
            lab.etcd.start(lab.etcd.plant(SimulatedCluster.peerUrl(name), false), name);
        }
        lab.waiter.eachTime(() -> {
            if (lab.own().isPresent()
                    && lab.etcd.members().stream()
                            .anyMatch(member -> member.name().equals("cp-3"))) {
                lab.etcd.stop(lab.etcd.id("cp-3"));
            }
        });
    }

    @Test
    void aVoterThatStopsBeforeThePromotionIsWaitedForUntilTheLimit() {
        aVoterStopsAfterTheAdd();
        ClusterException refused = refused();
        assertEquals(Set.of("cp-3"), Named.members(refused.why()));
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofMinutes(30)) >= 0,
                lab.waiter.elapsed()::toString);
        assertTakenBack();
    }

    @Test
    void whoeverReplacesAnUnhealthyVoterIsGivenTheTurnMeanwhile() {
        aVoterStopsAfterTheAdd();
        List<String> holders = new ArrayList<>();
        lab.waiter.after(
                Duration.ofMinutes(5),
                () -> lab.api.objects().stream()
                        .filter(Lease.class::isInstance)
                        .map(Lease.class::cast)
                        .forEach(lease -> holders.add(LockRecord.of(lease)
                                .map(record -> record.holder().node())
                                .orElse("none"))));
        lab.waiter.after(Duration.ofMinutes(6), () -> lab.etcd.removeByOther(lab.etcd.id("cp-3")));
        JoinRun run = prepared();
        lab.phases(run, "etcd-join");
        assertEquals(List.of("none"), holders);
        assertVoter();
    }

    @Test
    void allowDegradedPromotesBesideASilentVoterAndTellsWhatIsLeft() {
        aVoterStopsAfterTheAdd();
        JoinRun run = prepared();
        JoinOptions degraded = new JoinOptions(
                List.of(),
                new RejoinOptions(false, false, false, true, false, Optional.empty()),
                JoinLimits.DEFAULTS);
        lab.phases(
                new JoinRun(
                        run.config(),
                        degraded,
                        run.startedAt(),
                        run.discovered(),
                        run.unfinished(),
                        run.resumed()),
                "etcd-join");
        assertVoter();
    }
}
