package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.member;
import static io.kjadm.etcd.auto.WrittenLog.open;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class ServingRulesTest {

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
