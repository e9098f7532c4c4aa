package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.AutoScene.healthy;
import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.joining;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.seeded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.auto.AutoDecider.Asked;
import io.kjadm.etcd.auto.AutoDecider.Outcome;
import io.kjadm.etcd.auto.AutoFacts.StoreView;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

/** That the first rule decides whose conditions hold. */
class AutoDeciderTest {

    private static final StoreView SILENT = new StoreView.Silent("timeout");

    @Test
    void everyRuleIsAskedInItsOrder() {
        List<Rule> asked = AutoScene.ofVoter(A, complete()).outcome().verdicts().stream()
                .map(Asked::rule)
                .toList();
        assertEquals(List.of(Rule.values()), asked);
    }

    @Test
    void theFirstRuleThatAppliesDecides() {
        Outcome outcome = AutoScene.ofVoter(A, complete().paused())
                .store(SILENT)
                .busy("kjadm etcd join")
                .outcome();
        assertEquals(Rule.STORE, outcome.rule());
        assertTrue(outcome.holding()
                .containsAll(Set.of(Rule.STORE, Rule.PAUSED, Rule.BUSY, Rule.IDLE)));
    }

    @Test
    void etcdIsStartedBeforeTheStoreIsAskedFor() {
        decides(
                Rule.START,
                AutoScene.ofVoter(A, complete()).unit(UnitState.FAILED).store(SILENT));
    }

    @Test
    void whatWasBegunGoesOnInAPause() {
        decides(Rule.FOUND, AutoScene.of(A, forming().paused()));
        decides(Rule.CONTINUE, AutoScene.of(B, joining().paused()).etcd(healthy(forming())));
    }

    @Test
    void nothingElseIsDoneInAPause() {
        decides(Rule.PAUSED, AutoScene.of(A, seeded(1).paused()));
        decides(Rule.PAUSED, AutoScene.of(C, open().paused()).etcd(healthy(open())));
        decides(
                Rule.PAUSED,
                AutoScene.of(B, forming().paused()).reports(A, FormRules.FOUNDER_GONE));
        decides(Rule.PAUSED, AutoScene.ofVoter(A, complete().paused()));
    }

    @Test
    void nothingGoesOnWithoutTheStore() {
        decides(Rule.STORE, AutoScene.of(A, forming()).store(SILENT));
        decides(Rule.STORE, AutoScene.of(B, joining()).store(SILENT));
    }

    @Test
    void aMachineOfAnAbandonedGenerationStopsItsMemberFirst() {
        decides(
                Rule.FENCE,
                AutoScene.of(A, forming().abandoned().with(B, WrittenLog.form(2, B)))
                        .holding(1)
                        .reports(B, FormRules.FOUNDER_GONE));
    }

    private static void decides(Rule rule, AutoScene scene) {
        assertEquals(rule, scene.outcome().rule());
    }
}
