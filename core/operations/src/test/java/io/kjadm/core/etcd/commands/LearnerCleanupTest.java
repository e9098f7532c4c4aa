package io.kjadm.core.etcd.commands;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** An operator removes the learners that interrupted joins have left. */
class LearnerCleanupTest {

    private static final Predicate<URI> NOBODY_LISTENS = url -> false;

    private final OpsLab lab = new OpsLab(3).onControlPlane();
    private final List<String> questions = new ArrayList<>();

    @Test
    void aGhostLearnerIsShownThenRemoved() {
        MemberId ghost = lab.learner("cp-4");
        lab.changes().cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes);
        assertEquals(List.of("remove " + ghost), lab.etcd.changes());
        assertEquals(3, lab.names().size());
        assertEquals(1, questions.size());
        assertTrue(
                questions.getFirst().startsWith("This learner will be removed"),
                questions.getFirst());
        assertHasLine(
                "[etcd] Learner %s (learner not started, https://cp-4:2380), unknown who added it"
                        .formatted(ghost),
                lab.out.text());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
    }

    @Test
    void allGhostsAreNamedInOneQuestion() {
        lab.learner("cp-4");
        lab.learner("cp-5");
        lab.changes().cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes);
        assertEquals(1, questions.size());
        assertTrue(
                questions.getFirst().startsWith("Each of these learners will be removed"),
                questions.getFirst());
        assertEquals(List.of("cp-1", "cp-2", "cp-3"), lab.names());
    }

    @Test
    void withoutAYesTheGhostStays() {
        lab.learner("cp-4");
        MembershipChanges changes = lab.changes();
        assertThrows(
                UsageException.class,
                () -> changes.cleanUp(
                        Optional.empty(), false, NOBODY_LISTENS, (area, question) -> false));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void whoInsistsIsNotAsked() {
        lab.learner("cp-4");
        lab.changes().cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes);
        assertEquals(List.of(), questions);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aLearnerThatDiedIsRemoved() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.stop(id);
        lab.changes().cleanUp(Optional.of("cp-4"), false, NOBODY_LISTENS, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aLearnerThatGetsOnStays() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        lab.etcd.lag(id, 9_000);
        lab.waiter.eachTime(() -> lab.etcd.lag(id, 8_000));
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes));
        assertEquals(Optional.of(CommonReason.FOLLOWS), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void aLearnerWhosePeerPortAnswersMayBeReceivingItsData() {
        MemberId id = lab.learner("cp-4");
        List<URI> tried = new ArrayList<>();
        Predicate<URI> probe = url -> tried.add(url);
        MembershipChanges changes = lab.changes();
        assertReason(
                CommonReason.JOINING,
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, probe, this::yes));
        assertEquals(List.of(URI.create("https://cp-4:2380")), tried);
        assertEquals(List.of(), lab.etcd.changes());
        changes.cleanUp(Optional.of(id.toString()), true, probe, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aLearnerThatIsBeingJoinedStays() {
        lab.learner("cp-4");
        lab.lock = lab.held("cp-4/run", Duration.ofMinutes(2), true);
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes));
        assertEquals("it is being joined by cp-4/run", refused.why());
        assertEquals(4, lab.names().size());
    }

    @Test
    void theLearnerOfThisNodesUnfinishedJoinStaysUnlessTheOperatorInsists() {
        MemberId id = lab.learner("cp-1");
        lab.noteAdded(id);
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes));
        assertEquals(Optional.of(CommonReason.JOINING), refused.reason());
        assertEquals(
                List.of(
                        "Learner a004 (learner not started, https://cp-1:2380), added by an unfinished join of this node"),
                lab.out.in("etcd"));
        changes.cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aVoterIsNeverCleanedUp() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        MembershipChanges changes = lab.changes();
        assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.of("cp-3"), true, NOBODY_LISTENS, this::yes));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void aLearnerThatIsPromotedWhileTheOperatorThinksStays() {
        MemberId id = lab.learner("cp-4");
        MembershipChanges changes = lab.changes();
        ClusterException stopped = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, (area, question) -> {
                    lab.etcd.start(id, "cp-4");
                    lab.etcd.promoteByOther(id);
                    return true;
                }));
        assertEquals(Optional.of(CommonReason.PROMOTED), stopped.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    /** A machine that was off goes on with its join. */
    @Test
    void aLearnerThatComesToLifeWhileTheOperatorThinksStays() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        lab.etcd.stop(id);
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, (area, question) -> {
                    lab.etcd.start(id, "cp-4");
                    lab.etcd.lag(id, 9_000);
                    lab.waiter.eachTime(() -> lab.etcd.lag(id, 8_000));
                    return true;
                }));
        assertEquals(Optional.of(CommonReason.FOLLOWS), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void withoutLearnersThereIsNothingToDo() {
        lab.changes().cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes);
        assertEquals(List.of(), questions);
        assertEquals(List.of("[etcd] There is no learner"), lab.out.lines());
    }

    @Test
    void withoutAQuorumNoLearnerIsRemoved() {
        lab.learner("cp-4");
        lab.etcd.stop(lab.etcd.id("cp-2"));
        lab.etcd.stop(lab.etcd.id("cp-3"));
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes));
        assertEquals(Optional.of(CommonReason.NO_QUORUM), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            mode = Mode.EXCLUDE,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void aFaultOnTheWayDoesNotLeaveTheGhost(Fault fault) {
        lab.learner("cp-4");
        lab.waiter.eachTime(lab.etcd::tick);
        lab.etcd.next(fault);
        lab.changes().cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aDryRunOfACleanupOnlyTells() {
        lab.learner("cp-4");
        lab.dryRun().cleanUp(Optional.empty(), false, NOBODY_LISTENS, Confirmation.GIVEN);
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(List.of("Would remove etcd member a004"), lab.out.in("dryrun"));
    }

    private boolean yes(String area, String question) {
        return questions.add(question);
    }
}
