package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.AutoScene.health;
import static io.kjadm.etcd.auto.AutoScene.healthy;
import static io.kjadm.etcd.auto.AutoScene.voters;
import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.CLUSTER;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.joining;
import static io.kjadm.etcd.auto.WrittenLog.member;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.pair;
import static io.kjadm.etcd.auto.WrittenLog.peerUrl;
import static io.kjadm.etcd.auto.WrittenLog.seeded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.Step.Init;
import io.kjadm.etcd.auto.Verdict.Applies;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** From blank machines to a cluster that clients may use. */
class FormRulesTest {

    private static final Duration LATE = FormRules.FRESH.plusMillis(1);
    private static final Duration GONE = FormRules.FOUNDER_GONE;

    // ---- FOUND

    @Test
    void theFounderFounds() {
        AutoScene founder = AutoScene.of(A, forming());
        founder.acts(Rule.FOUND, new Init(founder.own(), "kjadm-1"));
        AutoScene.of(B, forming()).passes(Rule.FOUND);
        AutoScene.of(A, seeded(3)).passes(Rule.FOUND);
    }

    @Test
    void anInitThatWasKilledIsRunAgain() {
        AutoScene founder = AutoScene.of(A, forming()).data(new Data.Held(1, Optional.empty()));
        founder.acts(Rule.FOUND, new Init(founder.own(), "kjadm-1"));
    }

    @Test
    void theFounderIsDoneWhenItsMemberServesAndItsCaIsInTheStore() {
        AutoScene.ofVoter(A, forming()).provided(true, false).passes(Rule.FOUND);

        Init init = new Init(AutoScene.own(A), "kjadm-1");
        AutoScene.ofVoter(A, forming()).provided(false, false).acts(Rule.FOUND, init);
        AutoScene.ofVoter(A, forming())
                .provided(true, false)
                .etcd(new EtcdView.Silent("connection refused"))
                .acts(Rule.FOUND, init);
        AutoScene.ofVoter(A, forming())
                .provided(true, false)
                .etcd(new EtcdView.Answers(health(voters(forming()), List.of()), "another"))
                .acts(Rule.FOUND, init);
        AutoScene.ofVoter(A, forming()).provided(true, false).notSetUp().acts(Rule.FOUND, init);
    }

    /** The machine that joins may vote already, and be lost. */
    @Test
    void aFounderWithoutAQuorumAbandonsWhatAnotherMachineJoins() {
        AutoScene.ofVoter(A, joining())
                .provided(true, false)
                .etcd(new EtcdView.Silent("no leader"))
                .waits(Rule.FOUND, WaitCode.QUORUM);
        AutoScene.ofVoter(A, joining())
                .provided(true, false)
                .etcd(new EtcdView.Silent("no leader"))
                .held(Rule.FOUND, FormRules.FOUNDER_GONE)
                .appends(Rule.FOUND, new EntryBody.Abandon(1));
    }

    /** It was put back to what it was before. */
    @Test
    void aFounderThatHasLostItsDataBesideAnotherMachineAbandons() {
        AutoScene.of(A, joining()).appends(Rule.FOUND, new EntryBody.Abandon(1));
        AutoScene.of(A, pair())
                .data(new Data.Held(1, Optional.empty()))
                .appends(Rule.FOUND, new EntryBody.Abandon(1));
        AutoScene.of(A, forming()).acts(Rule.FOUND, new Init(AutoScene.own(A), "kjadm-1"));
    }

    /** The machine that it was copied from may come back, and found as well. */
    @Test
    void aFounderAtAnotherAddressThanItsMemberDoesNotFound() {
        AutoScene.of(A, forming()).at(B).waits(Rule.FOUND, WaitCode.FOUNDER);
        AutoScene.of(A, forming())
                .at(B)
                .held(Rule.FOUND, GONE)
                .appends(Rule.FOUND, new EntryBody.Abandon(1));
    }

    @Test
    void aDirectoryThatCannotBeReadIsNotFoundedIn() {
        AutoScene.of(A, forming())
                .data(new Data.Unreadable("input/output error"))
                .waits(Rule.FOUND, WaitCode.DISK);
    }

    @Test
    void aFailedInitIsTriedAgainLater() {
        Init init = new Init(AutoScene.own(A), "kjadm-1");
        AutoScene.of(A, forming())
                .failed(init, Duration.ofSeconds(1))
                .waits(Rule.FOUND, WaitCode.FAILED);
        AutoScene.of(A, forming()).failed(init, Duration.ZERO).acts(Rule.FOUND, init);
    }

    /** It reports, so it never counts as gone. */
    @Test
    void aFounderWhoseInitFailsAgainAndAgainLetsAnotherMachineFound() {
        Init init = new Init(AutoScene.own(A), "kjadm-1");
        Data begun = new Data.Held(1, Optional.empty());
        AutoScene.of(A, forming())
                .data(begun)
                .reports(B)
                .reports(C)
                .failed(init, 3, Duration.ofSeconds(1))
                .appends(Rule.FOUND, new Abandon(1));
        // the others are too few for a cluster without it
        AutoScene.of(A, forming())
                .data(begun)
                .reports(B)
                .failed(init, 3, Duration.ofSeconds(1))
                .waits(Rule.FOUND, WaitCode.FAILED);
        // its etcd has run
        AutoScene.of(A, forming())
                .data(new Data.Held(1, Optional.of(member(A))))
                .reports(B)
                .reports(C)
                .failed(init, 3, Duration.ofSeconds(1))
                .waits(Rule.FOUND, WaitCode.FAILED);
    }

    @Test
    void aMachineWhoseInitFailedFoundsLater() {
        Init before = new Init(AutoScene.own(A), "kjadm-0");
        AutoScene.of(A, seeded(3))
                .reports(B)
                .failed(before, Duration.ofSeconds(1))
                .waits(Rule.FORM, WaitCode.FAILED);
        AutoScene machine = AutoScene.of(A, seeded(3)).reports(B).failed(before, Duration.ZERO);
        assertEquals(Rule.FORM, machine.outcome().rule());
        assertInstanceOf(Append.class, machine.outcome().decision());
    }

    // ---- FORM

    @Test
    void theFirstOfEnoughReadyMachinesFounds() {
        Form form = assertInstanceOf(
                Form.class,
                assertInstanceOf(
                                Append.class,
                                AutoScene.of(A, seeded(3)).reports(B).outcome().decision())
                        .body());

        assertEquals(1, form.generation());
        assertEquals(A, form.founder());
        MemberIds ids = MemberIds.ofFounder(form.token(), List.of(peerUrl(A)));
        assertEquals(ids, new MemberIds(form.cluster(), form.seat().id()));
    }

    @Test
    void eachGenerationHasATokenOfItsOwn() {
        assertNotEquals(
                token(AutoScene.of(A, seeded(1))),
                token(AutoScene.of(A, seeded(1).with(A, WrittenLog.form(1, A)).abandoned())));
        assertEquals(token(AutoScene.of(A, seeded(1))), token(AutoScene.of(A, seeded(1))));
    }

    private static String token(AutoScene scene) {
        Append append = assertInstanceOf(Append.class, scene.outcome().decision());
        return assertInstanceOf(Form.class, append.body()).token();
    }

    @Test
    void machinesWithHigherIdsWait() {
        AutoScene second = AutoScene.of(B, seeded(3)).reports(A);
        second.waits(Rule.FORM, WaitCode.TURN);
        second.held(Rule.FORM, Duration.ofSeconds(3));
        assertEquals(Rule.FORM, second.outcome().rule());
        assertInstanceOf(Append.class, second.outcome().decision());
    }

    @Test
    void machinesThatAreNotReadyDoNotCount() {
        AutoScene.of(A, seeded(3)).passes(Rule.FORM);
        AutoScene.of(A, seeded(3)).reports(B, LATE).passes(Rule.FORM);
        AutoScene.of(A, seeded(3))
                .reports(B, Duration.ZERO, Optional.of(member(B)))
                .passes(Rule.FORM);
        AutoScene.of(A, seeded(3)).reports(B).lacks("no systemd").passes(Rule.FORM);
        AutoScene.of(A, seeded(3))
                .reports(B)
                .data(new Data.Held(0, Optional.empty()))
                .passes(Rule.FORM);
        AutoScene.of(A, seeded(5)).reports(B).passes(Rule.FORM);
    }

    @Test
    void aMachineWhoseReportIsNotInTheStoreFoundsNothing() {
        AutoScene.of(A, seeded(1)).silent(A).passes(Rule.FORM);
        AutoScene.of(C, seeded(3)).silent(C).reports(A).reports(B).passes(Rule.FORM);
    }

    @Test
    void nobodyFoundsBesideACluster() {
        for (WrittenLog log : List.of(forming(), pair(), open(), complete())) {
            AutoScene.of(C, log).reports(A).reports(B).passes(Rule.FORM);
        }
    }

    @Test
    void anEmptyLogOfAnOldClusterFileIsWatchedFirst() {
        Duration old = FormRules.YOUNG;
        AutoScene.of(A, seeded(1)).youth(old, Duration.ZERO, 0).passes(Rule.FORM);
        AutoScene.of(A, seeded(1)).youth(old, FormRules.WATCH.minusMillis(1), 0).passes(Rule.FORM);
        assertEquals(
                Rule.FORM,
                AutoScene.of(A, seeded(1))
                        .youth(old, FormRules.WATCH, 0)
                        .outcome()
                        .rule());
        assertEquals(
                Rule.FORM,
                AutoScene.of(A, seeded(1))
                        .youth(old.minusMillis(1), Duration.ZERO, 0)
                        .outcome()
                        .rule());
    }

    /**
     * Who has emptied it may have put that there, an operator may have paused since, and a store that was
     * put back may end with a generation that was abandoned.
     */
    @Test
    void aLogWithoutAClusterIsWatchedLikeAnEmptyOne() {
        for (WrittenLog log : List.of(
                seeded(1).with(Optional.empty()),
                seeded(1).with(B, new Pause(Optional.empty(), "")).with(B, new Resume(1)),
                seeded(1).with(B, WrittenLog.form(1, B)).abandoned())) {
            AutoScene.of(A, log)
                    .youth(FormRules.YOUNG, FormRules.WATCH.minusMillis(1), 0)
                    .passes(Rule.FORM);
            assertEquals(
                    Rule.FORM,
                    AutoScene.of(A, log)
                            .youth(FormRules.YOUNG, FormRules.WATCH, 0)
                            .outcome()
                            .rule());
        }
    }

    @Test
    void aLogThatIsShorterThanAReportSaysIsNotWrittenTo() {
        AutoScene.of(A, seeded(1)).youth(Duration.ZERO, Duration.ofHours(1), 1).passes(Rule.FORM);
        WrittenLog abandoned = seeded(1).with(B, WrittenLog.form(1, B)).abandoned();
        AutoScene.of(A, abandoned).youth(Duration.ZERO, Duration.ZERO, 3).passes(Rule.FORM);
        assertEquals(
                Rule.FORM,
                AutoScene.of(A, abandoned)
                        .youth(Duration.ofDays(1), FormRules.WATCH, 2)
                        .outcome()
                        .rule());
    }

    // ---- ABANDON

    /** After an outage of the store its own report is old. */
    @Test
    void aFounderDoesNotAbandonItsOwnCluster() {
        AutoScene.ofVoter(A, forming()).reports(A, GONE).passes(Rule.ABANDON);
    }

    @Test
    void aFounderThatIsGoneIsAbandoned() {
        AutoScene.of(B, forming()).reports(A, GONE).appends(Rule.ABANDON, new Abandon(1));
        AutoScene.of(B, forming()).reports(A, GONE.minusMillis(1)).passes(Rule.ABANDON);
        AutoScene.of(B, seeded(3)).reports(A, GONE).passes(Rule.ABANDON);
    }

    @Test
    void aClusterThatClientsUseIsNeverAbandoned() {
        AutoScene.of(C, open()).reports(A, GONE.multipliedBy(100)).passes(Rule.ABANDON);
    }

    @Test
    void aFounderThatHasNeverReportedIsAbandonedAsWell() {
        AutoScene.of(B, forming()).waits(Rule.ABANDON, WaitCode.TURN);
        AutoScene.of(B, forming())
                .held(Rule.ABANDON, GONE.minusMillis(1))
                .waits(Rule.ABANDON, WaitCode.TURN);
        AutoScene.of(B, forming()).held(Rule.ABANDON, GONE).appends(Rule.ABANDON, new Abandon(1));
    }

    @Test
    void theLowestOfTheOthersAbandonsFirst() {
        AutoScene third = AutoScene.of(C, forming()).reports(A, GONE).reports(B);
        third.waits(Rule.ABANDON, WaitCode.TURN);
        third.held(Rule.ABANDON, Duration.ofSeconds(20)).appends(Rule.ABANDON, new Abandon(1));
    }

    // ---- MACHINES

    @Test
    void machinesThatAreMissingAreWaitedFor() {
        AutoScene.of(A, seeded(3)).waits(Rule.MACHINES, WaitCode.MACHINES);
        AutoScene.of(A, seeded(3)).reports(B, LATE).waits(Rule.MACHINES, WaitCode.MACHINES);
    }

    /** Of a store that this machine has just begun to read nothing else is known yet. */
    @Test
    void aMachineThatHasNotReportedDoesNotDoubtTheLog() {
        assertWaits(
                "the report of this machine is not in the store yet",
                "",
                AutoScene.of(A, seeded(3))
                        .silent(A)
                        .reports(B)
                        .reports(C)
                        .youth(Duration.ofDays(1), Duration.ZERO, 0));
        assertWaits(
                "1 of 2 machines are ready",
                "run 'kjadm etcd auto STORE' on more machines",
                AutoScene.of(A, seeded(3)));
    }

    private static void assertWaits(String why, String next, AutoScene scene) {
        assertEquals(
                new Applies(new Wait(WaitCode.MACHINES, why, next)), scene.verdict(Rule.MACHINES));
    }

    @Test
    void theFounderIsNamed() {
        Verdict waits = AutoScene.of(B, forming()).reports(A).verdict(Rule.MACHINES);
        assertEquals(
                new Applies(new Wait(
                        WaitCode.FOUNDER,
                        "machine %s founds the cluster with member %s"
                                .formatted(A, WrittenLog.seat(A).name()),
                        "")),
                waits);
    }

    @Test
    void whatThisMachineLacksIsTold() {
        AutoScene.of(A, seeded(3))
                .reports(B)
                .lacks("no systemd")
                .waits(Rule.MACHINES, WaitCode.READY);
    }

    @Test
    void theFounderIsWaitedFor() {
        AutoScene.of(B, forming()).reports(A).waits(Rule.MACHINES, WaitCode.FOUNDER);
        AutoScene.of(B, forming()).reports(A).etcd(healthy(forming())).passes(Rule.MACHINES);
        AutoScene.of(C, open()).passes(Rule.MACHINES);
    }

    // ---- READY

    @Test
    void theFounderTellsThatEnoughMembersVote() {
        AutoScene.ofVoter(A, pair()).provided(true, false).appends(Rule.READY, new Ready(1));
        AutoScene.ofVoter(B, pair()).passes(Rule.READY);
        AutoScene.ofVoter(A, forming()).provided(true, false).passes(Rule.READY);
        AutoScene.ofVoter(A, open()).passes(Rule.READY);
    }

    @Test
    void enoughHealthyVotersAreReadyThoughOneMoreIsDown() {
        WrittenLog log = pair().joining(C).joined(C);
        AutoScene.ofVoter(A, log)
                .provided(true, false)
                .etcd(new EtcdView.Answers(health(voters(log), List.of(C)), CLUSTER))
                .appends(Rule.READY, new Ready(1));
        AutoScene.ofVoter(A, log)
                .etcd(new EtcdView.Answers(health(voters(log), List.of(B, C)), CLUSTER))
                .passes(Rule.READY);
    }

    @Test
    void membersThatAreNotAsTheLogSaysAreNotReady() {
        for (EtcdView view : List.of(
                new EtcdView.Answers(health(voters(pair()), List.of(B)), CLUSTER),
                new EtcdView.Answers(health(voters(forming()), List.of()), CLUSTER),
                new EtcdView.Answers(health(voters(complete()), List.of()), CLUSTER),
                new EtcdView.Answers(AutoScene.leaderless(voters(pair())), CLUSTER),
                new EtcdView.Silent("connection refused"))) {
            AutoScene.ofVoter(A, pair()).etcd(view).passes(Rule.READY);
        }
    }
}
