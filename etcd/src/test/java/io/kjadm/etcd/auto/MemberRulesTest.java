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
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.clientUrl;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.pair;
import static io.kjadm.etcd.auto.WrittenLog.seeded;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Step.Join;
import io.kjadm.etcd.auto.Step.Remove;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Which members etcd lists beside the log, and who joins next. */
class MemberRulesTest {

    private static final EtcdView SILENT = new EtcdView.Silent("connection refused");

    private static EtcdView answers(EtcdHealth health) {
        return new EtcdView.Answers(health, CLUSTER);
    }

    // ---- MEMBERS

    @Test
    void membersThatDoNotRespondAreTold() {
        AutoScene.ofVoter(A, complete()).etcd(SILENT).waits(Rule.MEMBERS, WaitCode.QUORUM);
        AutoScene.ofVoter(A, complete()).passes(Rule.MEMBERS);
        AutoScene.of(A, seeded(3)).passes(Rule.MEMBERS);
    }

    @Test
    void membersOfAnotherClusterAreTold() {
        AutoScene.ofVoter(A, complete())
                .etcd(new EtcdView.Answers(health(voters(complete()), List.of()), "another"))
                .waits(Rule.MEMBERS, WaitCode.SPLIT);
    }

    @Test
    void aLostQuorumIsTold() {
        AutoScene.ofVoter(A, complete())
                .etcd(answers(health(voters(complete()), List.of(B, C))))
                .waits(Rule.MEMBERS, WaitCode.QUORUM);
        AutoScene.ofVoter(A, complete())
                .etcd(answers(AutoScene.leaderless(voters(complete()))))
                .waits(Rule.MEMBERS, WaitCode.QUORUM);
        AutoScene.ofVoter(A, complete())
                .etcd(answers(health(voters(complete()), List.of(C))))
                .passes(Rule.MEMBERS);
    }

    @Test
    void membersThatTheLogDoesNotKnowAreTold() {
        AutoScene.ofVoter(A, complete())
                .etcd(answers(health(and(voters(complete()), member(D, true)), List.of())))
                .waits(Rule.MEMBERS, WaitCode.LEARNER);
        AutoScene.ofVoter(A, complete())
                .etcd(answers(health(and(voters(complete()), member(D, false)), List.of())))
                .waits(Rule.OBSERVED, WaitCode.FOREIGN);
        AutoScene.ofVoter(A, complete())
                .etcd(answers(health(voters(pair()), List.of())))
                .waits(Rule.OBSERVED, WaitCode.FOREIGN);
    }

    // ---- JOIN

    /** It added it late, when its change was closed. */
    @Test
    void aMachineRemovesItsLearnerThatTheLogDoesNotKnow() {
        EtcdView view = answers(health(and(voters(open()), member(C, true)), List.of()));
        AutoScene.of(C, open()).etcd(view).waits(Rule.MEMBERS, WaitCode.LEARNER);
        AutoScene.of(C, open())
                .etcd(view)
                .held(Rule.MEMBERS, MemberRules.ACTOR_GONE)
                .acts(Rule.MEMBERS, new Remove(WrittenLog.member(C)));
        AutoScene.of(D, open())
                .etcd(view)
                .held(Rule.MEMBERS, MemberRules.ACTOR_GONE)
                .waits(Rule.MEMBERS, WaitCode.LEARNER);
    }

    @Test
    void aBlankMachineTakesTheFreePlace() {
        AutoScene.of(C, open()).etcd(healthy(open())).appends(Rule.JOIN, open().change(C));
        AutoScene.of(B, forming())
                .reports(A, Duration.ZERO, Optional.of(WrittenLog.member(A)))
                .etcd(healthy(forming()))
                .appends(Rule.JOIN, forming().change(B));
    }

    @Test
    void thereIsNoFreePlaceInAFullCluster() {
        AutoScene.of(D, complete()).etcd(healthy(complete())).passes(Rule.JOIN);
        AutoScene.ofVoter(A, open()).passes(Rule.JOIN);
        AutoScene.of(A, seeded(3)).passes(Rule.JOIN);
    }

    @Test
    void aMachineWithOtherDataDoesNotJoin() {
        AutoScene.of(C, open())
                .etcd(healthy(open()))
                .data(new Data.Held(0, Optional.empty()))
                .waits(Rule.JOIN, WaitCode.DISK);
        AutoScene.of(C, open())
                .etcd(healthy(open()))
                .data(new Data.Unreadable("input/output error"))
                .waits(Rule.JOIN, WaitCode.DISK);
    }

    @Test
    void aMachineThatIsNotReadyDoesNotJoin() {
        AutoScene.of(C, open())
                .etcd(healthy(open()))
                .lacks("no systemd")
                .waits(Rule.JOIN, WaitCode.READY);
    }

    @Test
    void nobodyJoinsWhileAVoterIsDown() {
        AutoScene.of(
                        D,
                        seeded(5)
                                .with(A, WrittenLog.form(1, A))
                                .joining(B)
                                .joined(B)
                                .joining(C)
                                .joined(C))
                .reports(A)
                .etcd(answers(health(voters(complete()), List.of(C))))
                .waits(Rule.JOIN, WaitCode.HEALTHY);
    }

    @Test
    void aJoinThatFailedIsTriedAgainLater() {
        Join join = new Join(own(C), List.of(clientUrl(A), clientUrl(B)));
        AutoScene.of(C, open())
                .etcd(healthy(open()))
                .failed(join, Duration.ofSeconds(1))
                .waits(Rule.JOIN, WaitCode.FAILED);
        AutoScene.of(C, open())
                .etcd(healthy(open()))
                .failed(join, Duration.ZERO)
                .appends(Rule.JOIN, open().change(C));
    }

    /** Meanwhile another machine may have joined. */
    @Test
    void aJoinThatFailedIsTriedAgainLaterAtOtherEndpointsToo() {
        AutoScene.of(C, pair())
                .reports(A)
                .etcd(healthy(pair()))
                .failed(new Join(own(C), List.of(clientUrl(A))), Duration.ofSeconds(1))
                .waits(Rule.JOIN, WaitCode.FAILED);
    }

    @Test
    void theLowestOfTheBlankMachinesJoinsFirst() {
        AutoScene fourth = AutoScene.of(D, open()).reports(C).etcd(healthy(open()));
        fourth.waits(Rule.JOIN, WaitCode.TURN);
        fourth.held(Rule.JOIN, Duration.ofSeconds(5)).appends(Rule.JOIN, open().change(D));
        AutoScene.of(D, open())
                .reports(C, RepairRules.SILENT.plusMillis(1))
                .etcd(healthy(open()))
                .appends(Rule.JOIN, open().change(D));
    }
}
