package io.kjadm.core.etcd.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ProblemReason;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.ReplicationProgress;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Verdicts over facts; the arithmetic of removals is tested where it lives. */
class MemberCommandRulesTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final MembershipLeaseStatus FREE = new MembershipLeaseStatus.Free();

    private final MemberCommandRules rules = new MemberCommandRules();
    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3);

    @Test
    void aVoterMayGoWhileTheOthersAreAQuorum() {
        assertEquals(new Verdict.Allowed("the other voters keep a quorum"), remove("cp-2", FREE));
        etcd.stop(etcd.id("cp-3"));
        assertInstanceOf(Verdict.Allowed.class, remove("cp-3", FREE));
        Problem refused =
                assertInstanceOf(Verdict.Refused.class, remove("cp-2", FREE)).problem();
        assertEquals(Optional.of(CommonReason.NEEDED_FOR_QUORUM), refused.reason());
    }

    @Test
    void theLastVoterNeverGoes() {
        SimulatedCluster one = SimulatedCluster.ofVoters(1);
        EtcdHealth health = EtcdHealth.ask(one);
        assertInstanceOf(
                Verdict.Refused.class, rules.remove(health, health.members().getFirst(), FREE));
    }

    @Test
    void whatIsNotListedNeedsNoRemoval() {
        EtcdHealth health = EtcdHealth.ask(etcd);
        assertInstanceOf(Verdict.Needless.class, rules.remove(health, started(), FREE));
    }

    @Test
    void oneChangeAtATime() {
        MembershipLeaseStatus busy =
                new MembershipLeaseStatus.Held("cp-9/run", Optional.of(NOW), NOW, true);
        Problem refused =
                assertInstanceOf(Verdict.Refused.class, remove("cp-2", busy)).problem();
        assertEquals("etcd's members are being changed by cp-9/run", refused.what());
        assertEquals(
                "it holds the Lease kube-system/kjadm-etcd-membership since " + NOW, refused.why());
        MembershipLeaseStatus dead =
                new MembershipLeaseStatus.Held("cp-9/run", Optional.of(NOW), NOW, false);
        assertInstanceOf(Verdict.Allowed.class, remove("cp-2", dead));
        assertInstanceOf(
                Verdict.Allowed.class, remove("cp-2", new MembershipLeaseStatus.Unknown("down")));
    }

    @Test
    void noVoterGoesWhileALearnerHasToStartWithTheList() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertInstanceOf(Verdict.Refused.class, remove("cp-2", FREE));
        EtcdHealth health = EtcdHealth.ask(etcd);
        assertEquals(
                new Verdict.Allowed("a learner has no vote"),
                rules.remove(health, member(health, learner), FREE));
        etcd.start(learner, "cp-4");
        assertInstanceOf(Verdict.Allowed.class, remove("cp-2", FREE));
    }

    @Test
    void aVoterNeedsNoPromotion() {
        assertInstanceOf(Verdict.Needless.class, promote(etcd.id("cp-2"), FREE));
    }

    @Test
    void aLearnerIsPromotedOnlyWhileItRuns() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertEquals(Optional.of(CommonReason.NOT_STARTED), reason(promote(learner, FREE)));
        etcd.start(learner, "cp-4");
        assertEquals(new Verdict.Allowed("4 of 4 voters will be healthy"), promote(learner, FREE));
        etcd.stop(learner);
        assertEquals(Optional.of(CommonReason.NO_ANSWER), reason(promote(learner, FREE)));
    }

    @Test
    void aLearnerIsNotPromotedIntoAClusterThatIsNotWell() {
        SimulatedCluster four = SimulatedCluster.ofVoters(4);
        MemberId learner = four.plant(SimulatedCluster.peerUrl("cp-5"), true);
        four.start(learner, "cp-5");
        four.stop(four.id("cp-4"));
        EtcdHealth degraded = EtcdHealth.ask(four);
        assertInstanceOf(
                Verdict.Allowed.class, rules.promote(degraded, member(degraded, learner), FREE));
        four.alarm("CORRUPT");
        EtcdHealth corrupt = EtcdHealth.ask(four);
        Problem refused = assertInstanceOf(
                        Verdict.Refused.class,
                        rules.promote(corrupt, member(corrupt, learner), FREE))
                .problem();
        assertEquals(
                "etcd raises an alarm: memberID:40961 alarm:CORRUPT, memberID:40962 alarm:CORRUPT, memberID:40963 alarm:CORRUPT, memberID:40964 alarm:CORRUPT, memberID:40965 alarm:CORRUPT",
                refused.why());
    }

    @Test
    void aLearnerIsNotPromotedWhereTheVotersAreNotHeard() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        etcd.start(learner, "cp-4");
        EtcdHealth well = EtcdHealth.ask(etcd);
        EtcdHealth deaf = new EtcdHealth(
                well.members(), Map.of(learner, well.statuses().get(learner)), Map.of());
        Problem refused = assertInstanceOf(
                        Verdict.Refused.class, rules.promote(deaf, member(well, learner), FREE))
                .problem();
        assertTrue(
                refused.why().startsWith("0 of 3 voters are healthy, 2 are needed: a001 cp-1"),
                refused.why());
    }

    @Test
    void aLearnerIsNotPromotedWhereTheVotersFollowDifferentLeaders() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        etcd.start(learner, "cp-4");
        EtcdHealth well = EtcdHealth.ask(etcd);
        var statuses = new HashMap<>(well.statuses());
        well.voters()
                .forEach(voter ->
                        statuses.computeIfPresent(voter.id(), (id, status) -> leads(status)));
        EtcdHealth split = new EtcdHealth(well.members(), statuses, Map.of());
        Problem refused = assertInstanceOf(
                        Verdict.Refused.class, rules.promote(split, member(well, learner), FREE))
                .problem();
        assertEquals(Optional.of(CommonReason.NO_LEADER), refused.reason());
    }

    @Test
    void itsJoinPromotesALearner() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        etcd.start(learner, "cp-4");
        assertInstanceOf(
                Verdict.Refused.class,
                promote(
                        learner,
                        new MembershipLeaseStatus.Held("cp-4/run", Optional.of(NOW), NOW, true)));
    }

    @Test
    void aLearnerWithoutAnySignOfLifeIsStale() {
        assertEquals(
                new Verdict.Allowed("it has never started, and nothing listens at its peer URL"),
                cleanUp(unstarted(), false, Optional.empty(), false));
        assertEquals(
                new Verdict.Allowed("it does not answer"),
                cleanUp(started(), false, Optional.empty(), false));
        assertInstanceOf(
                Verdict.Allowed.class,
                cleanUp(unstarted(), false, owner(Duration.ofMinutes(1), false), false));
    }

    @Test
    void aVoterIsNeverCleanedUp() {
        Member voter = etcd.members().getFirst();
        assertInstanceOf(Verdict.Refused.class, cleanUp(voter, false, Optional.empty(), true));
    }

    @Test
    void aLearnerThatFollowsStaysWhateverTheOperatorInsistsOn() {
        var level = facts(
                started(),
                Optional.of(new ReplicationProgress(100, 100)),
                Optional.of(new ReplicationProgress(100, 100)),
                true,
                owner(Duration.ofHours(1), false));
        assertInstanceOf(Verdict.Refused.class, rules.cleanUp(level, true));
        var nearing = facts(
                started(),
                Optional.of(new ReplicationProgress(100, 9000)),
                Optional.of(new ReplicationProgress(400, 9500)),
                true,
                Optional.empty());
        Problem refused = assertInstanceOf(Verdict.Refused.class, rules.cleanUp(nearing, true))
                .problem();
        assertEquals(Optional.of(CommonReason.FOLLOWS), refused.reason());
    }

    @Test
    void aLearnerThatMayBeJoiningGoesOnlyIfTheOperatorInsistsAndItIsUnstartedOrOld() {
        assertInstanceOf(
                Verdict.Refused.class, cleanUp(unstarted(), true, Optional.empty(), false));
        assertInstanceOf(Verdict.Allowed.class, cleanUp(unstarted(), true, Optional.empty(), true));
        assertInstanceOf(
                Verdict.Refused.class,
                cleanUp(unstarted(), false, owner(Duration.ofMinutes(1), true), false));
        assertInstanceOf(
                Verdict.Allowed.class,
                cleanUp(unstarted(), false, owner(Duration.ofMinutes(1), true), true));
        assertInstanceOf(
                Verdict.Refused.class,
                cleanUp(started(), true, owner(Duration.ofMinutes(9), true), true));
        assertInstanceOf(
                Verdict.Allowed.class,
                cleanUp(started(), true, owner(Duration.ofMinutes(11), true), true));
        assertInstanceOf(
                Verdict.Refused.class,
                cleanUp(started(), true, owner(Duration.ofMinutes(11), true), false));
    }

    @Test
    void aJoinIsOldWhenItTakesLongerThanTenMinutes() {
        assertInstanceOf(
                Verdict.Refused.class,
                cleanUp(started(), false, owner(Duration.ofMinutes(10), true), true));
        assertInstanceOf(
                Verdict.Allowed.class,
                cleanUp(
                        started(),
                        false,
                        owner(Duration.ofMinutes(10).plusSeconds(1), true),
                        true));
    }

    @Test
    void whoInsistsIsToldWhatSpokeAgainstItAndWhatForIt() {
        assertEquals(
                new Verdict.Allowed("it is being joined by cp-4/run, but it has never started"),
                cleanUp(unstarted(), false, owner(Duration.ofMinutes(1), true), true));
        assertEquals(
                new Verdict.Allowed("it is being joined by cp-4/run, for more than 10 min"),
                cleanUp(started(), false, owner(Duration.ofMinutes(11), true), true));
    }

    @Test
    void theFlagIsNamedOnlyWhereItHelps() {
        Problem helps = assertInstanceOf(
                        Verdict.Refused.class, cleanUp(unstarted(), true, Optional.empty(), false))
                .problem();
        assertTrue(helps.next().endsWith("add --yes"), helps.next());
        Problem useless = assertInstanceOf(
                        Verdict.Refused.class, cleanUp(started(), true, Optional.empty(), false))
                .problem();
        assertTrue(useless.next().endsWith("run 'kjadm etcd member remove f1'"), useless.next());
    }

    @Test
    void aLearnerThatAnswersButStandsStillIsNoGhost() {
        var stuck = facts(
                started(),
                Optional.of(new ReplicationProgress(100, 9000)),
                Optional.of(new ReplicationProgress(100, 9000)),
                true,
                Optional.empty());
        Problem refused = assertInstanceOf(Verdict.Refused.class, rules.cleanUp(stuck, true))
                .problem();
        assertTrue(
                refused.why().startsWith("its etcd responds but makes no progress: "),
                refused.why());
        assertTrue(refused.next().endsWith("run 'kjadm etcd member remove f1'"), refused.next());
        assertInstanceOf(
                Verdict.Allowed.class,
                rules.cleanUp(
                        facts(
                                started(),
                                Optional.of(new ReplicationProgress(100, 9000)),
                                Optional.of(new ReplicationProgress(100, 9000)),
                                true,
                                owner(Duration.ofMinutes(20), false)),
                        true));
    }

    @Test
    void aMemberIsMeantByItsIdOrByANameThatOnlyOneHas() {
        List<Member> members = etcd.members();
        assertEquals("cp-2", MemberCommandRules.member(members, "cp-2").name());
        String id = members.getFirst().id().toString();
        for (String form : List.of(id, "0x" + id.toUpperCase(Locale.ROOT), "0000" + id)) {
            assertEquals("cp-1", MemberCommandRules.member(members, form).name());
        }
        Member twin = new Member(new MemberId(7), "cp-2", List.of(), List.of(), false);
        var twice = Stream.concat(members.stream(), Stream.of(twin)).toList();
        refusedChoice(twice, "cp-2");
        refusedChoice(members, "cp-9");
        var nameless = Stream.concat(members.stream(), Stream.of(unstarted())).toList();
        refusedChoice(nameless, "");
    }

    private static Optional<ProblemReason> reason(Verdict verdict) {
        return assertInstanceOf(Verdict.Refused.class, verdict).problem().reason();
    }

    private static void refusedChoice(List<Member> members, String word) {
        UsageException refused =
                assertThrows(UsageException.class, () -> MemberCommandRules.member(members, word));
        assertEquals(Optional.of(CommonReason.UNKNOWN_MEMBER), refused.reason());
    }

    private Verdict remove(String name, MembershipLeaseStatus lock) {
        EtcdHealth health = EtcdHealth.ask(etcd);
        return rules.remove(health, MemberCommandRules.member(health.members(), name), lock);
    }

    private Verdict promote(MemberId id, MembershipLeaseStatus lock) {
        EtcdHealth health = EtcdHealth.ask(etcd);
        return rules.promote(health, member(health, id), lock);
    }

    private Verdict cleanUp(
            Member learner, boolean peerOpen, Optional<LearnerOwner> owner, boolean insist) {
        return rules.cleanUp(
                facts(learner, Optional.empty(), Optional.empty(), peerOpen, owner), insist);
    }

    private static LearnerFacts facts(
            Member learner,
            Optional<ReplicationProgress> before,
            Optional<ReplicationProgress> after,
            boolean peerOpen,
            Optional<LearnerOwner> owner) {
        return new LearnerFacts(learner, before, after, peerOpen, owner, NOW);
    }

    private static Optional<LearnerOwner> owner(Duration age, boolean alive) {
        return Optional.of(new LearnerOwner("cp-4/run", Optional.of(NOW.minus(age)), alive));
    }

    /** As one that takes itself for the leader. */
    private static MemberStatus leads(MemberStatus status) {
        return new MemberStatus(
                status.memberId(),
                status.clusterId(),
                status.memberId(),
                status.versions(),
                status.dbSizeBytes(),
                status.raftTerm(),
                status.raftIndex(),
                status.appliedIndex(),
                false,
                List.of());
    }

    private static Member unstarted() {
        return new Member(
                new MemberId(0xf1), "", List.of(URI.create("https://cp-4:2380")), List.of(), true);
    }

    private static Member started() {
        return new Member(
                new MemberId(0xf1),
                "cp-4",
                List.of(URI.create("https://cp-4:2380")),
                List.of(URI.create("https://cp-4:2379")),
                true);
    }

    private static Member member(EtcdHealth health, MemberId id) {
        return health.members().stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
    }
}
