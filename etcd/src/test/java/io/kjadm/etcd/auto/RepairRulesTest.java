package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.seat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Decision.Wait;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

class RepairRulesTest {

    private static final Duration AFTER = ClusterSpec.REPLACE_AFTER;
    private static final Duration LONG = AFTER.plus(Duration.ofMinutes(2));

    private static EtcdView down(WrittenLog log, MachineId... down) {
        return new EtcdView.Answers(
                AutoScene.health(AutoScene.voters(log), List.of(down)), WrittenLog.CLUSTER);
    }

    /** A voter of three: the one of C is down, its machine silent for long, and D is ready. */
    private static AutoScene lost() {
        return AutoScene.ofVoter(A, complete())
                .provided(true, true)
                .etcd(down(complete(), C))
                .reports(B, Duration.ofSeconds(1), Optional.of(seat(B).id()))
                .reports(C, LONG, Optional.of(seat(C).id()))
                .reports(D);
    }

    // ---- shrink

    /** Two voters are wanted of three. */
    private static AutoScene surplus(MachineId self) {
        WrittenLog log = complete().wanting(2);
        return AutoScene.ofVoter(self, log).provided(true, true).etcd(AutoScene.healthy(log));
    }

    @Test
    void theNewestVoterLeavesIfFewerAreWanted() {
        surplus(A).appends(Rule.SHRINK, complete().removal(A, C));
        surplus(B).waits(Rule.SHRINK, WaitCode.TURN);
        surplus(B)
                .held(Rule.SHRINK, Duration.ofSeconds(20))
                .appends(Rule.SHRINK, complete().removal(B, C));
        surplus(C).held(Rule.SHRINK, LONG).waits(Rule.SHRINK, WaitCode.TURN);
        AutoScene.ofVoter(A, complete()).etcd(AutoScene.healthy(complete())).passes(Rule.SHRINK);
    }

    @Test
    void aVoterThatIsDownLeavesFirst() {
        surplus(A).etcd(down(complete(), B)).appends(Rule.SHRINK, complete().removal(A, B));
        surplus(A).etcd(down(complete(), B, C)).passes(Rule.SHRINK);
    }

    @Test
    void aSurplusVoterLeavesAlthoughItResponds() {
        WrittenLog log = complete().wanting(2).with(A, complete().removal(A, C));
        AutoScene scene = AutoScene.ofVoter(A, log).etcd(AutoScene.healthy(log));
        scene.acts(Rule.CONTINUE, new Step.Remove(seat(C).id()));
        WrittenLog again = log.wanting(3);
        AutoScene.ofVoter(A, again)
                .etcd(AutoScene.healthy(again))
                .waits(Rule.WITHDRAW, WaitCode.CHANGE);
    }

    /** Its removal would wait for the other one without end. */
    @Test
    void aSurplusVoterStaysWhereAnotherOneIsDown() {
        WrittenLog log = complete().wanting(2).with(A, complete().removal(A, C));
        AutoScene actor = AutoScene.ofVoter(A, log).etcd(down(log, B));
        actor.waits(Rule.WITHDRAW, WaitCode.CHANGE);
        actor.held(Rule.WITHDRAW, Duration.ofSeconds(16)).appends(Rule.WITHDRAW, log.done());
        AutoScene.ofVoter(A, log)
                .etcd(down(log, C))
                .acts(Rule.CONTINUE, new Step.Remove(seat(C).id()));
    }

    // ---- remove

    /** The removal would be refused until a person brings the other one back. */
    @Test
    void aLostVoterStaysWhereAnotherOneIsDown() {
        WrittenLog five = complete().joining(D).joined(D);
        WrittenLog log = five.with(A, five.removal(A, C));
        AutoScene actor = AutoScene.ofVoter(A, log).etcd(down(log, B, C));
        actor.waits(Rule.WITHDRAW, WaitCode.CHANGE);
        actor.held(Rule.WITHDRAW, Duration.ofSeconds(16)).appends(Rule.WITHDRAW, log.done());
        AutoScene.ofVoter(A, log)
                .etcd(down(log, C))
                .acts(Rule.CONTINUE, new Step.Remove(seat(C).id()));
    }

    @Test
    void aMachineThatIsSilentForLongIsReplaced() {
        lost().waits(Rule.REMOVE, WaitCode.AGE);
        lost().held(Rule.REMOVE, AFTER.minusSeconds(1)).waits(Rule.REMOVE, WaitCode.AGE);
        lost().held(Rule.REMOVE, AFTER).appends(Rule.REMOVE, complete().removal(A, C));
    }

    @Test
    void aSnapshotIsSavedBeforeAVoterIsRemoved() {
        Step.Save save = new Step.Save("/backups", "age1");
        for (Optional<Duration> ago :
                List.of(Optional.<Duration>empty(), Optional.of(Duration.ofHours(1)))) {
            lost().saved(ago)
                    .held(Rule.REMOVE, AFTER.minusSeconds(1))
                    .waits(Rule.REMOVE, WaitCode.AGE);
            lost().saved(ago).held(Rule.REMOVE, AFTER).acts(Rule.REMOVE, save);
            surplus(A).saved(ago).acts(Rule.SHRINK, save);
            surplus(B).saved(ago).waits(Rule.SHRINK, WaitCode.TURN);
        }
        lost().saved(Optional.empty())
                .held(Rule.REMOVE, AFTER)
                .failed(save, Duration.ofSeconds(7))
                .waits(Rule.REMOVE, WaitCode.BACKUP);
        lost().saved(Optional.empty())
                .held(Rule.REMOVE, AFTER)
                .failed(save, Duration.ZERO)
                .acts(Rule.REMOVE, save);
    }

    /** The other voters have all data, and a machine joins again within a minute. */
    @Test
    void noSnapshotIsSavedWhereDataAreLost() {
        lost().saved(Optional.empty())
                .waiting(C, WaitCode.LOST)
                .held(Rule.REMOVE, RepairRules.LOOK_AGAIN)
                .appends(Rule.REMOVE, complete().removal(A, C));
    }

    @Test
    void anOperatorMayHaveVotersRemovedWithoutASnapshot() {
        ClusterSpec wanted = complete().charter().seed().spec();
        WrittenLog log = complete()
                .wanting(new ClusterSpec(
                        wanted.version(),
                        wanted.nodes(),
                        wanted.formWith(),
                        wanted.replaceAfter(),
                        true));
        AutoScene.ofVoter(A, log)
                .provided(true, true)
                .etcd(down(log, C))
                .reports(B, Duration.ofSeconds(1), Optional.of(seat(B).id()))
                .reports(C, LONG, Optional.of(seat(C).id()))
                .reports(D)
                .saved(Optional.empty())
                .held(Rule.REMOVE, AFTER)
                .appends(Rule.REMOVE, log.removal(A, C));
    }

    @Test
    void voterByVoterActs() {
        AutoScene second = AutoScene.ofVoter(B, complete())
                .provided(true, true)
                .etcd(down(complete(), C))
                .reports(A, Duration.ofSeconds(1), Optional.of(seat(A).id()))
                .reports(D)
                .silent(C);
        second.held(Rule.REMOVE, AFTER).waits(Rule.REMOVE, WaitCode.TURN);
        second.held(Rule.REMOVE, AFTER.plusSeconds(20))
                .appends(Rule.REMOVE, complete().removal(B, C));
    }

    @Test
    void withoutAnotherMachineNoVoterIsRemoved() {
        lost().silent(D).held(Rule.REMOVE, LONG).waits(Rule.REMOVE, WaitCode.SPARE);
        lost().reports(D, Duration.ofMinutes(3))
                .held(Rule.REMOVE, LONG)
                .waits(Rule.REMOVE, WaitCode.SPARE);
        lost().blankWaiting(D, WaitCode.FAILED)
                .held(Rule.REMOVE, LONG)
                .waits(Rule.REMOVE, WaitCode.SPARE);
    }

    /** As an upgrade, which restarts it. */
    @Test
    void aMachineThatRunsACommandIsWaitedFor() {
        AutoScene running = lost().running(C, "kjadm etcd upgrade 3.7.1");
        running.waits(Rule.REMOVE, WaitCode.AGE);
        assertEquals("", ((Wait) running.outcome().decision()).next());
        assertNotEquals("", ((Wait) lost().outcome().decision()).next());
    }

    @Test
    void aMachineThatReportsIsNotReplaced() {
        lost().reports(C, Duration.ofSeconds(1), Optional.of(seat(C).id()))
                .held(Rule.REMOVE, LONG)
                .waits(Rule.REMOVE, WaitCode.HEALTHY);
        lost().reports(C, AFTER.minusSeconds(1), Optional.of(seat(C).id()))
                .held(Rule.REMOVE, LONG)
                .waits(Rule.REMOVE, WaitCode.HEALTHY);
    }

    @ParameterizedTest
    @EnumSource(
            value = WaitCode.class,
            names = {"DISK", "UNIT", "ADDRESS", "FAILED"})
    void aMachineThatCannotStartEtcdForLongIsReplaced(WaitCode code) {
        lost().waiting(C, code).waits(Rule.REMOVE, WaitCode.AGE);
        lost().waiting(C, code)
                .held(Rule.REMOVE, AFTER)
                .appends(Rule.REMOVE, complete().removal(A, C));
    }

    @Test
    void whatAPersonHasStoppedIsNotReplaced() {
        lost().waiting(C, WaitCode.STOPPED).held(Rule.REMOVE, LONG).passes(Rule.REMOVE);
        lost().waiting(C, WaitCode.PAUSED).held(Rule.REMOVE, LONG).passes(Rule.REMOVE);
    }

    @Test
    void aMachineThatWasLostDuringAPauseIsReplacedAfterIt() {
        lost().waiting(C, WaitCode.PAUSED, LONG)
                .held(Rule.REMOVE, AFTER)
                .appends(Rule.REMOVE, complete().removal(A, C));
    }

    @Test
    void aVoterThatTheLogDoesNotKnowIsNotRemoved() {
        lost().etcd(down(complete(), D)).held(Rule.REMOVE, LONG).passes(Rule.REMOVE);
        AutoScene.ofVoter(A, open())
                .etcd(down(complete(), C))
                .held(Rule.REMOVE, LONG)
                .passes(Rule.REMOVE);
    }

    /** Else nobody would join while one of the first voters is lost. */
    @Test
    void aVoterOfAClusterThatFormsIsReplacedAndItsFounderIsNot() {
        WrittenLog log = WrittenLog.seeded(5)
                .with(A, WrittenLog.form(1, A))
                .joining(B)
                .joined(B)
                .joining(C)
                .joined(C);
        AutoScene.ofVoter(A, log)
                .provided(true, true)
                .etcd(down(log, C))
                .waiting(C, WaitCode.LOST)
                .held(Rule.REMOVE, LONG)
                .appends(Rule.REMOVE, log.removal(A, C));
        AutoScene.ofVoter(B, log)
                .provided(true, true)
                .etcd(down(log, A))
                .waiting(A, WaitCode.LOST)
                .held(Rule.REMOVE, LONG)
                .passes(Rule.REMOVE);
    }

    @Test
    void lostDataNeedNoOtherMachine() {
        AutoScene scene = lost().silent(D).waiting(C, WaitCode.LOST);
        scene.waits(Rule.REMOVE, WaitCode.TURN);
        scene.held(Rule.REMOVE, RepairRules.LOOK_AGAIN)
                .appends(Rule.REMOVE, complete().removal(A, C));
    }

    @Test
    void nothingIsRemovedWhileAnotherVoterIsDown() {
        lost().etcd(down(complete(), B, C)).held(Rule.REMOVE, LONG).passes(Rule.REMOVE);
        lost().etcd(down(complete(), A)).held(Rule.REMOVE, LONG).passes(Rule.REMOVE);
    }

    @Test
    void ofTwoVotersNoneIsRemoved() {
        AutoScene.ofVoter(A, open())
                .etcd(down(open(), B))
                .waiting(B, WaitCode.LOST)
                .held(Rule.REMOVE, LONG)
                .passes(Rule.REMOVE);
    }

    @Test
    void aMachineWithoutAVoterRemovesNone() {
        AutoScene.of(D, complete())
                .etcd(down(complete(), C))
                .held(Rule.REMOVE, LONG)
                .passes(Rule.REMOVE);
    }

    @Test
    void moreThanThreeADayAreNotRemoved() {
        WrittenLog log = complete();
        for (int i = 0; i < Membership.PACE; i++) {
            log = log.removed(A, C).joining(C).joined(C);
        }
        AutoScene.ofVoter(A, log)
                .provided(true, true)
                .etcd(down(log, C))
                .waiting(C, WaitCode.LOST)
                .held(Rule.REMOVE, LONG)
                .waits(Rule.REMOVE, WaitCode.PACE);
    }

    // ---- what goes on

    @Test
    void anOpenRemovalIsCarriedOutAndClosed() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        AutoScene.ofVoter(A, log)
                .etcd(down(log, C))
                .acts(Rule.CONTINUE, new Step.Remove(seat(C).id()));
        AutoScene.ofVoter(A, log)
                .etcd(AutoScene.healthy(complete().removed(A, C)))
                .appends(Rule.CONTINUE, log.doneWithout(C));
        AutoScene.ofVoter(A, log).etcd(new EtcdView.Silent("no route")).passes(Rule.CONTINUE);
    }

    @Test
    void aVoterThatRespondsAgainStays() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        AutoScene actor = AutoScene.ofVoter(A, log).etcd(AutoScene.healthy(log));
        actor.waits(Rule.WITHDRAW, WaitCode.CHANGE);
        actor.held(Rule.WITHDRAW, Duration.ofSeconds(16)).appends(Rule.WITHDRAW, log.done());
        AutoScene.ofVoter(B, log)
                .reports(A, Duration.ofMinutes(3), Optional.of(seat(A).id()))
                .held(Rule.TAKE_OVER, LONG)
                .etcd(AutoScene.healthy(log))
                .appends(Rule.TAKE_OVER, log.done());
        AutoScene.ofVoter(B, log).etcd(AutoScene.healthy(log)).passes(Rule.WITHDRAW);
    }

    /** The machine that has announced the removal is lost for good, too. */
    @Test
    void aVoterThatRespondsAgainStaysAlsoWhenAnotherOneIsDown() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        AutoScene.ofVoter(B, log)
                .silent(A)
                .held(Rule.TAKE_OVER, LONG)
                .etcd(down(log, A))
                .appends(Rule.TAKE_OVER, log.done());
    }

    @Test
    void theFirstVoterThatStaysActsFirst() {
        AutoScene.ofVoter(B, complete())
                .provided(true, true)
                .etcd(down(complete(), A))
                .reports(C, Duration.ofSeconds(1), Optional.of(seat(C).id()))
                .waiting(A, WaitCode.LOST)
                .held(Rule.REMOVE, RepairRules.LOOK_AGAIN)
                .appends(Rule.REMOVE, complete().removal(B, A));
    }

    @Test
    void aRemovalOfASilentMachineIsTakenOver() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        AutoScene scene = AutoScene.ofVoter(B, log)
                .reports(A, Duration.ofMinutes(3), Optional.of(seat(A).id()))
                .etcd(down(log, C));
        scene.waits(Rule.TAKE_OVER, WaitCode.TURN);
        scene.held(Rule.TAKE_OVER, RepairRules.LOOK_AGAIN.plusSeconds(20))
                .acts(Rule.TAKE_OVER, new Step.Remove(seat(C).id()));
        scene.etcd(AutoScene.healthy(complete().removed(A, C)))
                .appends(Rule.TAKE_OVER, log.doneWithout(C));
    }

    @Test
    void theVoterThatLeavesTakesNothingOver() {
        WrittenLog log = complete().with(A, complete().removal(A, C));
        AutoScene.ofVoter(C, log)
                .reports(A, Duration.ofMinutes(3), Optional.of(seat(A).id()))
                .held(Rule.TAKE_OVER, LONG)
                .passes(Rule.TAKE_OVER);
    }

    @Test
    void aLearnerOfASilentMachineIsRemoved() {
        WrittenLog log = complete().removed(A, C).joining(D);
        AutoScene scene = AutoScene.ofVoter(A, log)
                .reports(D, Duration.ofMinutes(3))
                .held(Rule.TAKE_OVER, RepairRules.LOOK_AGAIN)
                .etcd(new EtcdView.Answers(
                        AutoScene.health(
                                AutoScene.and(AutoScene.voters(log), AutoScene.member(D, true)),
                                List.of(D)),
                        WrittenLog.CLUSTER));
        scene.acts(Rule.TAKE_OVER, new Step.Remove(seat(D).id()));
        scene.etcd(AutoScene.healthy(log)).appends(Rule.TAKE_OVER, log.done());
    }
}
