package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.clientUrl;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.joining;
import static io.kjadm.etcd.auto.WrittenLog.member;
import static io.kjadm.etcd.auto.WrittenLog.restored;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.Step.Start;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class StartRulesTest {

    private static final Data LATE = new Data.OtherDisk("another file system", "mount it");

    private static Optional<WaitCode> refusal(WrittenLog log, MachineId machine, Data data) {
        return StartRules.refusal(log.charter(), machine, data, Optional.empty())
                .map(Wait::code);
    }

    private static Data held(int generation, MachineId machine) {
        return new Data.Held(generation, Optional.of(member(machine)));
    }

    private static Data begun(int generation) {
        return new Data.Held(generation, Optional.empty());
    }

    @Test
    void aMemberOfTheLogStarts() {
        assertEquals(Optional.empty(), refusal(complete(), B, held(1, B)));
        assertEquals(Optional.empty(), refusal(forming(), A, begun(1)));
        assertEquals(Optional.empty(), refusal(complete().paused(), B, held(1, B)));
    }

    @Test
    void aMemberThatJoinsStartsBeforeTheLogListsIt() {
        assertEquals(Optional.empty(), refusal(joining(), B, begun(1)));
        assertEquals(Optional.empty(), refusal(joining(), B, held(1, B)));
        assertEquals(Optional.of(WaitCode.FOREIGN), refusal(joining(), C, begun(1)));
    }

    @Test
    void anotherMemberThanTheLogListsDoesNotStart() {
        assertEquals(Optional.of(WaitCode.FOREIGN), refusal(complete(), B, held(1, C)));
        assertEquals(Optional.of(WaitCode.FOREIGN), refusal(forming(), B, held(1, B)));
    }

    @Test
    void aMemberOfAnotherGenerationDoesNotStart() {
        assertEquals(Optional.of(WaitCode.FENCE), refusal(forming().abandoned(), A, held(1, A)));
        assertEquals(Optional.of(WaitCode.FENCE), refusal(complete(), B, held(0, B)));
    }

    @Test
    void aMemberOfAGenerationThatEndsDoesNotStart() {
        assertEquals(Optional.of(WaitCode.FENCE), refusal(complete().ending(A, C), A, held(1, A)));
    }

    /** etcd is run by hand then. */
    @Test
    void afterTheEndOfTheAutomaticModeEverythingStarts() {
        WrittenLog retired = complete().with(Optional.empty(), new EntryBody.Retire(""));
        assertEquals(Optional.empty(), refusal(retired, B, held(1, C)));
        assertEquals(Optional.empty(), refusal(retired, B, LATE));
    }

    /** Two that were given up would have the quorum of the cluster that was restored elsewhere. */
    @Test
    void afterTheEndOfTheAutomaticModeNoMemberOfAGenerationBeforeStarts() {
        WrittenLog retired = restored().with(Optional.empty(), new EntryBody.Retire(""));
        assertEquals(2, retired.charter().generation());
        assertEquals(Optional.of(WaitCode.FENCE), refusal(retired, B, held(1, B)));
        assertEquals(Optional.empty(), refusal(retired, A, held(2, A)));
    }

    @Test
    void nothingStartsOnAnotherDiskOrWithoutItsData() {
        for (Data data :
                new Data[] {LATE, new Data.Unreadable("input/output error"), new Data.Blank()}) {
            assertEquals(Optional.of(WaitCode.DISK), refusal(complete(), B, data), data.toString());
        }
        assertEquals(
                Optional.of(WaitCode.LOST), refusal(complete(), B, new Data.Lost("it is empty")));
    }

    @Test
    void aCopyOfAMachineDoesNotStartOnceItIsKnown() {
        assertEquals(
                Optional.of(WaitCode.CLONE),
                StartRules.refusal(
                                complete().charter(),
                                B,
                                held(1, B),
                                Optional.of(new Copy(true, "another one reports")))
                        .map(Wait::code));
        assertEquals(
                Optional.empty(),
                StartRules.refusal(
                        complete().charter(),
                        B,
                        held(1, B),
                        Optional.of(new Copy(false, "it watches"))));
    }

    @Test
    void theDaemonWaitsForTheDiskAlsoWithoutTheStore() {
        AutoScene.ofVoter(B, complete()).data(LATE).waits(Rule.DISK, WaitCode.DISK);
        AutoScene.ofVoter(B, complete())
                .data(LATE)
                .store(new StoreView.Silent("no answer"))
                .waits(Rule.DISK, WaitCode.DISK);
        AutoScene.ofVoter(B, complete()).passes(Rule.DISK);
        AutoScene.ofVoter(B, complete()).data(new Data.Lost("it is empty")).passes(Rule.DISK);
    }

    @Test
    void theDaemonWaitsWhileAnotherMachineMayHaveItsId() {
        AutoScene.ofVoter(B, complete())
                .stops(new Stops(
                        Optional.empty(),
                        Optional.of(new Copy(false, "it watches")),
                        Optional.empty()))
                .waits(Rule.CLONE, WaitCode.CLONE);
        AutoScene.ofVoter(B, complete()).passes(Rule.CLONE);
    }

    @Test
    void etcdIsSetUpForDataThatAreThereAlone() {
        Step withData = new Step.JoinWithData(
                AutoScene.own(B), List.of(clientUrl(A), clientUrl(B), clientUrl(C)));
        AutoScene alone = AutoScene.ofVoter(B, complete())
                .unit(UnitState.ABSENT)
                .setUpBy(AutoFacts.SetUp.DATA);
        alone.acts(Rule.START, withData);
        alone.store(new StoreView.Silent("no answer")).acts(Rule.START, withData);
        // a run that was killed has written the unit
        alone.unit(UnitState.STOPPED).acts(Rule.START, withData);
        AutoScene.ofVoter(B, complete())
                .unit(UnitState.ABSENT)
                .setUpBy(AutoFacts.SetUp.DATA)
                .data(held(1, C))
                .passes(Rule.START);
        AutoScene.ofVoter(B, complete().paused())
                .unit(UnitState.ABSENT)
                .setUpBy(AutoFacts.SetUp.DATA)
                .passes(Rule.START);
    }

    /** Others would not reach it, and its settings could not be changed any more. */
    @Test
    void etcdIsNotSetUpAtAnotherAddressThanTheMembers() {
        AutoScene.ofVoter(B, complete())
                .unit(UnitState.ABSENT)
                .setUpBy(AutoFacts.SetUp.DATA)
                .at(D)
                .waits(Rule.START, WaitCode.READY);
    }

    /** It was killed after it had put the data back, and before the settings. */
    @Test
    void aMemberThatWasStoppedForARestoreIsPutBackAsAWhole() {
        WrittenLog log = complete()
                .ending(A, B, C)
                .fenced(A)
                .with(
                        Optional.empty(),
                        new EntryBody.Restore(
                                1,
                                Set.of(),
                                Optional.empty(),
                                new EntryBody.Source(EntryBody.Source.Kind.NONE, Optional.empty()),
                                false,
                                ""));
        AutoScene.of(A, log)
                .fenced(complete().fenced(A, 100))
                .data(held(1, A))
                .setUpBy(AutoFacts.SetUp.DATA)
                .acts(Rule.FENCE, new Step.Unfence(1));
    }

    @Test
    void whatSystemdHasSkippedIsStartedWhenNothingIsAgainstIt() {
        AutoScene skipped = AutoScene.ofVoter(B, complete()).unit(UnitState.SKIPPED);
        skipped.acts(Rule.START, new Step.Start());
        skipped.store(new StoreView.Silent("no answer")).acts(Rule.START, new Step.Start());
        skipped.store(new StoreView.OtherToken()).acts(Rule.START, new Step.Start());
        AutoScene.ofVoter(B, complete())
                .unit(UnitState.SKIPPED)
                .data(held(1, C))
                .passes(Rule.START);
    }

    @Test
    void aPersonPausesOneMachine() {
        AutoScene paused = AutoScene.ofVoter(B, complete())
                .stops(new Stops(
                        Optional.empty(), Optional.empty(), Optional.of("the store is away")));
        paused.waits(Rule.PAUSED, WaitCode.PAUSED);
        paused.unit(UnitState.FAILED).passes(Rule.START);
    }

    @Test
    void etcdThatFailedIsStarted() {
        AutoScene.ofVoter(A, complete()).unit(UnitState.FAILED).acts(Rule.START, new Start());
        AutoScene.ofVoter(A, complete()).passes(Rule.START);
    }

    @Test
    void etcdStartsWithoutTheStore() {
        for (StoreView store : List.of(
                new StoreView.Silent("timeout"), new StoreView.Unsafe("slot 3 is missing"))) {
            AutoScene.ofVoter(A, complete())
                    .store(store)
                    .unit(UnitState.FAILED)
                    .acts(Rule.START, new Start());
        }
    }

    @Test
    void etcdThatAPersonStoppedStaysSo() {
        for (UnitState unit : List.of(UnitState.STOPPED, UnitState.ABSENT)) {
            AutoScene.ofVoter(A, complete()).unit(unit).waits(Rule.START, WaitCode.STOPPED);
        }
    }

    @Test
    void etcdIsNotStartedInAPause() {
        AutoScene.ofVoter(A, complete().paused()).unit(UnitState.FAILED).passes(Rule.START);
    }

    @Test
    void onlyAMemberOfTheLogIsStarted() {
        AutoScene.ofVoter(A, forming()).unit(UnitState.FAILED).notSetUp().passes(Rule.START);
        AutoScene.ofVoter(D, complete()).unit(UnitState.FAILED).passes(Rule.START);
        AutoScene.of(A, complete()).unit(UnitState.FAILED).passes(Rule.START);
        AutoScene.ofVoter(A, complete()).holding(0).unit(UnitState.FAILED).passes(Rule.START);
    }

    @Test
    void aFailedStartIsTriedAgainLater() {
        AutoScene.ofVoter(A, complete())
                .unit(UnitState.FAILED)
                .failed(new Start(), Duration.ofSeconds(1))
                .waits(Rule.START, WaitCode.FAILED);
    }

    // ---- UNIT

    private static AutoScene ends(UnitState unit) {
        EtcdHealth health = AutoScene.health(AutoScene.voters(complete()), List.of(B));
        return AutoScene.ofVoter(B, complete())
                .unit(unit)
                .etcd(new EtcdView.Answers(health, WrittenLog.CLUSTER));
    }

    @Test
    void anEtcdThatEndsAgainAndAgainIsTold() {
        ends(UnitState.RESTARTING).passes(Rule.START);
        ends(UnitState.RESTARTING).waits(Rule.UNIT, WaitCode.UNIT);
        for (UnitState other : List.of(UnitState.ACTIVE, UnitState.STOPPED, UnitState.FAILED)) {
            ends(other).passes(Rule.UNIT);
        }
    }

    @Test
    void aMachineAtAnotherAddressThanItsMemberIsTold() {
        for (UnitState unit : List.of(UnitState.RESTARTING, UnitState.FAILED)) {
            ends(unit).at(D).passes(Rule.START);
            ends(unit).at(D).waits(Rule.UNIT, WaitCode.ADDRESS);
        }
        // it has several addresses, and etcd listens at one of them
        AutoScene.ofVoter(B, complete()).at(D).passes(Rule.UNIT);
    }

    @Test
    void anEtcdOfNoMemberIsNotTold() {
        ends(UnitState.RESTARTING).notSetUp().passes(Rule.UNIT);
        ends(UnitState.RESTARTING).data(LATE).passes(Rule.UNIT);
        AutoScene.of(D, complete()).holding(1).unit(UnitState.RESTARTING).passes(Rule.UNIT);
    }

    /** Nobody else does so for a machine that reports. */
    @Test
    void aMachineWhoseEtcdEndsFinishesItsChange() {
        WrittenLog log = complete().with(B, complete().removal(B, C));
        AutoScene.ofVoter(B, log)
                .unit(UnitState.RESTARTING)
                .etcd(AutoScene.healthy(complete().removed(B, C)))
                .appends(Rule.CONTINUE, log.doneWithout(C));
    }
}
