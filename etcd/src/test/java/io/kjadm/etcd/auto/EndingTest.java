package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.form;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.member;
import static io.kjadm.etcd.auto.WrittenLog.restored;
import static io.kjadm.etcd.auto.WrittenLog.seeded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Retire;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which entries are valid from an operator's word on, until the next generation is open. */
class EndingTest {

    private static final Optional<MachineId> PERSON = Optional.empty();

    /** A survives, B and C are lost. */
    private static WrittenLog ending() {
        return complete().ending(A, B, C);
    }

    private static Restore snapshot(int generation, MachineId... lost) {
        return new Restore(
                generation,
                Set.copyOf(List.of(lost).stream().map(WrittenLog::member).toList()),
                Optional.empty(),
                new Source(
                        Source.Kind.SNAPSHOT,
                        Optional.of(new Snapshot("/backup", "20261126t102459z-3f1c", "c1", 70))),
                false,
                "");
    }

    private static Restore none(int generation) {
        return new Restore(
                generation,
                Set.of(),
                Optional.empty(),
                new Source(Source.Kind.NONE, Optional.empty()),
                false,
                "");
    }

    private static void refusesWord(WrittenLog log, Restore word) {
        log.refuses(log.entry(PERSON, word));
    }

    // ---- restore

    @Test
    void aGenerationThatClientsUseEnds() {
        WrittenLog log = ending();
        assertEquals(Phase.ENDING, log.phase());
        assertEquals(complete().charter().voters(), log.charter().voters());
        assertEquals(Optional.of(WrittenLog.CLUSTER), log.charter().cluster());

        refusesWord(forming(), forming().restore(A));
        refusesWord(seeded(3), snapshot(0));
        refusesWord(complete(), snapshot(2));
        refusesWord(complete(), none(1));
    }

    @Test
    void aSurvivorHasAVoterThatIsNotLost() {
        refusesWord(complete(), complete().restore(D, B, C));
        refusesWord(complete(), complete().restore(A, A, C));
        refusesWord(
                complete(),
                new Restore(
                        1,
                        Set.of(),
                        Optional.empty(),
                        new Source(Source.Kind.SURVIVOR, Optional.empty()),
                        false,
                        ""));
        refusesWord(
                complete(),
                new Restore(
                        1,
                        Set.of(),
                        Optional.empty(),
                        new Source(Source.Kind.SNAPSHOT, Optional.empty()),
                        false,
                        ""));
    }

    @Test
    void aLaterWordReplacesAnEarlierOneAndLosesNotLess() {
        WrittenLog log = ending();
        refusesWord(log, log.restore(A, B));
        refusesWord(log, snapshot(1, B));
        WrittenLog later = log.with(PERSON, snapshot(1, A, B, C));
        assertEquals(Optional.of(70L), later.charter().ending().flatMap(Ending::revision));
    }

    @Test
    void aWordIsTakenBackUntilTheNextGenerationBegins() {
        WrittenLog log = ending().fenced(A).with(PERSON, none(1));
        assertEquals(Phase.OPEN, log.phase());
        assertEquals(complete().charter().members(), log.charter().members());
        assertEquals(Optional.empty(), log.charter().ending());

        WrittenLog begun = ending().fenced(A).with(A, form(2, A));
        refusesWord(begun, none(1));
        refusesWord(begun.abandoned(), none(1));
    }

    @Test
    void anOpenChangeIsThereAgainWhenTheWordIsTakenBack() {
        WrittenLog log = WrittenLog.open().joining(C);
        assertEquals(Optional.empty(), log.ending(A, B).charter().change());
        assertEquals(
                log.charter().change(),
                log.ending(A, B).with(PERSON, none(1)).charter().change());
    }

    @Test
    void nothingChangesInAGenerationThatEnds() {
        WrittenLog log = WrittenLog.open().joining(C);
        WrittenLog ending = log.ending(A, B);
        ending.refuses(C, log.done(WrittenLog.seat(C)));
        ending().refuses(D, ending().change(D));
        ending().refuses(A, new Ready(1));
        ending().refuses(A, new Abandon(1));
        ending().refuses(A, new Observed(List.of(WrittenLog.seat(A))));
    }

    // ---- fenced

    @Test
    void aMachineSaysOfItsOwnMemberThatItIsStopped() {
        WrittenLog log = ending();
        log.allows(A, log.fenced(A, 100));
        log.allows(B, log.fenced(B, 100));
        log.refuses(A, log.fenced(B, 100));
        log.refuses(D, log.fenced(D, 100));
        log.refuses(log.entry(PERSON, log.fenced(A, 100)));
        log.refuses(A, new Fenced(2, member(A), Optional.empty(), Set.of(), ""));
        complete().refuses(A, complete().fenced(A, 100));
    }

    @Test
    void aMachineThatWasJoiningMayHaveAMember() {
        WrittenLog log = WrittenLog.open().joining(C).ending(A, B);
        log.allows(C, log.fenced(C, 100));
        log.refuses(C, log.fenced(A, 100));
    }

    // ---- form

    @Test
    void theNextGenerationBeginsWhenNoQuorumCanBeLeft() {
        ending().refuses(A, form(2, A));
        WrittenLog log = ending().fenced(A);
        log.allows(A, form(2, A));
        log.refuses(A, form(3, A));
        log.refuses(D, form(2, D));
        log.with(A, new Pause(Optional.empty(), "")).refuses(A, form(2, A));

        WrittenLog one = complete().ending(A, C).fenced(A);
        one.allows(A, form(2, A));
        WrittenLog alive = complete().ending(A).fenced(A);
        alive.refuses(A, form(2, A));
        alive.fenced(B).allows(A, form(2, A));
    }

    /** One set alone would do: C is lost, B has stopped, and D may be a voter as well. */
    @Test
    void aVoterThatMayHaveBeenAddedCounts() {
        WrittenLog log = WrittenLog.open().joining(C).ending(A, B);
        log.fenced(A).allows(A, form(2, A));

        WrittenLog four = threeOf(4).joining(D).ending(A, C).fenced(A);
        four.allows(A, form(2, A));
        WrittenLog living = threeOf(4).joining(D).ending(C).fenced(C);
        living.refuses(C, form(2, C));
        living.fenced(D).refuses(C, form(2, C));
        living.fenced(B).allows(C, form(2, C));
    }

    private static WrittenLog threeOf(int nodes) {
        return seeded(nodes)
                .with(A, form(1, A))
                .joining(B)
                .joined(B)
                .joining(C)
                .joined(C)
                .with(A, new Ready(1));
    }

    @Test
    void theSurvivorHasTheNewestDataOfAllThatWereStopped() {
        WrittenLog log = complete().ending(A, C);
        log.with(A, log.fenced(A, 99)).with(B, log.fenced(B, 100)).refuses(A, form(2, A));
        log.with(A, log.fenced(A, 100)).with(B, log.fenced(B, 99)).allows(A, form(2, A));
        log.with(A, log.fenced(A, new Progress(99, 99, 2, 120, 0, 7)))
                .with(B, log.fenced(B, new Progress(100, 100, 2, 100, 0, 7)))
                .refuses(A, form(2, A));
    }

    @Test
    void theSurvivorsDatabaseIsComplete() {
        WrittenLog log = ending();
        log.with(A, log.fenced(A, new Progress(90, 100, 2, 100, 10, 7))).refuses(A, form(2, A));
        log.with(A, new Fenced(1, member(A), Optional.empty(), Set.of(), ""))
                .refuses(A, form(2, A));
    }

    @Test
    void anOperatorMayAcceptTheLoss() {
        Restore word = complete().restore(A, C);
        WrittenLog log = complete()
                .with(
                        PERSON,
                        new Restore(
                                1,
                                word.lost(),
                                word.founder(),
                                word.source(),
                                true,
                                word.reason()));
        log.with(A, log.fenced(A, new Progress(90, 99, 2, 99, 9, 7)))
                .with(B, log.fenced(B, 100))
                .allows(A, form(2, A));
    }

    @Test
    void anyMachineWithoutAMemberBeginsWithASnapshot() {
        WrittenLog log = complete().with(PERSON, snapshot(1, B, C));
        log.allows(D, form(2, D));
        log.refuses(A, form(2, A));
        log.fenced(A).allows(A, form(2, A));
        complete().with(PERSON, snapshot(1, C)).refuses(D, form(2, D));
    }

    // ---- the next generation

    @Test
    void anAbandonedRestoreNeverOpensTheWayToAnEmptyCluster() {
        WrittenLog log = ending().fenced(A).with(A, form(2, A)).abandoned();
        assertEquals(Phase.ENDING, log.phase());
        assertEquals(1, log.charter().current().map(Beginning::generation).orElseThrow());
        assertEquals(ending().fenced(A).charter().ending(), log.charter().ending());
        log.refuses(D, form(3, D));
        log.allows(A, form(3, A));
    }

    @Test
    void anotherSourceIsNamedWhileTheNextGenerationForms() {
        WrittenLog log = ending().fenced(A).with(A, form(2, A));
        assertEquals(Phase.FORMING, log.phase());
        WrittenLog later = log.with(PERSON, snapshot(1, B, C));
        assertEquals(Phase.ENDING, later.phase());
        later.allows(D, form(3, D));
    }

    @Test
    void theWordIsDoneWhenTheNextGenerationIsOpen() {
        WrittenLog log = restored();
        assertEquals(Phase.OPEN, log.phase());
        assertEquals(Optional.empty(), log.charter().ending());
        assertEquals(2, log.charter().generation());
        refusesWord(log, snapshot(1));
        log.allows(log.entry(PERSON, snapshot(2)));
    }

    // ---- retire

    @Test
    void nothingFollowsTheEndOfTheAutomaticMode() {
        WrittenLog log = complete().with(PERSON, new Retire("by hand"));
        assertEquals(Phase.RETIRED, log.phase());
        log.refuses(A, new Pause(Optional.empty(), ""));
        refusesWord(log, log.restore(A));
        log.refuses(D, complete().change(D));
        log.refuses(log.entry(PERSON, new Retire("")));
    }

    /** Some members are stopped then, and the next cluster may be served already. */
    @Test
    void theAutomaticModeDoesNotEndWhileAGenerationEnds() {
        WrittenLog log = complete().ending(A, C);
        log.refuses(log.entry(PERSON, new Retire("")));
    }
}
