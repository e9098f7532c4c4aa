package io.kjadm.core.join;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.PreflightException;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The phase that looks at etcd before a join touches it. */
class CheckEtcdTest {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final JoinOptions DEGRADED = new JoinOptions(
            List.of(),
            new RejoinOptions(false, false, false, true, false, Optional.empty()),
            JoinLimits.DEFAULTS);

    private JoinLab lab = new JoinLab();

    private JoinRun prepared(JoinOptions options) {
        JoinRun start = lab.start();
        return lab.phases(
                JoinRun.start(
                        start.config(),
                        options,
                        start.startedAt(),
                        UnfinishedJoin.untracked(lab.files)),
                "control-plane-prepare");
    }

    private void check(JoinOptions options) {
        lab.phases(prepared(options), "check-etcd");
    }

    private void passes() {
        check(new JoinOptions(List.of()));
    }

    /** Refused within the limit, and with nothing changed on the machine or in the cluster. */
    private void refused(JoinOptions options, String check, String... words) {
        refused(options, LIMIT, check, words);
    }

    private Duration refused(JoinOptions options, Duration limit, String check, String... words) {
        JoinRun run = prepared(options);
        Map<Path, String> before = lab.contents();
        Duration start = lab.waiter.elapsed();
        PhaseFailure failure =
                assertThrows(PhaseFailure.class, () -> lab.phases(run, "check-etcd"));
        assertInstanceOf(PreflightException.class, failure.getCause());
        Duration took = lab.waiter.elapsed().minus(start);
        assertTrue(took.compareTo(limit) < 0, took::toString);
        assertTold("ERROR " + check, words);
        assertEquals(before, lab.contents());
        assertEquals(List.of(), lab.etcd.changes());
        return took;
    }

    private void refused(String check, String... words) {
        refused(new JoinOptions(List.of()), check, words);
    }

    private void assertTold(String check, String... words) {
        assertTrue(
                lab.out.findings().stream()
                        .filter(line -> line.startsWith("\t[%s]: ".formatted(check)))
                        .anyMatch(line -> List.of(words).stream().allMatch(line::contains)),
                lab.out.findings()::toString);
    }

    private static MemberProbe with(MemberProbe look, long term, long applied) {
        MemberStatus seen = look.status();
        return new MemberProbe(
                new MemberStatus(
                        seen.memberId(),
                        seen.clusterId(),
                        seen.leaderId(),
                        seen.versions(),
                        seen.dbSizeBytes(),
                        term,
                        seen.raftIndex(),
                        applied,
                        seen.learner(),
                        seen.errors()),
                look.quotaBytes(),
                look.agreed(),
                look.local());
    }

    @Test
    void aGoodClusterPassesAtOnceAndTheQuorumIsShown() {
        lab.etcd = SimulatedCluster.ofVoters(3, "3.6.13");
        // the name is this node's
        lab.etcd.removeByOther(lab.etcd.id("cp-2"));
        JoinRun run = prepared(new JoinOptions(List.of()));
        Duration start = lab.waiter.elapsed();
        lab.phases(run, "check-etcd");
        assertEquals(start, lab.waiter.elapsed());
        assertHasLine(
                "[check-etcd] etcd now: 2 voters, 2 must agree, 0 may fail; with cp-2: 3 voters, 2 must agree, 1 may fail",
                lab.out.text());
    }

    @Test
    void aSilentVoterIsRefusedAndNamed() {
        lab.etcd = SimulatedCluster.ofVoters(3, "3.6.8");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        refused("EtcdVoters", "cp-3", "Connection refused", "3.6.11");
        assertHasLine(
                "[preflight] These protect the cluster and cannot be ignored:"
                        + " EtcdIdentity, EtcdVoters",
                String.join("\n", lab.out.findings()));
    }

    @Test
    void aRefusalDoesNotWaitUntilAnImageIsFetched() {
        lab.etcd = SimulatedCluster.ofVoters(3, "3.6.8");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        refused("EtcdVoters", "cp-3");
        assertEquals(List.of(), lab.runtime.pulls);
    }

    @Test
    void whatProtectsTheClusterIsNotIgnoredEvenByAll() {
        lab.etcd = SimulatedCluster.ofVoters(5, "3.6.13");
        lab.etcd.removeByOther(lab.etcd.id("cp-2"));
        lab.etcd.stop(lab.etcd.id("cp-3"));
        refused(new JoinOptions(List.of("all")), "EtcdVoters", "cp-3", "--allow-degraded");
    }

    @Test
    void aSilentVoterOfManyIsAcceptedIfTheOperatorAndEtcdDo() {
        lab.etcd = SimulatedCluster.ofVoters(6, "3.6.13");
        lab.etcd.removeByOther(lab.etcd.id("cp-2"));
        lab.etcd.stop(lab.etcd.id("cp-3"));
        check(DEGRADED);
        assertTold("WARNING EtcdVoters", "cp-3", "--allow-degraded");
    }

    @Test
    void aLostQuorumIsRefused() {
        lab.etcd = SimulatedCluster.ofVoters(3, "3.6.13");
        lab.probes.remembered = Optional.of(lab.etcd.members());
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.etcd.stop(lab.etcd.id("cp-3"));
        refused(DEGRADED, "EtcdVoters", "no quorum", "cp-1", "cp-3");
    }

    @Test
    void aVoterThatTakesItsPeersCallsIsGivenTimeToServeClients() {
        lab.etcd = SimulatedCluster.ofVoters(4, "3.6.13");
        lab.etcd.removeByOther(lab.etcd.id("cp-2"));
        MemberId late = lab.etcd.id("cp-3");
        lab.etcd.stop(late);
        lab.probes.contactOfSilent = lab.probes.contact;
        JoinRun run = prepared(new JoinOptions(List.of()));
        lab.waiter.after(
                Duration.ofSeconds(20).plus(lab.waiter.elapsed()),
                () -> lab.etcd.start(late, "cp-3"));
        lab.phases(run, "check-etcd");
    }

    @Test
    void aVoterThatNeverServesClientsIsRefusedAfterAMinute() {
        lab.etcd = SimulatedCluster.ofVoters(3, "3.6.13");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.probes.contactOfSilent = lab.probes.contact;
        Duration took =
                refused(new JoinOptions(List.of()), Duration.ofSeconds(75), "EtcdVoters", "cp-3");
        assertTrue(took.toSeconds() >= 60, took::toString);
    }

    @Test
    void aFormerPodOfThisNodeIsNotAsked() {
        lab.etcd = one("3.6.13");
        var other = lab.api.get(Pod.class, "kube-system", "etcd-cp-1").orElseThrow();
        lab.api.delete(Pod.class, "kube-system", "etcd-cp-1");
        lab.api.with(new PodBuilder(other)
                .editMetadata()
                .withName("etcd-cp-2")
                .endMetadata()
                .build());
        JoinRun run = prepared(new JoinOptions(List.of()));
        Duration begun = lab.waiter.elapsed();
        // the kubelet makes the mirror of a restarted static pod anew
        lab.waiter.after(begun.plusSeconds(3), () -> lab.api.with(other));
        lab.phases(run, "check-etcd");
        assertTrue(lab.waiter.elapsed().minus(begun).toSeconds() >= 3);
    }

    @Test
    void anElectionIsWaitedFor() {
        lab.etcd = one("3.6.13");
        MemberId only = lab.etcd.members().getFirst().id();
        lab.probes.remembered = Optional.of(lab.etcd.members());
        lab.probes.contactOfSilent = lab.probes.contact;
        lab.etcd.stop(only);
        JoinRun run = prepared(new JoinOptions(List.of()));
        lab.waiter.after(
                Duration.ofSeconds(2).plus(lab.waiter.elapsed()),
                () -> lab.etcd.start(only, "cp-1"));
        lab.phases(run, "check-etcd");
    }

    @Test
    void noAnswerAtAllIsRefusedWithTheReason() {
        JoinRun run = prepared(new JoinOptions(List.of()));
        lab.etcd.failLists(100);
        PhaseFailure failure =
                assertThrows(PhaseFailure.class, () -> lab.phases(run, "check-etcd"));
        assertInstanceOf(ClusterException.class, failure.getCause());
    }

    @Test
    void anEtcdOfAnotherCaIsToldWithBothFingerprints() {
        JoinRun run = prepared(new JoinOptions(List.of()));
        lab.probes.unanswered = Optional.of(new EtcdCallException(
                ErrorClass.FATAL, RpcCode.UNAVAILABLE, "no chain", "member list", null));
        lab.probes.contact = new PeerContact.Untrusted(
                "no chain", "CA etcd-ca, SHA-256 11", "CA etcd-ca, SHA-256 22");
        PhaseFailure failure =
                assertThrows(PhaseFailure.class, () -> lab.phases(run, "check-etcd"));
        ClusterException refused = assertInstanceOf(ClusterException.class, failure.getCause());
        assertEquals(
                "it presents CA etcd-ca, SHA-256 11,"
                        + " this node trusts CA etcd-ca, SHA-256 22 (no chain)",
                refused.why());
    }

    @Test
    void anEtcdThatWantsUsersIsRefusedWithItsOwnWords() {
        lab.probes.view = look -> {
            throw new EtcdCallException(
                    ErrorClass.FATAL,
                    RpcCode.PERMISSION_DENIED,
                    "etcdserver: permission denied",
                    "status",
                    null);
        };
        refused("EtcdVoters", "etcdserver: permission denied");
    }

    @Test
    void etcdWithoutLearnersIsRefusedInTheWordsOfTheKep() {
        lab.etcd = one("3.3.25");
        refused(
                "EtcdLearners",
                "etcd learner mode is not supported by this etcd version",
                "3.3.25");
    }

    @Test
    void aVersionThatIsNoNeighbourIsRefusedUnlessIgnored() {
        lab.etcd = one("3.4.30");
        refused("EtcdVersion", "3.6.11");
        lab = new JoinLab();
        lab.etcd = one("3.4.30");
        check(new JoinOptions(List.of("etcdversion")));
        assertTold("WARNING EtcdVersion", "3.6.11");
    }

    @Test
    void theVersionIsThatOfTheImagesTag() {
        lab = new JoinLab("etcd: {local: {imageTag: 3.4.23-0}}\n");
        lab.etcd = one("3.4.23");
        passes();
        assertTold("WARNING EtcdVersion", "3.4.29");
    }

    @Test
    void aLaggingTermIsAnElectionThatDoesNotEnd() {
        lab.etcd = SimulatedCluster.ofVoters(3, "3.6.13");
        lab.probes.view = look ->
                with(look, look.status().memberId().value(), look.status().appliedIndex());
        refused("EtcdLeader", "different raft terms");
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofSeconds(4)) >= 0);
    }

    @Test
    void theClockOfAMemberIsCompared() {
        lab.etcd = one("3.6.13");
        lab.probes.contact = new PeerContact.Answered(
                Duration.ofMillis(1), Optional.of(Duration.ofHours(2)), "");
        refused("EtcdClock", "7200 s ahead");
    }

    @Test
    void aFullDiskIsRefused() {
        lab.etcd = one("3.6.13");
        lab.probes.freeBytes = 1L << 30;
        refused("EtcdDisk", "/var/lib/etcd", "1.0 GiB free");
    }

    @Test
    void dataThatCannotBeReadIsRefused() {
        lab.etcd = one("3.6.13");
        lab.files.with("/var/lib/etcd/member/wal/0.wal", "w");
        refused("EtcdDataDir", "0.wal");
    }

    @Test
    void aPeerCertificateForAnotherAddressIsRefused() {
        lab.etcd = one("3.6.13");
        JoinRun run = prepared(new JoinOptions(List.of()));
        for (String kind : List.of("crt", "key")) {
            lab.files.with(
                    "/etc/kubernetes/pki/etcd/peer." + kind,
                    lab.first.files.text("/etc/kubernetes/pki/etcd/peer." + kind));
        }
        assertThrows(PhaseFailure.class, () -> lab.phases(run, "check-etcd"));
        assertTold("ERROR EtcdPeerCertificate", "peer.crt", "not valid for " + JoinLab.ADDRESS);
    }

    @Test
    void anImageThatIsGoneIsFetchedAndOtherwiseRefused() {
        lab.etcd = one("3.6.13");
        passes();
        assertEquals("registry.k8s.io/etcd:3.6.11-0", lab.runtime.pulls.getLast());
        lab = new JoinLab();
        lab.etcd = one("3.6.13");
        lab.runtime.refusals.put("registry.k8s.io/etcd:3.6.11-0", 1);
        refused("EtcdImage", "etcd:3.6.11-0", "not now");
    }

    @Test
    void aRuntimeThatDoesNotAnswerIsOnlyAWarning() {
        lab.etcd = one("3.6.13");
        lab.runtime.down = Optional.of("connection refused");
        passes();
        assertTold("WARNING EtcdImage", "connection refused");
    }

    @Test
    void anExternalEtcdIsNotLookedAt() {
        lab = new JoinLab("etcd: {external: {endpoints: [\"http://10.0.0.1:2379\"]}}\n");
        lab.etcd.alarm("CORRUPT");
        passes();
    }

    @Test
    void theWholeJoinStopsBeforeTheMachineIsChangedFurther() {
        lab.etcd = one("3.6.13");
        lab.etcd.alarm("NOSPACE");
        PhaseFailure failure = assertThrows(
                PhaseFailure.class,
                () -> lab.workflow()
                        .run(lab.start(), Selection.allBut(List.of("preflight")), lab.out));
        assertEquals("check-etcd", failure.phase());
        assertTold("ERROR EtcdAlarms", "NOSPACE", "disarm");
        assertEquals(List.of(), lab.runner.commands());
    }

    private static SimulatedCluster one(String version) {
        return SimulatedCluster.ofVoters(1, version);
    }
}
