package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.joining;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.seat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Resume;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Voters that leave, and members that others have changed. */
class MembershipTest {

    @Test
    void aChangeAddsOneOrRemovesOne() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new Change(1, A, Optional.empty(), Optional.empty(), Set.of()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Change(
                        1,
                        A,
                        Optional.of(WrittenLog.added(A)),
                        Optional.of(seat(B).id()),
                        Set.of()));
    }

    // ---- a removal

    @Test
    void aVoterRemovesAnotherOne() {
        WrittenLog log = complete();
        log.allows(A, log.removal(A, C));
        assertEquals(List.of(seat(A), seat(B)), log.removed(A, C).charter().voters());
    }

    @Test
    void aVoterIsRemovedByAMachineThatStays() {
        WrittenLog log = complete();
        log.refuses(C, log.removal(C, C));
        log.refuses(D, log.removal(D, C));
        log.refuses(A, log.removal(B, C));
        log.refuses(log.entry(Optional.empty(), log.removal(A, C)));
    }

    @Test
    void whatIsNoVoterIsNotRemoved() {
        complete().refuses(A, complete().removal(A, D));
    }

    @Test
    void oneChangeIsOpenAtATime() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        log.refuses(B, log.removal(B, C));
        log.refuses(D, log.change(D));
    }

    @Test
    void aRemovalIsDoneOrWithdrawn() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        log.allows(A, log.done());
        log.allows(B, log.done());
        Membership after = log.with(A, log.done()).charter().members();
        assertEquals(complete().charter().voters(), after.voters());
        assertEquals(List.of(), after.removals());
        assertEquals(Optional.empty(), after.change());
        assertEquals(Set.of(seat(C).id()), after.withdrawn(), "a late call may remove it");
        log.refuses(A, log.doneWithout(B));
        log.refuses(A, new EntryBody.Done(log.charter().change().orElseThrow().slot(), List.of()));
        log.allows(B, log.doneWithout(C));
    }

    @Test
    void aRemovedMachineMayJoinAsNewMember() {
        WrittenLog log = complete().removed(A, C);
        log.allows(C, log.change(C));
        log.allows(D, log.change(D));
    }

    @Test
    void threeVotersADayAreRemoved() {
        WrittenLog log = complete();
        for (int i = 0; i < Membership.PACE; i++) {
            log = log.removed(A, C).joining(C).joined(C);
        }
        log.refuses(A, log.removal(A, C));
        WrittenLog paused = log.paused();
        Resume end = new Resume(paused.charter().pause().orElseThrow().slot());
        WrittenLog byAMachine = paused.with(A, end);
        byAMachine.refuses(A, byAMachine.removal(A, C));
        WrittenLog byAPerson = paused.with(Optional.empty(), end);
        byAPerson.allows(A, byAPerson.removal(A, C));
    }

    /** An operator's smaller cluster does not use up what a machine that is lost later needs. */
    @Test
    void votersBeyondTheNodesThatAreWantedDoNotCount() {
        WrittenLog log = complete();
        for (int i = 0; i < Membership.PACE; i++) {
            log = log.wanting(1).removed(A, C).wanting(3).joining(C).joined(C);
        }
        assertEquals(List.of(), log.charter().members().removals());
        log.allows(A, log.removal(A, C));
    }

    // ---- what others do

    @Test
    void aVoterThatOthersAddIsTakenOver() {
        WrittenLog log = open();
        Seat foreign = new Seat(
                seat(D).id(), "etcd9", Optional.empty(), seat(D).peerUrls(), seat(D).clientUrls());
        Observed observed = new Observed(List.of(seat(A), seat(B), foreign));
        log.allows(A, observed);
        WrittenLog after = log.with(A, observed);
        assertEquals(observed.voters(), after.charter().voters());
        assertEquals(Optional.empty(), after.charter().members().held());
        after.allows(C, after.change(C));
    }

    @Test
    void afterARemovalByOthersMembersStayUntilAPersonResumes() {
        WrittenLog log = complete();
        WrittenLog held = log.with(A, new Observed(log.without(C)));
        held.refuses(C, held.change(C));
        held.refuses(A, held.removal(A, B));
        Resume resume = new Resume(held.charter().members().held().orElseThrow());
        held.refuses(A, resume);
        held.refuses(held.entry(Optional.empty(), new Resume(resume.pause() - 1)));
        WrittenLog resumed = held.with(Optional.empty(), resume);
        resumed.allows(C, resumed.change(C));
    }

    @Test
    void aPauseAndAHoldEndSeparately() {
        WrittenLog log = complete().paused();
        WrittenLog held = log.with(A, new Observed(log.without(C))).resumed();
        held.refuses(C, held.change(C));
    }

    @Test
    void whatTheLogSaysAlreadyIsNotObserved() {
        WrittenLog log = complete();
        log.refuses(A, new Observed(log.charter().voters()));
        log.refuses(A, new Observed(List.of()));
        log.refuses(A, new Observed(List.of(seat(A), seat(A))));
        forming().abandoned().refuses(A, new Observed(List.of(seat(A))));
    }

    @Test
    void aVoterIsObservedOnItsMachine() {
        WrittenLog log = complete();
        Seat moved = new Seat(
                seat(A).id(), seat(A).name(), Optional.of(D), seat(A).peerUrls(), List.of());
        log.refuses(A, new Observed(List.of(moved, seat(B))));
    }

    @Test
    void aChangeThatOthersOvertakeEnds() {
        WrittenLog log = joining().joined(B).joining(C);
        WrittenLog after = log.with(A, new Observed(List.of(seat(A), seat(C))));
        assertEquals(Optional.empty(), after.charter().change());
        assertEquals(List.of(seat(A), seat(C)), after.charter().voters());
    }

    @Test
    void aRemovalThatOthersOvertakeEnds() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        WrittenLog after = log.with(A, new Observed(List.of(seat(A), seat(C))));
        assertEquals(Optional.empty(), after.charter().change());
        assertEquals(Set.of(seat(C).id()), after.charter().members().withdrawn());
        after.refuses(A, after.removal(A, C));
    }

    @Test
    void aVoterThatLeftIsNotWithdrawn() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        WrittenLog after = log.with(A, log.done()).removed(A, C);
        assertEquals(Set.of(), after.charter().members().withdrawn());
    }
}
