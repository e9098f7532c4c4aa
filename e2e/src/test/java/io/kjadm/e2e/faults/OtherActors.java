package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Somebody else changes the membership meanwhile, who knows nothing of journal and lock. */
final class OtherActors {
    private static final Duration PAUSE = Duration.ofSeconds(8);
    /** As long as a learner may be silent with {@code --takeover}, and as long as without. */
    private static final Duration SILENT = Duration.ofSeconds(60);

    private static final Duration ABANDONED = Duration.ofMinutes(10);

    private OtherActors() {}

    static List<FaultCase> cases() {
        var cases = new ArrayList<>(List.of(
                FaultCase.of(
                        "F50",
                        "a learner of an unknown machine blocks the join",
                        OtherActors::ghost),
                FaultCase.of(
                                "F50",
                                "a learner of an unknown machine is removed after a minute with --takeover",
                                trial -> inTheWay(trial, SILENT, "--takeover"))
                        .usually(),
                FaultCase.of(
                        "F50",
                        "a learner of an unknown machine is removed after ten minutes",
                        trial -> inTheWay(trial, ABANDONED)),
                FaultCase.of("F51", "somebody removes the learner", OtherActors::removed),
                FaultCase.of("F52", "somebody promotes the learner first", OtherActors::promoted),
                FaultCase.of(
                        "F53",
                        "a node is reset while another joins",
                        OtherActors::resetMeanwhile)));
        if (Components.atHand() != Components.SANDBOX) {
            cases.add(FaultCase.of("F49", "kubeadm joins at the same time", OtherActors::kubeadm));
        }
        return List.copyOf(cases);
    }

    /** It is named to whoever waits, and nobody hangs once it is removed. */
    private static void ghost(Trial trial) {
        var id = Scene.addByHand(trial, "ghost", RefusedJoins.nobodysUrl(trial), true);
        var waiting = trial.cluster().startJoin(Tool.KJADM, trial.node(2));
        Scene.awaitOutput(waiting, id);
        Scene.refused(trial, 3, List.of("--join-wait", "5s"), id);
        Scene.removeByHand(trial, id);
        waiting.outcome().orFail();
        trial.assertJoined(1, 2);
    }

    /**
     * The learner never starts, and connection refused on its peer port.
     *
     * @param stays how long it is left alone at least
     */
    private static void inTheWay(Trial trial, Duration stays, String... flags) {
        var id = Scene.addByHand(trial, "ghost", RefusedJoins.nobodysUrl(trial), true);
        var joined = trial.cluster()
                .startJoin(Tool.KJADM, trial.node(2), List.of(flags))
                .outcome()
                .orFail();
        System.out.printf("[faults]   joined after %.1f s%n", joined.took().toMillis() / 1000.0);
        assertTrue(joined.everything().contains(id), joined::everything);
        assertTrue(joined.took().compareTo(stays) > 0, joined::everything);
        trial.assertJoined(1, 2);
    }

    private static void removed(Trial trial) {
        var join = Scene.pausing(trial, 2, "started:after", PAUSE);
        var learner = trial.member(trial.node(2)).orElseThrow();
        Scene.removeByHand(trial, learner.id());
        var failed = Scene.failed(join.outcome(), learner.id());
        System.out.println("[faults]   " + Scene.error(failed));
        trial.cluster().assertVoters(trial.node(1));
        assertFalse(trial.node(2).exists(Node.ETCD_MANIFEST), "the manifest stayed");
        Scene.joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void promoted(Trial trial) {
        var join = Scene.pausing(trial, 2, "promoting:after", PAUSE);
        trial.cluster()
                .etcdctl(
                        trial.node(1),
                        "member promote "
                                + trial.member(trial.node(2)).orElseThrow().id());
        join.outcome().orFail();
        trial.assertJoined(1, 2);
    }

    private static void resetMeanwhile(Trial trial) {
        trial.grow(3);
        var join = trial.cluster().startJoin(Tool.KJADM, trial.node(4));
        var reset = trial.cluster().startReset(Tool.KJADM, trial.node(3));
        reset.outcome().orFail();
        join.outcome().orFail();
        trial.assertGone(trial.node(3));
        trial.cluster().forget(trial.node(3));
        trial.assertJoined(1, 2, 4);
    }

    private static void kubeadm(Trial trial) {
        var ours = trial.cluster().startJoin(Tool.KJADM, trial.node(2));
        var theirs = trial.cluster().startJoin(Tool.KUBEADM, trial.node(3));
        ours.outcome().orFail();
        theirs.outcome().orFail();
        trial.assertJoined(1, 2, 3);
    }
}
