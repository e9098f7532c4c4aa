package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.AutoScene.and;
import static io.kjadm.etcd.auto.AutoScene.health;
import static io.kjadm.etcd.auto.AutoScene.healthy;
import static io.kjadm.etcd.auto.AutoScene.member;
import static io.kjadm.etcd.auto.AutoScene.own;
import static io.kjadm.etcd.auto.AutoScene.voters;
import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.CLUSTER;
import static io.kjadm.etcd.auto.WrittenLog.clientUrl;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.joining;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.pair;
import static io.kjadm.etcd.auto.WrittenLog.seat;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Step.Join;
import io.kjadm.etcd.auto.Step.Remove;
import io.kjadm.etcd.auto.Step.Start;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A change of members that a machine has opened in the log, and not closed yet. */
class OpenChangeTest {

    private static final EtcdView SILENT = new EtcdView.Silent("connection refused");

    private static EtcdView answers(EtcdHealth health) {
        return new EtcdView.Answers(health, CLUSTER);
    }

    @Test
    void whoHasOpenedAChangeJoins() {
        Join join = new Join(own(B), List.of(clientUrl(A)));
        AutoScene.of(B, joining()).etcd(healthy(forming())).acts(Rule.CONTINUE, join);
        AutoScene.of(B, joining()).etcd(SILENT).acts(Rule.CONTINUE, join);
        AutoScene.of(B, joining())
                .etcd(answers(health(and(voters(forming()), member(B, true)), List.of())))
                .acts(Rule.CONTINUE, join);
        AutoScene.of(C, joining()).etcd(healthy(forming())).passes(Rule.CONTINUE);
        AutoScene.of(B, forming()).etcd(healthy(forming())).passes(Rule.CONTINUE);
    }

    /** An upgrade may not have reached all members, or may have been taken back. */
    @Test
    void aNewMemberHasTheVersionOfTheOldest() {
        for (EtcdVersion oldest : List.of(new EtcdVersion(3, 5, 30), new EtcdVersion(3, 9, 0))) {
            Step.Own wanted = own(B);
            AutoScene.of(B, joining())
                    .etcd(answers(health(voters(forming()), List.of(), oldest, List.of(A))))
                    .acts(
                            Rule.CONTINUE,
                            new Join(
                                    new Step.Own(
                                            wanted.name(),
                                            wanted.address(),
                                            oldest,
                                            wanted.flags()),
                                    List.of(clientUrl(A))));
        }
    }

    @Test
    void aJoinThatHasEndedClosesItsChange() {
        AutoScene.of(B, joining())
                .holding(1)
                .etcd(healthy(pair()))
                .appends(Rule.CONTINUE, joining().done(seat(B)));
    }

    @Test
    void aVoterThatIsNotSetUpIsNotDone() {
        AutoScene.of(B, joining())
                .data(new Data.Held(1, Optional.empty()))
                .etcd(healthy(pair()))
                .acts(Rule.CONTINUE, new Join(own(B), List.of(clientUrl(A))));
    }

    /** It was put back before the log said that it votes: another machine removes it then. */
    @Test
    void aVoterThatHasLostItsDataIsNotStartedByItsJoin() {
        Data lost = new Data.Lost("the data are older than they were");
        AutoScene.of(B, joining())
                .data(lost)
                .etcd(healthy(pair()))
                .appends(Rule.CONTINUE, joining().done(seat(B)));
        AutoScene.of(B, joining()).data(lost).etcd(SILENT).waits(Rule.CONTINUE, WaitCode.QUORUM);
    }

    /** The machine was put back to before its join: no join continues that learner. */
    @Test
    void aLearnerWhoseDataAreGoneIsRemovedByItsMachine() {
        Join join = new Join(own(B), List.of(clientUrl(A)));
        EtcdView learner = answers(health(and(voters(forming()), member(B, true)), List.of()));
        Duration again = Duration.ofSeconds(1);
        for (Data data : List.of(
                new Data.Blank(), new Data.Lost("empty"), new Data.Held(1, Optional.empty()))) {
            AutoScene.of(B, joining()).data(data).etcd(learner).acts(Rule.CONTINUE, join);
            AutoScene.of(B, joining())
                    .data(data)
                    .etcd(learner)
                    .failed(join, again)
                    .acts(Rule.CONTINUE, new Remove(WrittenLog.member(B)));
        }
        AutoScene.of(B, joining())
                .data(new Data.Held(1, Optional.of(WrittenLog.member(B))))
                .etcd(learner)
                .failed(join, again)
                .waits(Rule.CONTINUE, WaitCode.FAILED);
    }

    /** Else the voter that is down is never replaced. */
    @Test
    void aVoterWhoseJoinFailsClosesItsChange() {
        AutoScene.of(B, joining())
                .data(new Data.Held(1, Optional.of(WrittenLog.member(B))))
                .etcd(healthy(pair()))
                .failed(new Join(own(B), List.of(clientUrl(A))), Duration.ofSeconds(1))
                .appends(Rule.CONTINUE, joining().done(seat(B)));
    }

    @Test
    void aJoinThatHasNotFinishedIsRunAgainWhileAllVotersAreHealthy() {
        Data held = new Data.Held(1, Optional.of(WrittenLog.member(B)));
        Join join = new Join(own(B), List.of(clientUrl(A), clientUrl(B)));
        AutoScene.ofVoter(B, pair()).notSetUp().data(held).reports(A).acts(Rule.JOIN, join);
        AutoScene.ofVoter(B, pair())
                .notSetUp()
                .data(held)
                .etcd(answers(health(voters(pair()), List.of(A))))
                .passes(Rule.JOIN);
        AutoScene.ofVoter(B, pair()).data(held).passes(Rule.JOIN);
    }

    @Test
    void aVoterWhoseJoinHasNotFinishedIsStarted() {
        AutoScene.ofVoter(B, open())
                .notSetUp()
                .data(new Data.Held(1, Optional.of(WrittenLog.member(B))))
                .unit(UnitState.FAILED)
                .acts(Rule.START, new Start());
        AutoScene.ofVoter(B, open())
                .notSetUp()
                .data(new Data.Held(1, Optional.empty()))
                .unit(UnitState.FAILED)
                .passes(Rule.START);
    }

    /** The entry that says that it votes may be missing in the store, or not have been read. */
    @Test
    void aMemberThatJoinsIsStartedWhileTheStoreDoesNotAnswer() {
        Data held = new Data.Held(1, Optional.of(WrittenLog.member(B)));
        for (StoreView store : List.of(
                new StoreView.Silent("timeout"), new StoreView.Unsafe("slot 3 is missing"))) {
            for (UnitState unit : List.of(UnitState.SKIPPED, UnitState.FAILED)) {
                AutoScene.of(B, joining())
                        .data(held)
                        .unit(unit)
                        .store(store)
                        .acts(Rule.START, new Start());
            }
            AutoScene.of(B, joining())
                    .data(new Data.Held(1, Optional.empty()))
                    .unit(UnitState.SKIPPED)
                    .store(store)
                    .passes(Rule.START);
        }
        AutoScene.of(B, joining())
                .data(held)
                .unit(UnitState.STOPPED)
                .store(new StoreView.Silent("timeout"))
                .passes(Rule.START);
        // the join itself starts it
        AutoScene.of(B, joining()).data(held).unit(UnitState.SKIPPED).passes(Rule.START);
    }

    @Test
    void aJoinThatWasRolledBackClosesItsChange() {
        Join join = new Join(own(B), List.of(clientUrl(A)));
        AutoScene.of(B, joining())
                .etcd(healthy(forming()))
                .failed(join, Duration.ofSeconds(1))
                .appends(Rule.CONTINUE, joining().done());
        AutoScene.of(B, joining().paused())
                .etcd(healthy(forming()))
                .appends(Rule.CONTINUE, joining().done());
    }

    /** Another machine removed its learner, and was overtaken by its promotion. */
    @Test
    void aJoinWhoseMemberWasRemovedClosesItsChange() {
        AutoScene.of(B, joining())
                .data(new Data.Held(1, Optional.of(WrittenLog.member(B))))
                .etcd(healthy(forming()))
                .failed(new Join(own(B), List.of(clientUrl(A))), Duration.ofSeconds(1))
                .appends(Rule.CONTINUE, joining().done());
    }

    @Test
    void aNewChangeIsTriedThoughTheOneBeforeFailed() {
        Join join = new Join(own(B), List.of(clientUrl(A)));
        AutoScene.of(B, joining())
                .etcd(healthy(forming()))
                .failed(join, Duration.ZERO)
                .acts(Rule.CONTINUE, join);
    }

    @Test
    void aJoinThatLeftSomethingIsRunAgain() {
        Join join = new Join(own(B), List.of(clientUrl(A)));
        AutoScene.of(B, joining())
                .data(new Data.Held(1, Optional.empty()))
                .etcd(healthy(forming()))
                .failed(join, Duration.ZERO)
                .acts(Rule.CONTINUE, join);
        AutoScene.of(B, joining())
                .etcd(answers(health(and(voters(forming()), member(B, true)), List.of())))
                .failed(join, Duration.ZERO)
                .acts(Rule.CONTINUE, join);
        AutoScene.of(B, joining())
                .etcd(SILENT)
                .failed(join, Duration.ofSeconds(1))
                .waits(Rule.CONTINUE, WaitCode.FAILED);
    }

    /** Else no other machine joins or is replaced for as long as it reports. */
    @Test
    void aJoinThatFailsAgainAndAgainLetsOthersGoFirst() {
        Join join = new Join(own(B), List.of(clientUrl(A)));
        Data begun = new Data.Held(1, Optional.empty());
        AutoScene.of(B, joining())
                .data(begun)
                .etcd(healthy(forming()))
                .failed(join, 2, Duration.ofSeconds(1))
                .waits(Rule.CONTINUE, WaitCode.FAILED);
        AutoScene.of(B, joining())
                .data(begun)
                .etcd(healthy(forming()))
                .failed(join, 3, Duration.ofSeconds(1))
                .appends(Rule.CONTINUE, joining().done());
        AutoScene.of(B, joining())
                .data(begun)
                .etcd(SILENT)
                .failed(join, 3, Duration.ofSeconds(1))
                .waits(Rule.CONTINUE, WaitCode.FAILED);
    }

    /** It was killed after it had added the learner, and cannot be finished. */
    @Test
    void aJoinThatFailsAgainAndAgainTakesItsLearnerAway() {
        Join join = new Join(own(B), List.of(clientUrl(A)));
        EtcdView learner = answers(health(and(voters(forming()), member(B, true)), List.of()));
        for (Data data : List.of(
                new Data.Held(1, Optional.empty()),
                new Data.Held(1, Optional.of(WrittenLog.member(B))))) {
            AutoScene.of(B, joining())
                    .data(data)
                    .etcd(learner)
                    .failed(join, 3, Duration.ofSeconds(1))
                    .acts(Rule.CONTINUE, new Remove(WrittenLog.member(B)));
            AutoScene.of(B, joining())
                    .data(data)
                    .etcd(learner)
                    .failed(join, 3, Duration.ZERO)
                    .acts(Rule.CONTINUE, join);
        }
        // one that votes stays
        AutoScene.of(B, joining())
                .data(new Data.Held(1, Optional.of(WrittenLog.member(B))))
                .etcd(healthy(pair()))
                .failed(join, 3, Duration.ofSeconds(1))
                .appends(Rule.CONTINUE, joining().done(seat(B)));
    }

    @Test
    void whoJoinsAClusterWhoseFounderIsGoneAbandonsIt() {
        AutoScene.of(B, joining())
                .reports(A, FormRules.FOUNDER_GONE)
                .etcd(SILENT)
                .appends(Rule.ABANDON, new EntryBody.Abandon(1));
        AutoScene.of(B, joining())
                .reports(A, FormRules.FOUNDER_GONE.minusSeconds(1))
                .etcd(SILENT)
                .acts(Rule.CONTINUE, new Join(own(B), List.of(clientUrl(A))));
        AutoScene.of(B, joining())
                .reports(A, FormRules.FOUNDER_GONE)
                .etcd(healthy(forming()))
                .acts(Rule.CONTINUE, new Join(own(B), List.of(clientUrl(A))));
    }

    @Test
    void theChangeOfAMachineThatIsGoneIsClosed() {
        Duration gone = MemberRules.ACTOR_GONE;
        AutoScene scene = AutoScene.ofVoter(A, joining())
                .provided(true, false)
                .reports(B, gone)
                .etcd(healthy(forming()));
        // it was silent before, and may have begun the change just now
        scene.waits(Rule.TAKE_OVER, WaitCode.TURN);
        scene.held(Rule.TAKE_OVER, RepairRules.LOOK_AGAIN)
                .appends(Rule.TAKE_OVER, joining().done());
        AutoScene.ofVoter(A, joining())
                .provided(true, false)
                .reports(B, gone)
                .held(Rule.TAKE_OVER, RepairRules.LOOK_AGAIN)
                .etcd(healthy(pair()))
                .appends(Rule.TAKE_OVER, joining().done(seat(B)));
        AutoScene.ofVoter(A, joining())
                .provided(true, false)
                .reports(B, gone.minusMillis(1))
                .passes(Rule.TAKE_OVER);
        AutoScene.ofVoter(A, forming()).reports(B, gone).passes(Rule.TAKE_OVER);
        AutoScene.ofVoter(B, joining()).passes(Rule.TAKE_OVER);
    }

    /** It reports, and does nothing before its own member is replaced. */
    @Test
    void theChangeOfAMachineThatHasLostItsDataIsEnded() {
        WrittenLog log = complete().wanting(1).with(B, complete().removal(B, C));
        AutoScene scene = AutoScene.ofVoter(A, log)
                .provided(true, true)
                .waiting(B, WaitCode.LOST)
                .etcd(answers(health(voters(log), List.of(B))));
        scene.waits(Rule.TAKE_OVER, WaitCode.TURN);
        scene.held(Rule.TAKE_OVER, MemberRules.ACTOR_GONE).appends(Rule.TAKE_OVER, log.done());
        scene.waiting(B, WaitCode.HEALTHY).passes(Rule.TAKE_OVER);
    }

    @Test
    void aVoterThatRespondsTakesOver() {
        Duration gone = MemberRules.ACTOR_GONE;
        AutoScene.of(C, joining()).reports(B, gone).etcd(healthy(forming())).passes(Rule.TAKE_OVER);
        AutoScene.ofVoter(A, joining())
                .reports(B, gone)
                .provided(true, false)
                .etcd(answers(AutoScene.leaderless(voters(forming()))))
                .passes(Rule.TAKE_OVER);
    }
}
