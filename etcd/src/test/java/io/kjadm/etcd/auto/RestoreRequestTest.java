package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.AutoScene.health;
import static io.kjadm.etcd.auto.AutoScene.leaderless;
import static io.kjadm.etcd.auto.AutoScene.voters;
import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.CLUSTER;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.form;
import static io.kjadm.etcd.auto.WrittenLog.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.RestoreRequest.Answer;
import io.kjadm.etcd.auto.RestoreRequest.Reason;
import io.kjadm.etcd.auto.RestoreRequest.Row;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** When an operator may give up a quorum. */
class RestoreRequestTest {

    private static final Duration OLD = RestoreRequest.RECENT.plusSeconds(1);

    private boolean althoughItServes;
    private Source.Kind kind = Source.Kind.SURVIVOR;
    private String survivor = A.text();

    private Answer judge(AutoScene scene, String... lost) {
        return new RestoreRequest(
                        kind,
                        Optional.of(survivor),
                        kind == Source.Kind.SNAPSHOT
                                ? Optional.of(new Snapshot("/backup", "snap-1", "c1", 70))
                                : Optional.empty(),
                        Set.of(lost),
                        false,
                        althoughItServes,
                        "fire")
                .judge(scene.facts());
    }

    private static void refused(Reason reason, Answer answer) {
        assertEquals(reason, assertInstanceOf(Answer.Refused.class, answer).reason());
    }

    private static Restore granted(Answer answer) {
        return assertInstanceOf(Answer.Granted.class, answer).word();
    }

    /** A answers without a leader; B and C are silent. */
    private static AutoScene lost(WrittenLog log) {
        return AutoScene.of(A, log)
                .holding(1)
                .provided(true, true)
                .etcd(new EtcdView.Answers(leaderless(voters(complete())), CLUSTER))
                .saw(A, Duration.ofSeconds(3), false, 120)
                .saw(B, OLD, true, 110)
                .silent(C);
    }

    @Test
    void aQuorumThatIsLostIsGivenUp() {
        Restore word =
                granted(judge(lost(complete()), WrittenLog.name(B), member(C).toString()));
        assertEquals(
                new Restore(
                        1,
                        Set.of(member(B), member(C)),
                        Optional.of(A),
                        new Source(Source.Kind.SURVIVOR, Optional.empty()),
                        false,
                        "fire"),
                word);
        for (String name : List.of(WrittenLog.name(A), member(A).toString())) {
            survivor = name;
            assertEquals(
                    word,
                    granted(judge(
                            lost(complete()), WrittenLog.name(B), member(C).toString())));
        }
        List<Row> rows = RestoreRequest.rows(lost(complete()).facts(), word);
        assertEquals(
                List.of(Optional.of(120L), Optional.of(110L), Optional.empty()),
                rows.stream().map(Row::index).toList());
        assertEquals(
                List.of("stops; its data go on", "lost for good", "lost for good"),
                rows.stream().map(Row::fate).toList());
    }

    @Test
    void aClusterThatServesIsNotGivenUp() {
        AutoScene scene = lost(complete())
                .etcd(new EtcdView.Answers(health(voters(complete()), List.of(C)), CLUSTER));
        refused(Reason.SERVES, judge(scene, WrittenLog.name(C)));
        althoughItServes = true;
        granted(judge(scene, WrittenLog.name(C)));
    }

    @Test
    void aClusterThatAMachineHasSeenServingIsNotGivenUp() {
        AutoScene scene = lost(complete()).saw(B, RestoreRequest.RECENT, true, 110);
        refused(Reason.REPORTED, judge(scene, WrittenLog.name(C)));
        althoughItServes = true;
        granted(judge(scene, WrittenLog.name(C)));
    }

    @Test
    void aClusterThatCannotBeAskedIsNotGivenUp() {
        refused(
                Reason.NOT_ASKED,
                judge(lost(complete()).provided(false, true), WrittenLog.name(C)));
    }

    @Test
    void thereIsAClusterThatClientsUse() {
        refused(Reason.NO_CLUSTER, judge(lost(WrittenLog.seeded(3))));
        refused(Reason.NO_CLUSTER, judge(lost(WrittenLog.pair())));
        refused(Reason.NO_CLUSTER, judge(lost(WrittenLog.forming().abandoned())));
    }

    @Test
    void aPauseEndsFirst() {
        refused(Reason.PAUSED, judge(lost(complete().paused()), WrittenLog.name(C)));
    }

    @Test
    void whoIsLostAndWhoSurvivesAreVoters() {
        refused(Reason.UNKNOWN_MEMBER, judge(lost(complete()), "etcd9"));
        survivor = "etcd9";
        refused(Reason.UNKNOWN_MACHINE, judge(lost(complete()), WrittenLog.name(C)));
        survivor = A.text();
        refused(Reason.SURVIVOR_LOST, judge(lost(complete()), WrittenLog.name(A)));
    }

    @Test
    void aSnapshotNeedsNoSurvivor() {
        kind = Source.Kind.SNAPSHOT;
        Restore word = granted(judge(lost(complete()), WrittenLog.name(A), WrittenLog.name(B)));
        assertEquals(Optional.empty(), word.founder());
        assertEquals(Optional.of(70L), word.source().snapshot().map(Snapshot::revision));
    }

    @Test
    void whatWasSaidToBeLostStaysLost() {
        WrittenLog log = complete().ending(A, C);
        assertEquals(
                Set.of(member(B), member(C)),
                granted(judge(lost(log), WrittenLog.name(B))).lost());
        survivor = C.text();
        refused(Reason.SURVIVOR_LOST, judge(lost(log), WrittenLog.name(B)));
    }

    @Test
    void aWordIsTakenBackBeforeTheNextGenerationBegins() {
        kind = Source.Kind.NONE;
        refused(Reason.NOTHING_TO_TAKE_BACK, judge(lost(complete())));
        WrittenLog log = complete().ending(A, B, C);
        assertEquals(Source.Kind.NONE, granted(judge(lost(log))).source().kind());
        refused(Reason.NOTHING_TO_TAKE_BACK, judge(lost(log.fenced(A).with(A, form(2, A)))));
    }
}
