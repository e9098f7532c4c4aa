package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.Node;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;

/**
 * {@code kubelet-start}: configures the kubelet to ask the cluster for its certificate, and starts
 * it. The name is checked before anything is written: kubeadm leaves files behind when it refuses.
 */
record JoinKubeletStartPhase(
        KubeClients clients,
        KubeletFileStore kubeletFiles,
        HostFiles files,
        Services services,
        Waiter waiter)
        implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kubelet-start",
                "Write kubelet settings, certificates and (re)start the kubelet",
                JoinPhaseFlags.KUBELET_START);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        boolean bootstrapped = run.resumed() && files.exists(run.paths().kubeletConf());
        if (bootstrapped) {
            out.step("kubelet-start", "The kubelet has its certificate already");
        } else {
            refuseTakenName(run, out);
            run.begin();
            if (!run.controlPlane() || !new TlsBootstrap(clients, files, waiter).run(run, out)) {
                writeBootstrapConf(run);
            }
        }
        if (!files.exists(run.config().caCertPath())) {
            files.write(run.config().caCertPath(), run.cluster().caPem(), FileMode.WORLD_READABLE);
        }
        services.stop("kubelet").ifPresent(out::warn);
        kubeletFiles.write(run.kubeletInput(services));
        out.step("kubelet-start", "Starting the kubelet");
        services.restart("kubelet").ifPresent(out::warn);
        return run;
    }

    /**
     * With the token in it; the kubelet asks for its certificate by itself, on a control plane its
     * own API server.
     */
    private void writeBootstrapConf(JoinRun run) {
        Kubeconfig bootstrap = run.cluster().bootstrap();
        Kubeconfig conf = !run.controlPlane()
                ? bootstrap
                : Kubeconfig.of(
                        new Kubeconfig.Names(bootstrap.clusterName(), bootstrap.userName()),
                        new KubeconfigCluster(
                                run.node().localEndpoint().toString(),
                                run.cluster().caPem()),
                        bootstrap.user());
        files.write(run.paths().bootstrapKubeletConf(), conf.render(), FileMode.OWNER_ONLY);
    }

    private void refuseTakenName(JoinRun run, Reporter out) {
        String name = run.config().nodeRegistration().kubeletName();
        boolean taken = new KubeCalls(waiter, run.config().timeouts().kubernetesApiCall())
                .repeatUntilAllowed(
                        "kubelet-start",
                        "look for a node named " + name,
                        () -> clients.as(run.cluster().access()).get(Node.class, "", name))
                .filter(JoinKubeletStartPhase::isReady)
                .isPresent();
        if (taken) {
            throw new ClusterException(
                    "a node named \"%s\" exists in the cluster and is ready".formatted(name),
                    "two machines cannot share one Node object",
                    "join under another name (--node-name), or, if that machine is gone, run 'kubectl delete node %s' first"
                            .formatted(name));
        }
        out.detail("kubelet-start: the name %s is free".formatted(name));
    }

    private static boolean isReady(Node node) {
        return node.getStatus() != null
                && node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
    }
}
