package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.AutoScene.leaderless;
import static io.kjadm.etcd.auto.AutoScene.voters;
import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.CLUSTER;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.form;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.member;
import static io.kjadm.etcd.auto.WrittenLog.restored;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Idle;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Retire;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.Step.Fence;
import io.kjadm.etcd.auto.Step.Init;
import io.kjadm.etcd.auto.Step.Unfence;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** From a quorum that is lost to the generation that begins with its data. */
class RestoreRulesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** A survives, B and C are lost. */
    private static WrittenLog ending() {
        return complete().ending(A, B, C);
    }

    private static WrittenLog snapshot() {
        return snapshot(new Snapshot("/backup", "snap-1", "c1", 70));
    }

    private static WrittenLog snapshot(Snapshot snapshot) {
        return complete()
                .with(
                        Optional.empty(),
                        new Restore(
                                1,
                                Set.of(member(B), member(C)),
                                Optional.empty(),
                                new Source(Source.Kind.SNAPSHOT, Optional.of(snapshot)),
                                false,
                                ""));
    }

    private static WrittenLog takenBack() {
        return ending().fenced(A)
                .with(
                        Optional.empty(),
                        new Restore(
                                1,
                                Set.of(),
                                Optional.empty(),
                                new Source(Source.Kind.NONE, Optional.empty()),
                                false,
                                ""));
    }

    private static Fenced fenced(MachineId machine) {
        return complete().fenced(machine, 100);
    }

    // ---- RETIRED

    @Test
    void afterTheEndOfTheAutomaticModeNothingIsDone() {
        WrittenLog log = complete().with(Optional.empty(), new Retire(""));
        AutoScene scene = AutoScene.of(A, log).holding(1).unit(UnitState.FAILED);
        assertEquals(Rule.RETIRED, scene.outcome().rule());
        assertInstanceOf(Idle.class, scene.outcome().decision());
        AutoScene.ofVoter(A, complete()).passes(Rule.RETIRED);
    }

    @Test
    void afterTheEndOfTheAutomaticModeAMemberOfAGenerationBeforeIsStillRefused() {
        WrittenLog log = restored().with(Optional.empty(), new Retire(""));
        AutoScene scene = AutoScene.of(B, log).holding(1).unit(UnitState.SKIPPED);
        assertEquals(Rule.RETIRED, scene.outcome().rule());
        assertEquals(
                WaitCode.FENCE,
                assertInstanceOf(Wait.class, scene.outcome().decision()).code());
    }

    // ---- FENCE

    @Test
    void aMemberOfAGenerationThatEndsIsStopped() {
        AutoScene.of(A, ending()).holding(1).acts(Rule.FENCE, new Fence(1, Optional.of(member(A))));
        AutoScene.of(B, ending()).holding(1).acts(Rule.FENCE, new Fence(1, Optional.of(member(B))));
        AutoScene.of(A, ending())
                .data(new Data.Unreadable("a bad block"))
                .acts(Rule.FENCE, new Fence(1, Optional.of(member(A))));
    }

    /** The machine that it was copied from may run the member. */
    @Test
    void aCopyAtAnotherAddressDoesNotTellThatTheMemberIsStopped() {
        AutoScene.of(A, ending()).holding(1).at(B).waits(Rule.FENCE, WaitCode.FENCE);
        AutoScene.of(A, ending()).fenced(fenced(A)).at(B).waits(Rule.FENCE, WaitCode.FENCE);
    }

    @Test
    void norDoesItPutTheMemberBack() {
        AutoScene.of(A, takenBack()).fenced(fenced(A)).at(B).waits(Rule.FENCE, WaitCode.READY);
    }

    @Test
    void anEmptyDiskProvesNothingUntilTheMachineSaysSo() {
        AutoScene.of(B, ending()).acts(Rule.FENCE, new Fence(1, Optional.of(member(B))));
    }

    @Test
    void whatWasStoppedIsWrittenToTheLog() {
        AutoScene.of(A, ending()).fenced(fenced(A)).appends(Rule.FENCE, fenced(A));
        AutoScene.of(A, ending())
                .fenced(fenced(A))
                .data(new Data.Held(1, Optional.empty()))
                .acts(Rule.FENCE, new Fence(1, Optional.of(member(A))));
        AutoScene.of(A, ending().fenced(A)).fenced(fenced(A)).passes(Rule.FENCE);
    }

    @Test
    void aMachineWithoutAMemberOfItIsNotStopped() {
        AutoScene.of(D, ending()).passes(Rule.FENCE);
        AutoScene.ofVoter(A, complete()).passes(Rule.FENCE);
        AutoScene.ofVoter(A, forming()).passes(Rule.FENCE);
        AutoScene.of(A, forming().abandoned()).passes(Rule.FENCE);
        AutoScene.of(A, forming().abandoned())
                .data(new Data.Held(0, Optional.empty()))
                .passes(Rule.FENCE);
    }

    /** A machine that was said to be lost is started again. */
    @Test
    void aMemberOfAGenerationThatIsOverIsStopped() {
        AutoScene.of(B, restored()).holding(1).acts(Rule.FENCE, new Fence(1, Optional.empty()));
        AutoScene.of(A, forming().abandoned())
                .holding(1)
                .acts(Rule.FENCE, new Fence(1, Optional.empty()));
        AutoScene.of(A, ending().fenced(A).with(A, form(2, A)).abandoned())
                .holding(2)
                .acts(Rule.FENCE, new Fence(2, Optional.empty()));
    }

    /** Else it is not ready, and the founder of the next generation finds no machine that could found. */
    @Test
    void lostDataOfAGenerationThatIsOverAreMovedAsideWhileTheNextOneForms() {
        Data lost = new Data.Lost("there are no data");
        WrittenLog log = forming().abandoned().with(B, form(2, B));
        AutoScene.of(A, log).data(lost).acts(Rule.FENCE, new Fence(1, Optional.empty()));
        AutoScene.of(B, log).data(lost).passes(Rule.FENCE);
        AutoScene.of(A, log.joining(A)).data(lost).passes(Rule.FENCE);
        AutoScene.of(A, log.joining(A).joined(A)).data(lost).passes(Rule.FENCE);
        AutoScene.of(D, forming()).data(lost).passes(Rule.FENCE);
    }

    /** Its disk came late, and had got no data yet; else the survivor founds no other generation. */
    @Test
    void lostDataOfAGenerationThatTheSurvivorAbandonedAreMovedAside() {
        Data lost = new Data.Lost("there are no data");
        WrittenLog log = ending().fenced(A).with(A, form(2, A)).abandoned();
        AutoScene.of(A, log)
                .fenced(fenced(A))
                .data(lost)
                .acts(Rule.FENCE, new Fence(2, Optional.empty()));
        AutoScene.of(D, log).data(lost).acts(Rule.FENCE, new Fence(2, Optional.empty()));
        // their data are of the generation that ends
        AutoScene.of(B, log).data(lost).acts(Rule.FENCE, new Fence(1, Optional.of(member(B))));
        AutoScene.of(A, ending()).data(lost).acts(Rule.FENCE, new Fence(1, Optional.of(member(A))));
        AutoScene.of(A, ending().fenced(A)).fenced(fenced(A)).data(lost).passes(Rule.FENCE);
    }

    @Test
    void aFailedMemberOfAGenerationThatEndsIsNotStarted() {
        AutoScene.of(A, ending()).holding(1).unit(UnitState.FAILED).passes(Rule.START);
    }

    @Test
    void inAPauseNothingIsStopped() {
        WrittenLog log = ending().with(A, new Pause(Optional.empty(), ""));
        AutoScene.of(A, log).holding(1).waits(Rule.PAUSED, WaitCode.PAUSED);
        AutoScene.of(A, ending().fenced(A).with(A, new Pause(Optional.empty(), "")))
                .fenced(fenced(A))
                .waits(Rule.PAUSED, WaitCode.PAUSED);
    }

    @Test
    void anotherKjadmOnTheMachineEndsFirst() {
        AutoScene.of(A, ending())
                .holding(1)
                .busy("kjadm etcd reset")
                .waits(Rule.FENCE, WaitCode.LOCAL);
    }

    @Test
    void theDataArePutBackWhenTheWordIsTakenBack() {
        AutoScene.of(A, takenBack()).fenced(fenced(A)).acts(Rule.FENCE, new Unfence(1));
        AutoScene.of(A, takenBack())
                .fenced(fenced(A))
                .data(new Data.Held(1, Optional.empty()))
                .acts(Rule.FENCE, new Unfence(1));
        AutoScene.of(B, takenBack()).holding(1).passes(Rule.FENCE);
    }

    // ---- RESTORE

    @Test
    void theSurvivorFoundsTheNextGeneration() {
        AutoScene scene = AutoScene.of(A, ending().fenced(A)).fenced(fenced(A));
        assertEquals(Rule.RESTORE, scene.outcome().rule());
        Append append = assertInstanceOf(Append.class, scene.outcome().decision());
        Form form = assertInstanceOf(Form.class, append.body());
        assertEquals(2, form.generation());
        assertEquals(A, form.founder());
        assertEquals(
                new Init(
                                scene.own(),
                                form.token(),
                                List.of(
                                        "--from-snapshot=/var/lib/etcd.fenced/snap/db",
                                        "--skip-hash-check"))
                        .command(),
                append.command());
    }

    @Test
    void theSurvivorWaitsUntilItIsReady() {
        AutoScene.of(A, ending().fenced(A))
                .fenced(fenced(A))
                .lacks("systemd does not run")
                .waits(Rule.FENCING, WaitCode.RESTORE);
        AutoScene.of(A, ending().fenced(A)).waits(Rule.FENCING, WaitCode.RESTORE);
    }

    @Test
    void machinesThatAreReadyTakeTurnsWithASnapshot() {
        WrittenLog log = snapshot();
        Duration turn = Duration.ofSeconds(5);
        AutoScene first = AutoScene.of(A, log.fenced(A)).fenced(fenced(A)).reports(D);
        assertEquals(Rule.RESTORE, first.outcome().rule());
        assertInstanceOf(Append.class, first.outcome().decision());
        AutoScene second = AutoScene.of(D, log).reports(A);
        second.waits(Rule.RESTORE, WaitCode.TURN);
        second.held(Rule.RESTORE, turn);
        Append append = assertInstanceOf(Append.class, second.outcome().decision());
        assertEquals(
                "kjadm etcd init --name=etcd13 --bind-address=192.0.2.13 --version=3.6.14"
                        + " --ca-file=/etc/kjadm/ca.crt --skip-phases=etcdctl,instructions"
                        + " --cluster-token=kjadm-5b6e9ec45fc32cff"
                        + " --from-snapshot=snap-1 --store=/backup --cluster-id=c1",
                append.command());
    }

    /** Clients of the second one may have seen revisions far beyond those of an older snapshot. */
    @Test
    void eachGenerationThatHasEndedRaisesTheRevisionOfTheNext() {
        Restore again = new Restore(
                2,
                Set.of(member(D)),
                Optional.empty(),
                new Source(
                        Source.Kind.SNAPSHOT,
                        Optional.of(new Snapshot("/backup", "snap-1", "c1", 70))),
                false,
                "");
        AutoScene scene = AutoScene.of(A, restored().with(Optional.empty(), again));

        assertEquals(
                Optional.of(List.of(
                        "--from-snapshot=snap-1",
                        "--store=/backup",
                        "--cluster-id=c1",
                        "--bump-revision=2000000000")),
                RestoreRules.data(scene.facts()));
    }

    @Test
    void whatMachinesHaveSavedIsReadWithTheirKey() {
        String own = AutoScene.BACKUP.save().recipient();
        String key = "--identity-file=" + AutoScene.BACKUP.identity();
        assertEquals(Optional.of(key), identity(List.of("age1other", own)));
        assertEquals(Optional.empty(), identity(List.of("age1other")));
        assertEquals(Optional.empty(), identity(List.of()));
    }

    private static Optional<String> identity(List<String> recipients) {
        AutoScene scene =
                AutoScene.of(A, snapshot(new Snapshot("/backup", "snap-1", "c1", 70, recipients)));
        return RestoreRules.data(scene.facts()).orElseThrow().stream()
                .filter(flag -> flag.startsWith("--identity-file="))
                .findFirst();
    }

    // ---- FENCING

    @Test
    void itIsSaidWhoHasNotStopped() {
        WrittenLog log = complete().ending(A, C);
        AutoScene scene = AutoScene.of(D, log).reports(B, MINUTE);
        scene.waits(Rule.FENCING, WaitCode.FENCE);
        assertEquals(
                "generation 1 ends when enough of these members are stopped:"
                        + " etcd10 (a), machine m-000000000000000a, without a report;"
                        + " etcd11 (b), machine m-000000000000000b, reported 60 s ago",
                scene.outcome().decision().why());
        AutoScene.of(D, ending().fenced(A)).waits(Rule.FENCING, WaitCode.RESTORE);
        AutoScene.ofVoter(A, complete()).passes(Rule.FENCING);
    }

    @Test
    void aSurvivorWithOlderDataIsSaid() {
        WrittenLog log = complete().ending(A, C);
        WrittenLog behind = log.with(A, log.fenced(A, 99)).with(B, log.fenced(B, 100));
        AutoScene scene = AutoScene.of(A, behind).fenced(fenced(A));
        scene.waits(Rule.FENCING, WaitCode.RESTORE);
        assertEquals(
                "machine %s founds generation 2: machine %s has newer data".formatted(A, B),
                scene.outcome().decision().why());
    }

    // ---- FOUND

    @Test
    void theNextGenerationBeginsWithTheDataOfTheSurvivor() {
        WrittenLog log = ending().fenced(A).with(A, form(2, A));
        AutoScene scene = AutoScene.of(A, log).fenced(fenced(A));
        scene.acts(
                Rule.FOUND,
                new Init(
                        scene.own(),
                        "kjadm-2",
                        List.of(
                                "--from-snapshot=/var/lib/etcd.fenced/snap/db",
                                "--skip-hash-check")));
        AutoScene.of(A, log).waits(Rule.FOUND, WaitCode.DISK);
    }

    // ---- MEMBERS

    @Test
    void afterTenMinutesWithoutAQuorumAnOperatorMayGiveItUp() {
        EtcdView lost = new EtcdView.Answers(leaderless(voters(complete())), CLUSTER);
        AutoScene scene = AutoScene.ofVoter(A, complete())
                .etcd(lost)
                .reports(B, RestoreRules.NO_QUORUM)
                .reports(C, RestoreRules.NO_QUORUM)
                .saw(A, MINUTE, false, 100);
        scene.held(Rule.MEMBERS, RestoreRules.NO_QUORUM.minusSeconds(1))
                .waits(Rule.MEMBERS, WaitCode.QUORUM);
        scene.held(Rule.MEMBERS, RestoreRules.NO_QUORUM).waits(Rule.MEMBERS, WaitCode.RESTORE);
        Wait wait = assertInstanceOf(Wait.class, scene.outcome().decision());
        assertEquals(
                "start etcd on these machines; if machines are lost for good:"
                        + " 'kjadm etcd auto approve restore --survivor %s --lost %s,%s"
                                .formatted(A, member(B), member(C))
                        + " --operator-key FILE'",
                wait.next());
        AutoScene.of(B, WrittenLog.pair())
                .holding(1)
                .reports(A)
                .etcd(new EtcdView.Answers(leaderless(voters(WrittenLog.pair())), CLUSTER))
                .held(Rule.MEMBERS, RestoreRules.NO_QUORUM)
                .waits(Rule.MEMBERS, WaitCode.QUORUM);
    }
}
