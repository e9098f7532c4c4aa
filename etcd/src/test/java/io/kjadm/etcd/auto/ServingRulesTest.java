package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.AutoScene.health;
import static io.kjadm.etcd.auto.AutoScene.healthy;
import static io.kjadm.etcd.auto.AutoScene.voters;
import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.CLUSTER;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.E;
import static io.kjadm.etcd.auto.WrittenLog.clientUrl;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.member;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.pair;
import static io.kjadm.etcd.auto.WrittenLog.seeded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Decision.Idle;
import io.kjadm.etcd.auto.Step.Clients;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What is left to do when no machine changes members. */
class ServingRulesTest {

    private static EtcdView answers(EtcdHealth health) {
        return new EtcdView.Answers(health, CLUSTER);
    }

    @Test
    void clientsAreTold() {
        AutoScene.ofVoter(A, complete()).acts(Rule.CLIENTS, new Clients(List.of()));
        AutoScene.ofVoter(B, complete())
                .acts(Rule.CLIENTS, new Clients(List.of(clientUrl(A), clientUrl(B), clientUrl(C))));
    }

    @Test
    void clientsAreToldOnVotersOfAnOpenClusterOnce() {
        AutoScene.ofVoter(A, complete()).provided(true, true).passes(Rule.CLIENTS);
        AutoScene.ofVoter(A, pair()).passes(Rule.CLIENTS);
        AutoScene.of(D, complete()).etcd(healthy(complete())).passes(Rule.CLIENTS);
    }

    @Test
    void aVoterThatIsDownIsTold() {
        AutoScene.ofVoter(A, complete())
                .provided(true, true)
                .etcd(answers(health(voters(complete()), List.of(C))))
                .waits(Rule.REMOVE, WaitCode.AGE);
        AutoScene.of(D, complete())
                .etcd(answers(health(voters(complete()), List.of(C))))
                .waits(Rule.HEALTH, WaitCode.HEALTHY);
        WrittenLog five = complete().joining(D).joined(D).joining(E).joined(E);
        AutoScene.ofVoter(A, five)
                .provided(true, true)
                .etcd(answers(health(voters(five), List.of(C, D))))
                .waits(Rule.HEALTH, WaitCode.HEALTHY);
        AutoScene.ofVoter(A, complete()).passes(Rule.HEALTH);
        AutoScene.of(A, seeded(3)).passes(Rule.HEALTH);
    }

    @Test
    void aCompleteClusterIsLeftAlone() {
        var outcome = AutoScene.ofVoter(A, complete()).provided(true, true).outcome();
        assertEquals(Rule.IDLE, outcome.rule());
        assertInstanceOf(Idle.class, outcome.decision());
    }

    /** The operator who reads it counts on it when a voter is lost. */
    @Test
    void aMachineThatCannotTakeAMemberIsNotCalledASpare() {
        EtcdView healthy = AutoScene.healthy(complete());
        Function<AutoScene, String> idle = scene -> assertInstanceOf(
                        Idle.class, scene.etcd(healthy).outcome().decision())
                .why();
        String spare = idle.apply(AutoScene.of(D, complete()));
        assertNotEquals(spare, idle.apply(AutoScene.of(D, complete()).lacks("no disk")));
        assertNotEquals(
                spare,
                idle.apply(AutoScene.of(D, complete())
                        .data(new Data.Held(0, Optional.of(new MemberId(7))))));
    }

    @Test
    void votersThatAreMissingAreWaitedFor() {
        AutoScene.ofVoter(A, forming()).provided(true, false).waits(Rule.IDLE, WaitCode.MACHINES);
        AutoScene.ofVoter(A, open()).provided(true, true).waits(Rule.IDLE, WaitCode.SPARE);
    }

    /** As every member tells of it. */
    private static EtcdView alarmed(WrittenLog log, String kind, List<MachineId> down) {
        EtcdHealth health = AutoScene.health(AutoScene.voters(log), down);
        String alarm = "memberID:%d alarm:%s ".formatted(member(A).value(), kind);
        Map<MemberId, MemberStatus> statuses = new HashMap<>(health.statuses());
        statuses.replaceAll((_, status) -> new MemberStatus(
                status.ids(),
                status.leaderId(),
                status.versions(),
                status.database(),
                status.raft(),
                status.learner(),
                List.of(alarm)));
        return new EtcdView.Answers(
                new EtcdHealth(health.members(), statuses, health.silences()), WrittenLog.CLUSTER);
    }

    @ParameterizedTest
    @ValueSource(strings = {Alarm.NOSPACE, Alarm.CORRUPT})
    void anAlarmIsToldByAMachineThatHasNothingElseToDo(String kind) {
        AutoScene.ofVoter(B, complete())
                .provided(true, true)
                .etcd(alarmed(complete(), kind, List.of()))
                .waits(Rule.ALARM, WaitCode.ALARM);
    }

    @ParameterizedTest
    @ValueSource(strings = {Alarm.NOSPACE, Alarm.CORRUPT})
    void nobodyChangesMembersWhileAnAlarmIsRaised(String kind) {
        AutoScene.of(C, open())
                .etcd(alarmed(open(), kind, List.of()))
                .waits(Rule.ALARM, WaitCode.ALARM);
        AutoScene.ofVoter(A, complete())
                .provided(true, true)
                .reports(D)
                .held(Rule.REMOVE, Duration.ofHours(1))
                .etcd(alarmed(complete(), kind, List.of(C)))
                .waits(Rule.ALARM, WaitCode.ALARM);
    }
}
