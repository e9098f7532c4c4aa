package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.kjadm.core.config.Images;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Addon;
import io.kjadm.manifests.CoreDnsAddon;
import io.kjadm.manifests.PatchTarget;
import java.util.List;

/** {@code addon/coredns}: the cluster's name service. */
final class CoreDnsPhase implements Phase<InitRun> {

    private static final int REPLICAS = 2;

    private final ClusterWrites writes;
    private final PatchDirectory patches;

    CoreDnsPhase(ClusterWrites writes, PatchDirectory patches) {
        this.writes = writes;
        this.patches = patches;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("coredns", "Install the CoreDNS addon to a Kubernetes cluster",
                InitFlagNames.COREDNS);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        if (run.options().printManifest()) {
            out.print(addon(run, REPLICAS).print());
            return run;
        }
        KubeApi api = writes.api(run, out);
        for (HasMetadata object : addon(run, replicas(run, api)).inWriteOrder()) {
            writes.repeat(run, "addons", ClusterWrites.writing(object), () -> write(api, object));
        }
        out.step("addons", "Applied essential addon: CoreDNS");
        return run;
    }

    private Addon addon(InitRun run, int replicas) {
        CoreDnsAddon.Input input = new CoreDnsAddon.Input(
                Images.of(run.node().cluster()).coreDns(),
                run.node().cluster().networking().dnsDomain(),
                run.node().cluster().networking().dnsAddress(),
                replicas);
        return CoreDnsAddon.build(input,
                patches.patched(run.node().patches(), PatchTarget.COREDNS_DEPLOYMENT,
                        CoreDnsAddon.deployment(input), Deployment.class));
    }

    /** An operator who scaled it keeps the number. */
    private int replicas(InitRun run, KubeApi api) {
        List<Deployment> found = writes.repeat(run, "addons", "list DNS deployments",
                () -> api.list(Deployment.class, "kube-system", CoreDnsAddon.LABELS));
        if (found.size() > 1) {
            throw new ClusterException("there are %d DNS deployments".formatted(found.size()),
                    "which of them is CoreDNS cannot be told",
                    "remove label k8s-app=kube-dns from the others");
        }
        return found.isEmpty() ? REPLICAS : found.getFirst().getSpec().getReplicas();
    }

    private static HasMetadata write(KubeApi api, HasMetadata object) {
        try {
            return api.createOrReplace(object);
        } catch (KubeApiException e) {
            // creating the Service again is "invalid", since its address is taken: by itself
            if (!(object instanceof Service) || e.kind() != Kind.INVALID) {
                throw e;
            }
            return api.replace(object);
        }
    }
}
