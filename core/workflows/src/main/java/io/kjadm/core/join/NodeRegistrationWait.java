package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.Node;
import io.kjadm.core.host.Services;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;

import java.time.Duration;
import java.util.Optional;

/**
 * Sees to it that a control-plane node registers as soon as its own API server serves. The kubelet
 * has tried since it was started, and waits up to seven seconds between two tries by then; started
 * again it tries at once. Pods go on running meanwhile.
 */
record NodeRegistrationWait(KubeClients clients, Services services, Waiter waiter) {

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration GRACE = Duration.ofMillis(500);

    /**
     * Waits for the API server; starts the kubelet again if the node is not there shortly
     * afterwards.
     */
    void await(ControlPlaneNode node, Reporter out) {
        KubeApi local = clients.of(node.paths().adminConf(), node.localEndpoint());
        waiter.until(
                new Await(
                        "kubelet-start",
                        "this node's API server",
                        node.timeouts().controlPlaneComponentHealthCheck(),
                        INTERVAL,
                        "see the log of the kube-apiserver container"),
                () -> serves(local));
        if (registered(node, local)) {
            return;
        }
        waiter.pause("kubelet-start", "the node registers itself", GRACE);
        if (!registered(node, local)) {
            out.detail(
                    "kubelet-start: restarting the kubelet, so that it registers the node at once");
            services.restart("kubelet").ifPresent(out::warn);
        }
    }

    private static Attempt<String> serves(KubeApi local) {
        try {
            return Attempt.done(local.raw("/readyz"));
        } catch (KubeApiException e) {
            return Attempt.notYet(e.getMessage());
        }
    }

    private static boolean registered(ControlPlaneNode node, KubeApi local) {
        try {
            Optional<Node> found = local.get(Node.class, "", node.name());
            return found.isPresent();
        } catch (KubeApiException e) {
            return false;
        }
    }
}
