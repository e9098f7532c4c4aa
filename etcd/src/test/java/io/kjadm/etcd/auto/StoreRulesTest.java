package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.joining;
import static io.kjadm.etcd.auto.WrittenLog.seeded;

import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Resume;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;

/** Whether anything may be done at all. */
class StoreRulesTest {

    @Test
    void nothingIsDoneBeforeThereIsAClusterFile() {
        blank().store(new StoreView.NotSeeded()).waits(Rule.SEED, WaitCode.SEED);
        blank().passes(Rule.SEED);
    }

    @Test
    void nothingIsDoneWithTheTokenOfAnotherCluster() {
        blank().store(new StoreView.OtherToken()).waits(Rule.SEED, WaitCode.TOKEN);
    }

    @Test
    void theStoreOfAnotherClusterIsNoneForAMachineThatHasReadItsLog() {
        AutoScene.ofVoter(A, complete())
                .store(new StoreView.OtherToken())
                .waits(Rule.STORE, WaitCode.STORE);
    }

    @Test
    void nothingIsDoneWithAStoreThatHasForgotten() {
        blank().store(new StoreView.Unsafe("slot 3 is missing"))
                .waits(Rule.UNSAFE, WaitCode.UNSAFE_STORE);
        blank().passes(Rule.UNSAFE);
    }

    @Test
    void nothingIsDoneWithoutTheStore() {
        blank().store(new StoreView.Silent("timeout")).waits(Rule.STORE, WaitCode.STORE);
        blank().passes(Rule.STORE);
    }

    @Test
    void nothingBeginsInAPause() {
        AutoScene.ofVoter(A, complete().paused()).waits(Rule.PAUSED, WaitCode.PAUSED);
        AutoScene.ofVoter(A, complete().paused().resumed()).passes(Rule.PAUSED);
    }

    @Test
    void aPauseWithoutAnEndIsEndedByAPersonAlone() {
        AutoScene.ofVoter(A, complete().paused())
                .pausedFor(Duration.ofDays(365))
                .waits(Rule.PAUSED, WaitCode.PAUSED);
    }

    @Test
    void aPauseEndsWhenItsTimeHasPassed() {
        WrittenLog paused = complete().with(A, new Pause(Optional.of(Duration.ofMinutes(30)), ""));
        long slot = paused.charter().pause().orElseThrow().slot();

        AutoScene.ofVoter(A, paused)
                .pausedFor(Duration.ofMinutes(30).minusMillis(1))
                .waits(Rule.PAUSED, WaitCode.PAUSED);
        AutoScene.ofVoter(A, paused)
                .pausedFor(Duration.ofMinutes(30))
                .appends(Rule.PAUSED, new Resume(slot));
    }

    @Test
    void anotherProgramOnTheMachineIsWaitedFor() {
        AutoScene.ofVoter(A, complete())
                .busy("kjadm etcd join, process 4711")
                .waits(Rule.BUSY, WaitCode.LOCAL);
        AutoScene.ofVoter(A, complete()).passes(Rule.BUSY);
    }

    @Test
    void theChangeOfAnotherMachineIsWaitedFor() {
        AutoScene.ofVoter(A, joining())
                .reports(B)
                .provided(true, false)
                .waits(Rule.BUSY, WaitCode.CHANGE);
        AutoScene.ofVoter(A, joining().joined(B)).passes(Rule.BUSY);
    }

    private static AutoScene blank() {
        return AutoScene.of(A, seeded(3));
    }
}
