package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.leave.OwnData;
import io.kjadm.core.etcd.leave.OwnMemberRemoval;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.TellingWaiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** How it stands with this node's member, and whether the others need it. */
class OwnMemberRemovalTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final RemovalState UNCLEAR =
            RemovalState.blocked(Reason.UNKNOWN, "what", "why", "next");
    private static final RemovalState SILENT =
            RemovalState.blocked(Reason.UNREACHABLE, "what", "why", "next");

    private final ResetLab lab = new ResetLab();
    private final List<String> told = new ArrayList<>();

    private OwnMemberRemoval exit() {
        return new OwnMemberRemoval(
                lab.etcd,
                lab.start(ResetLab.config(false, false)).etcd(),
                OwnData.look(
                        lab.files,
                        lab.start(ResetLab.config(false, false)).etcd(),
                        ResetLab.ASIDE.resolveSibling("kjadm-restore")),
                new ResetJournal(
                        lab.files,
                        ResetLab.ASIDE.resolve("journal.json"),
                        "unix:///c",
                        lab.waiter,
                        Failpoints.none().fuse(lab.waiter)),
                new TellingWaiter(lab.waiter, told),
                lab.out);
    }

    private static Problem blocked(Reason reason, RemovalState state) {
        var blocked = assertInstanceOf(RemovalState.Blocked.class, state);
        assertEquals(reason, blocked.reason());
        return blocked.problem();
    }

    private void stop(String name) {
        lab.etcd.stop(lab.etcd.id(name));
    }

    // ---- the look before anything is done

    @Test
    void theOthersNeedAMemberWithoutWhichOneIsDown() {
        stop("cp-3");
        Problem needed = blocked(Reason.NEEDED_FOR_QUORUM, exit().preview(LIMIT));
        assertEquals(Set.of("cp-2", "cp-3"), Named.members(needed.why()));
        assertEquals(needed.what() + ": " + needed.why(), told.getLast());
    }

    @Test
    void aMemberWhoseOthersAreDownIsStranded() {
        stop("cp-2");
        stop("cp-3");
        blocked(Reason.QUORUM_LOST, exit().preview(LIMIT));
    }

    @Test
    void anEtcdThatAnswersForItselfOnlyIsNotSilent() {
        lab.etcd.failLists(10_000);
        blocked(Reason.UNKNOWN, exit().preview(LIMIT));
        lab.etcd.local("");
        blocked(Reason.UNREACHABLE, exit().preview(LIMIT));
    }

    @Test
    void aClusterWhoseMembersDoNotTellIsNotAForeignOne() {
        lab.noted(ResetState.RETIRING, "a001", "c1");
        lab.etcd.members().stream().map(Member::id).forEach(lab.etcd::silent);
        assertTrue(!exit().preview(LIMIT).isBlockedBy(Reason.OTHER_CLUSTER));
    }

    @Test
    void anotherClusterIsForeign() {
        lab.noted(ResetState.RETIRING, "a001", "c2");
        blocked(Reason.OTHER_CLUSTER, exit().preview(LIMIT));
    }

    // ---- whether it may be stopped though it stays listed

    static Stream<RemovalState> decided() {
        Member member = new Member(new MemberId(0xa001), "cp-1", List.of(), List.of(), false);
        return Stream.of(
                new RemovalState.Allowed(new RemovalPlan.LastMember(member), Optional.empty()),
                new RemovalState.Removed(),
                RemovalState.blocked(Reason.NEEDED_FOR_QUORUM, "what", "why", "next"),
                RemovalState.blocked(Reason.QUORUM_LOST, "what", "why", "next"),
                RemovalState.blocked(Reason.OTHER_CLUSTER, "what", "why", "next"),
                RemovalState.blocked(Reason.UNPROVEN, "what", "why", "next"));
    }

    @ParameterizedTest
    @MethodSource("decided")
    void whatIsDecidedStaysDecided(RemovalState standing) {
        stop("cp-3");
        assertSame(standing, exit().unlessNeeded(standing));
    }

    static Stream<RemovalState> undecided() {
        return Stream.of(UNCLEAR, SILENT);
    }

    @ParameterizedTest
    @MethodSource("undecided")
    void whoIsNeededIsNotGivenUpForWantOfAnAnswer(RemovalState standing) {
        stop("cp-3");
        Problem needed = blocked(Reason.NEEDED_FOR_QUORUM, exit().unlessNeeded(standing));
        assertTrue(
                needed.why().startsWith("of the other voters 1 are healthy, 2 are needed"),
                needed.why());
        assertTrue(needed.next().endsWith("then reset again"), needed.next());
    }

    @ParameterizedTest
    @MethodSource("undecided")
    void whoIsNotNeededMayBeGivenUp(RemovalState standing) {
        assertSame(standing, exit().unlessNeeded(standing));
    }

    @Test
    void whoIsLeftWithoutTheOthersIsStranded() {
        stop("cp-2");
        stop("cp-3");
        Problem stranded = blocked(Reason.QUORUM_LOST, exit().unlessNeeded(UNCLEAR));
        assertEquals("bring the other voters back", stranded.next());
    }

    @Test
    void anEtcdThatRunsAndTellsOfNobodyMayBeNeeded() {
        OwnMemberRemoval exit = exit();
        lab.etcd.failLists(10_000);
        lab.etcd.local("");
        blocked(Reason.QUORUM_LOST, exit.unlessNeeded(UNCLEAR));
    }

    @Test
    void whereNothingRunsAndNobodyTellsNothingIsKnownToBeNeeded() {
        lab.etcd.local("");
        lab.etcd.failLists(10_000);
        assertSame(SILENT, exit().unlessNeeded(SILENT));
    }

    @Test
    void nobodyNeedsALearnerHoweverFewVotersAreWell() {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.etcd.start(learner, "cp-4");
        lab.etcdPod("cp-4");
        lab.etcd.silent(lab.etcd.id("cp-2"));
        lab.etcd.silent(lab.etcd.id("cp-3"));
        assertSame(UNCLEAR, exit().unlessNeeded(UNCLEAR));
    }
}
