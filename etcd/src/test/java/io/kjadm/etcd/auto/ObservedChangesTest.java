package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.seat;

import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Observed;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Members that others have changed, and a machine whose member is gone. */
class ObservedChangesTest {

    private static final Duration LONG = ClusterSpec.REPLACE_AFTER.plus(Duration.ofMinutes(2));

    @Test
    void changesOfOthersAreWrittenAfterASecondLook() {
        WrittenLog log = complete();
        AutoScene scene =
                AutoScene.ofVoter(A, log).etcd(AutoScene.healthy(complete().removed(A, C)));
        scene.waits(Rule.OBSERVED, WaitCode.FOREIGN);
        scene.held(Rule.OBSERVED, Duration.ofSeconds(15))
                .appends(Rule.OBSERVED, new Observed(log.without(C)));
    }

    @Test
    void theyAreWrittenInAPauseToo() {
        WrittenLog log = complete().paused();
        AutoScene.ofVoter(A, log)
                .etcd(AutoScene.healthy(complete().removed(A, C)))
                .held(Rule.OBSERVED, Duration.ofSeconds(15))
                .appends(Rule.OBSERVED, new Observed(log.without(C)));
    }

    @Test
    void afterThemMembersStayUntilAPersonResumes() {
        WrittenLog log = complete().with(A, new Observed(complete().without(C)));
        AutoScene.ofVoter(A, log).provided(true, true).waits(Rule.HELD, WaitCode.FOREIGN);
        AutoScene.of(D, log).etcd(AutoScene.healthy(log)).waits(Rule.HELD, WaitCode.FOREIGN);
    }

    @Test
    void aChangeThatOthersOvertookEndsWithWhatEtcdLists() {
        WrittenLog log = open().joining(C);
        AutoScene.ofVoter(B, log)
                .reports(C, Duration.ofMinutes(3))
                .held(Rule.TAKE_OVER, LONG)
                .etcd(AutoScene.healthy(open().with(A, new Observed(open().without(B)))))
                .appends(Rule.TAKE_OVER, new Observed(open().without(B)));
    }

    @Test
    void aChangeWithoutOthersEndsAsItIs() {
        WrittenLog log = open().joining(C);
        AutoScene.ofVoter(A, log)
                .reports(C, Duration.ofMinutes(3))
                .held(Rule.TAKE_OVER, LONG)
                .etcd(AutoScene.healthy(open()))
                .appends(
                        Rule.TAKE_OVER,
                        new Done(
                                log.charter().change().orElseThrow().slot(),
                                log.charter().voters()));
    }

    @Test
    void lostDataAreSaidAndNotStarted() {
        AutoScene.ofVoter(A, complete())
                .data(new Data.Lost("the directory is empty"))
                .unit(UnitState.FAILED)
                .waits(Rule.START, WaitCode.LOST);
    }

    @Test
    void aMachineWhoseMemberWasRemovedIsCleared() {
        WrittenLog log = complete().removed(A, C);
        Step reset = new Step.Reset(MemberRules.endpoints(log.charter()));
        AutoScene.of(C, log).holding(1).etcd(AutoScene.healthy(log)).acts(Rule.CLEAR, reset);
        AutoScene.of(C, log)
                .data(new Data.Lost("the directory is empty"))
                .etcd(AutoScene.healthy(log))
                .acts(Rule.CLEAR, reset);
    }

    @Test
    void onlyWhatEtcdDoesNotListIsCleared() {
        WrittenLog log = complete().removed(A, C);
        AutoScene.of(C, log).holding(1).etcd(new EtcdView.Silent("no route")).passes(Rule.CLEAR);
        AutoScene.of(C, log)
                .holding(1)
                .etcd(new EtcdView.Answers(
                        AutoScene.health(
                                AutoScene.and(AutoScene.voters(log), AutoScene.member(C, true)),
                                List.of(C)),
                        WrittenLog.CLUSTER))
                .passes(Rule.CLEAR);
        AutoScene.of(C, log).etcd(AutoScene.healthy(log)).passes(Rule.CLEAR);
        AutoScene.of(C, log)
                .data(new Data.Held(0, Optional.of(seat(C).id())))
                .etcd(AutoScene.healthy(log))
                .passes(Rule.CLEAR);
    }
}
