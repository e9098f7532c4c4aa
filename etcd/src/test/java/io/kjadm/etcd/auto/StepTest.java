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
import io.kjadm.etcd.auto.Step.JoinWithData;
import io.kjadm.etcd.auto.Step.Start;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The command lines of the steps. */
class StepTest {

    private static final List<Step> STEPS = List.of(
            new Init(AutoScene.own(A), "kjadm-51be"),
            new Join(AutoScene.own(B), List.of(clientUrl(A))),
            new JoinWithData(AutoScene.own(B), List.of(clientUrl(A))),
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
        assertEquals(
                List.of(
                        "etcd",
                        "init",
                        "--name=etcd10",
                        "--bind-address=192.0.2.10",
                        "--version=" + WrittenLog.VERSION,
                        "--ca-file=/etc/kjadm/ca.crt",
                        "--skip-phases=etcdctl,instructions",
                        "--cluster-token=kjadm-51be"),
                STEPS.get(0).words());
        assertEquals(
                List.of(
                        "etcd",
                        "join",
                        clientUrl(A).toString(),
                        "--name=etcd11",
                        "--bind-address=192.0.2.11",
                        "--version=" + WrittenLog.VERSION,
                        "--ca-file=/etc/kjadm/ca.crt",
                        "--skip-phases=etcdctl,instructions"),
                STEPS.get(1).words());
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
