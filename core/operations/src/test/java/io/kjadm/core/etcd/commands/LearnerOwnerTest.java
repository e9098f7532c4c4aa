package io.kjadm.core.etcd.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Whose a learner is, by this node's note and by the holder of the Lease. */
class LearnerOwnerTest {

    private static final Instant SINCE = Instant.parse("2026-02-03T04:05:06Z");
    private static final Member UNSTARTED = learner(0xf1, "");
    private static final Member OTHER = learner(0xf2, "");

    @Test
    void aLearnerWithoutANameMayBeAnyHolders() {
        assertEquals(
                Optional.of(new LearnerOwner("cp-10_run", Optional.of(SINCE), true)),
                owner(UNSTARTED, List.of(UNSTARTED)));
    }

    @Test
    void aLearnerWithANameIsThatNodesOnly() {
        Member tenth = learner(0xf1, "cp-10");
        assertEquals("cp-10_run", owner(tenth, List.of(tenth)).orElseThrow().who());
        Member first = learner(0xf1, "cp-1");
        assertEquals(Optional.empty(), owner(first, List.of(first)));
    }

    @Test
    void theLeaseTellsSinceWhenTheOnlyLearnerIsBeingJoined() {
        assertEquals(Optional.of(SINCE), noted(List.of(UNSTARTED)).since());
        assertEquals(Optional.empty(), noted(List.of(UNSTARTED, OTHER)).since());
    }

    private static Optional<LearnerOwner> owner(Member learner, List<Member> learners) {
        return LearnerOwner.of(learner, learners, Optional.empty(), held());
    }

    private static LearnerOwner noted(List<Member> learners) {
        return LearnerOwner.of(UNSTARTED, learners, Optional.of(UNSTARTED.id()), held())
                .orElseThrow();
    }

    private static MembershipLeaseStatus held() {
        return new MembershipLeaseStatus.Held("cp-10_run", Optional.of(SINCE), SINCE, true);
    }

    private static Member learner(long id, String name) {
        return new Member(new MemberId(id), name, List.of(), List.of(), true);
    }
}
