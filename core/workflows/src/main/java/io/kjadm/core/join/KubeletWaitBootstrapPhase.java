package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.Node;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * {@code kubelet-wait-bootstrap}: waits until the kubelet has its own credentials, then removes the
 * token's.
 */
record KubeletWaitBootstrapPhase(
        ComponentHealth health,
        KubeletFileStore kubeletFiles,
        KubeClients clients,
        HostFiles files,
        Services services,
        Waiter waiter)
        implements Phase<JoinRun> {

    private static final Duration INTERVAL = Duration.ofMillis(200);

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kubelet-wait-bootstrap",
                "Wait for the kubelet to bootstrap itself",
                JoinPhaseFlags.WAIT_BOOTSTRAP);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        try {
            health.awaitKubelet(
                    kubeletFiles.effective(run.kubeletInput(services)),
                    run.config().timeouts().kubeletHealthCheck());
            Path conf = run.paths().kubeletConf();
            Await await = new Await(
                    "kubelet-start",
                    "the kubelet to get its certificate from the cluster",
                    run.config().timeouts().tlsBootstrap(),
                    INTERVAL,
                    "see the kubelet's log, and 'kubectl get csr' on a control-plane node");
            waiter.until(await, () -> bootstrapped(conf));
            if (run.controlPlane()) {
                new NodeRegistrationWait(clients, services, waiter).await(run.node(), out);
            }
        } finally {
            // a token is in it; and what interrupted the wait is not to be covered by this
            Uninterrupted.run(() -> files.delete(run.paths().bootstrapKubeletConf()));
        }
        return run;
    }

    private Attempt<Path> bootstrapped(Path conf) {
        if (!files.exists(conf)) {
            return Attempt.notYet("there is no %s yet".formatted(conf));
        }
        try {
            clients.access(conf);
            return Attempt.done(conf);
        } catch (HostException e) {
            return Attempt.notYet(e.getMessage());
        }
    }

    /**
     * Sees to it that a control-plane node registers as soon as its own API server serves. The kubelet
     * has tried since it was started, and waits up to seven seconds between two tries by then; started
     * again it tries at once. Pods go on running meanwhile.
     */
    private record NodeRegistrationWait(KubeClients clients, Services services, Waiter waiter) {

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
}
