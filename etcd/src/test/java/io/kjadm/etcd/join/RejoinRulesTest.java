package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The table of what a node without a journal does by what is listed and what it has. */
class RejoinRulesTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final MemberId OURS = new MemberId(0x77);
    private static final URI URL = SimulatedCluster.peerUrl("cp-4");
    private static final NewMember WANTED = new NewMember("cp-4", URL);
    private static final RejoinOptions TAKEOVER =
            new RejoinOptions(true, false, false, false, false, Optional.empty());
    private static final RejoinOptions REPLACE =
            new RejoinOptions(false, true, false, false, false, Optional.empty());

    private final List<Member> members = new ArrayList<>();
    private final Map<MemberId, MemberStatus> statuses = new HashMap<>();
    private LocalDataDir localDataDir = LocalDataDir.NONE;
    private RejoinOptions options = RejoinOptions.NONE;

    private static Member member(MemberId id, String name, boolean learner, URI... urls) {
        return new Member(
                id,
                name,
                List.of(urls),
                name.isEmpty() ? List.of() : List.of(URI.create("https://" + name + ":2379")),
                learner);
    }

    private void answers(MemberId id) {
        statuses.put(
                id,
                new MemberStatus(
                        id,
                        "c1",
                        new MemberId(1),
                        MemberStatus.Versions.of(EtcdVersion.parse("3.5.30")),
                        1,
                        2,
                        100,
                        100,
                        false,
                        List.of()));
    }

    @BeforeEach
    void threeVotersThatAnswer() {
        for (int i = 1; i <= 3; i++) {
            MemberId id = new MemberId(i);
            members.add(member(id, "cp-" + i, false, SimulatedCluster.peerUrl("cp-" + i)));
            answers(id);
        }
    }

    private Optional<JoinDecision> decided() {
        return new Rejoin(WANTED, JoinPlace.CONTROL_PLANE, options, JoinLimits.DEFAULTS)
                .decide(
                        new EtcdHealth(members, statuses, Map.of()),
                        localDataDir,
                        NOW,
                        RejoinRulesTest::resumed);
    }

    /** Any decision will do, as how a join goes on is not the table's. */
    private static JoinDecision resumed(Member member) {
        return new JoinDecision.CallPeers(List.of(member));
    }

    private Problem stop(FailReason reason) {
        var failed = assertInstanceOf(JoinDecision.Fail.class, decided().orElseThrow());
        assertEquals(reason, failed.reason(), failed.problem()::toString);
        return failed.problem();
    }

    private JoinDecision.RemoveBlockingLearner removal() {
        return assertInstanceOf(
                JoinDecision.RemoveBlockingLearner.class, decided().orElseThrow());
    }

    private void assertDataIsSetAside() {
        assertInstanceOf(JoinDecision.CleanNode.class, decided().orElseThrow());
    }

    private void data(long id) {
        localDataDir = new LocalDataDir(true, Optional.of(new MemberId(id)), Optional.of("c1"));
    }

    @Test
    void aMemberThatHasOurUrlAmongOthersIsNotOurs() {
        members.add(member(OURS, "cp-9", false, SimulatedCluster.peerUrl("cp-9"), URL));
        assertEquals(
                "the peer URL https://cp-4:2380 belongs to etcd member "
                        + members.getLast().describe(),
                stop(FailReason.URL_TAKEN).what());
        assertTrue(
                stop(FailReason.URL_TAKEN).next().endsWith("\"kjadm etcd member remove 77\""),
                stop(FailReason.URL_TAKEN).next());
    }

    @Test
    void dataOfAnotherMemberStopsAJoinThoughOursIsListed() {
        members.add(member(OURS, "cp-4", true, URL));
        data(0x78);
        assertEquals(
                "the etcd data directory holds data of a member that is not listed"
                        + " (member 78 of cluster c1)",
                stop(FailReason.FOREIGN_DATA).what());
        data(0x77);
        assertEquals(Optional.of(resumed(members.getLast())), decided());
    }

    @Test
    void dataOfAMemberThatNeverStartedIsNotGoneOnWith() {
        members.add(member(OURS, "", true, URL));
        data(0x77);
        stop(FailReason.UNKNOWN_LEARNER);
        members.removeLast();
        members.add(member(OURS, "", false, URL));
        stop(FailReason.UNKNOWN_VOTER);
    }

    @Test
    void aMemberThatRunsWithoutOurDataIsAnotherMachines() {
        members.add(member(OURS, "cp-4", true, URL));
        answers(OURS);
        assertTrue(stop(FailReason.ADDRESS_SHARED).what().startsWith("learner 77"));
        members.removeLast();
        members.add(member(OURS, "cp-4", false, URL));
        assertTrue(stop(FailReason.ADDRESS_SHARED).what().startsWith("voter 77"));
        data(0x77);
        assertEquals(Optional.of(resumed(members.getLast())), decided());
    }

    @Test
    void whyALearnerIsTakenOverIsTold() {
        options = TAKEOVER;
        members.add(member(OURS, "cp-4", true, URL));
        assertEquals("its data is not here, and --takeover was given", removal().why());
        members.removeLast();
        members.add(member(OURS, "", true, URL));
        assertEquals("it has not started, and --takeover was given", removal().why());
    }

    private void added(Duration ago) {
        members.add(member(MemberAddTime.id(List.of(URL), NOW.minus(ago)), "", true, URL));
    }

    @Test
    void aLearnerOfTenMinutesMayStillBeOfARunningJoin() {
        added(Duration.ofMinutes(10));
        assertEquals(
                "it was added at 2026-02-03T03:55:06Z, so another join of the same address may"
                        + " be running",
                stop(FailReason.UNKNOWN_LEARNER).why());
        members.removeLast();
        added(Duration.ofSeconds(601));
        assertEquals(
                "it was added at 2026-02-03T03:55:05Z and has never started",
                removal().why());
        members.removeLast();
        members.add(member(OURS, "", true, URL));
        assertEquals(
                "another join of the same address may be running",
                stop(FailReason.UNKNOWN_LEARNER).why());
    }

    @Test
    void aLostVoterIsReplacedOnlyWhereTheOthersAreAMajorityOfThemselves() {
        options = REPLACE;
        members.add(member(OURS, "cp-4", false, URL));
        assertEquals(members.getLast(), removal().member());
        statuses.remove(new MemberId(3));
        removal();
        statuses.remove(new MemberId(2));
        assertEquals(
                "voter " + members.getLast().describe() + " cannot be replaced",
                stop(FailReason.VOTER_NEEDED).what());
        assertTrue(
                stop(FailReason.VOTER_NEEDED)
                        .why()
                        .startsWith("of the other voters 1 are healthy, 2 are needed: "),
                stop(FailReason.VOTER_NEEDED).why());
    }

    @Test
    void theOnlyVoterIsNotReplaced() {
        options = REPLACE;
        members.clear();
        members.add(member(OURS, "cp-4", false, URL));
        stop(FailReason.VOTER_NEEDED);
    }

    @Test
    void dataIsSetAsideOnlyForTheClusterThatIsNamed() {
        localDataDir = LocalDataDir.SOME_DATA;
        assertEquals(
                "the etcd data directory holds data of a member that is not listed",
                stop(FailReason.FOREIGN_DATA).what());
        assertTrue(
                stop(FailReason.FOREIGN_DATA).next().endsWith("--wipe-etcd-data=c1"),
                stop(FailReason.FOREIGN_DATA).next());
        assertTrue(stop(FailReason.FOREIGN_DATA)
                .why()
                .startsWith("a removed member can never return"));
        options = wipe("c2");
        stop(FailReason.FOREIGN_DATA);
        options = wipe("c1");
        assertDataIsSetAside();
        localDataDir = new LocalDataDir(true, Optional.empty(), Optional.of("c9"));
        assertEquals(
                "it belongs to another cluster than the one that is joined",
                stop(FailReason.FOREIGN_DATA).why());
        assertTrue(stop(FailReason.FOREIGN_DATA).next().endsWith("--wipe-etcd-data=c9"));
        options = wipe("c9");
        assertDataIsSetAside();
    }

    private static RejoinOptions wipe(String cluster) {
        return new RejoinOptions(false, false, false, false, false, Optional.of(cluster));
    }
}
