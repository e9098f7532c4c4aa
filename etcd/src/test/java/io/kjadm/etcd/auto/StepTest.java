package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.clientUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.auto.Step.Clients;
import io.kjadm.etcd.auto.Step.Init;
import io.kjadm.etcd.auto.Step.Join;
import io.kjadm.etcd.auto.Step.Start;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The command lines of the steps. */
class StepTest {

    private static final List<Step> STEPS = List.of(
            new Init(AutoScene.own(A), "kjadm-51be"),
            new Join(AutoScene.own(B), List.of(clientUrl(A))),
            new Clients(List.of()),
            new Clients(List.of(clientUrl(A))));

    @Test
    void aCommandIsItsWords() {
        for (Step step : STEPS) {
            assertTrue(step.words().stream().noneMatch(word -> word.matches(".*\\s.*|")));
            assertEquals(
                    step.words(),
                    List.of(step.command().split(" ")).subList(1, step.words().size() + 1));
            assertTrue(step.command().startsWith("kjadm "));
        }
    }

    @Test
    void theMemberIsNamed() {
        for (Step step : STEPS.subList(0, 2)) {
            assertTrue(step.words().contains("--version=" + WrittenLog.VERSION));
            assertTrue(step.words().contains("--ca-file=/etc/kjadm/ca.crt"));
        }
        assertTrue(STEPS.get(0).words().contains("--cluster-token=kjadm-51be"));
        assertTrue(STEPS.get(1).words().contains(clientUrl(A).toString()));
        assertFalse(STEPS.get(1).words().contains("--cluster-token=kjadm-51be"));
    }

    /** `etcd join` does not know it. */
    @Test
    void theIdentityIsForDataThatAreEncrypted() {
        String identity = "--identity-file=/root/age.key";
        Step.Own own = new Step.Own("etcd1", "192.0.2.1", WrittenLog.VERSION, List.of(identity));
        assertTrue(new Init(own, "t", List.of("--from-snapshot=x")).words().contains(identity));
        assertFalse(new Init(own, "t").words().contains(identity));
        assertFalse(new Join(own, List.of()).words().contains(identity));
    }

    @Test
    void etcdIsStartedBySystemd() {
        assertEquals("systemctl start etcd", new Start().command());
    }
}
