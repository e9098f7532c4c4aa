package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import java.util.List;

/** Nodes that leave while something is wrong. */
final class Resets {
    private Resets() {}

    static List<FaultCase> cases() {
        return List.of(
                FaultCase.of("F106", "reset of one of two, both up", trial -> {
                    trial.grow(2);
                    trial.cluster().reset(Tool.KJADM, trial.node(2));
                    trial.assertGone(trial.node(2));
                    trial.cluster().assertVoters(trial.node(1));
                }),
                FaultCase.withOutage("F107", "reset of one of two, the other is down", Resets::otherDown),
                FaultCase.of("F108", "reset while no API server can be reached", Resets::noApi));
    }

    private static void otherDown(Trial trial) {
        trial.grow(2);
        trial.takeEtcdAway(trial.node(1));
        var kept = trial.cluster().startReset(Tool.KJADM, trial.node(2)).outcome();
        trial.startEtcd(trial.node(1));
        Scene.failed(kept, "node1");
        assertEquals(2, trial.cluster().members(trial.node(1)).size());
        assertTrue(trial.node(2).exists("/var/lib/etcd/member"), "the data is gone");
        trial.assertJoined(1, 2);
    }

    private static void noApi(Trial trial) {
        trial.grow(2);
        for (int i = 1; i <= 2; i++) {
            trial.node(i).shell("mv /etc/kubernetes/manifests/kube-apiserver.yaml /root/");
        }
        var reset = trial.cluster().startReset(Tool.KJADM, trial.node(2)).outcome();
        trial.node(1).shell("mv /root/kube-apiserver.yaml /etc/kubernetes/manifests/");
        trial.node(2).shell("rm -f /root/kube-apiserver.yaml");
        reset.orFail();
        trial.assertGone(trial.node(2));
        trial.cluster().assertVoters(trial.node(1));
    }
}
