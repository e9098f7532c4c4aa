package io.kjadm.core.join;

import io.kjadm.core.etcd.StaticPodWatch;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.EtcdPod;

import java.util.List;
import java.util.Optional;

/**
 * The container that the kubelet makes of etcd's manifest: whether it can start, whether it lives,
 * why not, and how it is stopped.
 *
 * @param watch   sees in the container runtime why it does not come up
 * @param process works around etcd's start race of a learner, too
 * @param learner whether the member is added as a learner, which may be restarted without harm
 */
record MemberContainer(
        StaticPodWatch watch,
        StaticPodShutdown shutdown,
        LocalEtcdProcess process,
        NodeReadiness readiness,
        boolean learner) {

    /** What would keep the kubelet from starting it. */
    Optional<StartProblem> startProblem() {
        return readiness.startProblem();
    }

    /** The manifest is about to be written. */
    void starts() {
        watch.starts();
    }

    /** Whether its process runs; to be asked before each look at the cluster. */
    boolean showsLife() {
        process.observe();
        return process.showsLife();
    }

    /** Why it does not come up, if that is known. */
    Optional<StartProblem> cause() {
        return watch.cause();
    }

    /** Why it is not ready by its own judgement; empty text if it is. */
    String notReadyReason() {
        return process.notReadyReason();
    }

    /** Restarts a learner that follows and serves no clients. */
    void help(boolean announced) {
        if (learner) {
            watch.asked(process.restartIfStalled(announced));
        }
    }

    /** Stops it, now that its manifest is gone. */
    void forget(String criSocket) {
        shutdown.forget(criSocket, List.of(EtcdPod.NAME));
    }
}
