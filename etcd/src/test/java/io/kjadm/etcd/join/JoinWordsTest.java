package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The small words that the decisions of a join are made of. */
class JoinWordsTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final Member OURS = new Member(
            new MemberId(4), "cp-4", List.of(SimulatedCluster.peerUrl("cp-4")), List.of(), true);

    @Test
    void everyReasonToWaitIsAFaultATurnOrNeither() {
        assertEquals(
                EnumSet.of(WaitReason.TOO_MANY_LEARNERS, WaitReason.MEMBER_NOT_STARTED),
                EnumSet.copyOf(Arrays.stream(WaitReason.values())
                        .filter(WaitReason::queueing)
                        .toList()));
        assertEquals(
                EnumSet.of(
                        WaitReason.UNHEALTHY,
                        WaitReason.NO_LEADER,
                        WaitReason.UNREACHABLE,
                        WaitReason.UNCONFIRMED,
                        WaitReason.NODE_UNFIT),
                EnumSet.copyOf(Arrays.stream(WaitReason.values())
                        .filter(WaitReason::fault)
                        .toList()));
    }

    @Test
    void aMemberMayBeListedFromTheAddUntilTheJoinIsDone() {
        assertEquals(
                EnumSet.complementOf(EnumSet.of(JoinState.PREPARED, JoinState.DONE)),
                EnumSet.copyOf(Arrays.stream(JoinState.values())
                        .filter(JoinState::mayBeListed)
                        .toList()));
    }

    @Test
    void onlyWhatAPersonHasToSeeToIsLasting() {
        Set<ErrorClass> lasting = EnumSet.noneOf(ErrorClass.class);
        for (ErrorClass each : ErrorClass.values()) {
            if (new JoinMemory.Refusal(each, "", NOW).lasting()) {
                lasting.add(each);
            }
        }
        assertEquals(EnumSet.of(ErrorClass.NEEDS_HUMAN, ErrorClass.FATAL), lasting);
    }

    @Test
    void aJoinThatWasAddedHasAMemberId() {
        NewMember wanted = new NewMember("cp-4", SimulatedCluster.peerUrl("cp-4"));
        JoinEntry entry = JoinEntry.prepared(wanted, "run", "c1", List.of(), NOW);
        entry.adding(List.of(), NOW);
        for (JoinState state : JoinState.values()) {
            if (state.compareTo(JoinState.ADDED) >= 0) {
                assertThrows(IllegalArgumentException.class, () -> entry.to(state, NOW));
                assertEquals(
                        OURS.id(),
                        entry.added(OURS.id(), NOW).to(state, NOW).memberId().orElseThrow());
            }
        }
        assertEquals(Optional.empty(), entry.added(OURS.id(), NOW).notAdded(NOW).memberId());
    }

    @Test
    void dataThatCannotBeReadIsBelievedToBeTheMembers() {
        assertTrue(LocalDataDir.SOME_DATA.mayBelongTo(OURS));
        assertFalse(LocalDataDir.NONE.mayBelongTo(OURS));
        assertTrue(dataOf(OURS.id()).mayBelongTo(OURS));
        assertFalse(dataOf(new MemberId(5)).mayBelongTo(OURS));
    }

    private static LocalDataDir dataOf(MemberId id) {
        return new LocalDataDir(true, Optional.of(id), Optional.of("c1"));
    }

    @Test
    void aMemberHasANameAndIsKnownByItsCanonicalUrl() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new NewMember(" ", SimulatedCluster.peerUrl("cp-4")));
        assertTrue(new NewMember("x", URI.create("https://CP-4:2380/")).hasUrlOf(OURS));
        assertFalse(new NewMember("x", SimulatedCluster.peerUrl("cp-5")).hasUrlOf(OURS));
    }

    @Test
    void aLimitIsChangedAlone() {
        JoinLimits all = JoinLimits.DEFAULTS;
        Duration day = Duration.ofDays(1);
        assertEquals(
                new JoinLimits(
                        day,
                        all.turn(),
                        all.stall(),
                        all.total(),
                        all.finalCheck(),
                        all.rollback(),
                        all.abandoned()),
                all.withFault(day));
        assertEquals(
                new JoinLimits(
                        all.fault(),
                        day,
                        all.stall(),
                        all.total(),
                        all.finalCheck(),
                        all.rollback(),
                        all.abandoned()),
                all.withTurn(day));
        assertEquals(
                new JoinLimits(
                        all.fault(),
                        all.turn(),
                        day,
                        all.total(),
                        all.finalCheck(),
                        all.rollback(),
                        all.abandoned()),
                all.withStall(day));
        assertEquals(
                new JoinLimits(
                        all.fault(),
                        all.turn(),
                        all.stall(),
                        day,
                        all.finalCheck(),
                        all.rollback(),
                        all.abandoned()),
                all.withTotal(day));
    }

    /** As etcd 3.5 makes it: SHA-1 of the sorted URLs and the second, the first eight bytes. */
    @Test
    void theIdOfAMemberIsEtcds() {
        List<URI> urls = List.of(URI.create("https://10.0.0.4:2380"));
        Instant second = Instant.ofEpochSecond(1_770_091_506);
        assertEquals("4b72212224d6486e", MemberAddTime.id(urls, second).toString());
        Member member = new Member(MemberAddTime.id(urls, second), "", urls, List.of(), true);
        Duration hour = Duration.ofHours(1);
        assertEquals(Optional.of(second), MemberAddTime.of(member, second.plusSeconds(9), hour));
        assertEquals(Optional.of(second), MemberAddTime.of(member, second.minusSeconds(60), hour));
        assertEquals(Optional.of(second), MemberAddTime.of(member, second.plusSeconds(3600), hour));
        assertEquals(Optional.empty(), MemberAddTime.of(member, second.plusSeconds(3601), hour));
        assertEquals(Optional.empty(), MemberAddTime.of(member, second.minusSeconds(61), hour));
    }
}
