package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.kjadm.core.config.Images;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Addon;
import io.kjadm.manifests.CoreDnsAddon;
import io.kjadm.manifests.CoreDnsVersion;
import io.kjadm.manifests.Corefile;
import io.kjadm.manifests.PatchTarget;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** {@code addon/coredns}: the cluster's name service. */
final class CoreDnsPhase implements Phase<InitRun> {

    private static final int REPLICAS = 2;

    private final AdminObjectWriter writes;
    private final PatchDirectory patches;

    CoreDnsPhase(AdminObjectWriter writes, PatchDirectory patches) {
        this.writes = writes;
        this.patches = patches;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "coredns",
                "Install the CoreDNS addon to a Kubernetes cluster",
                InitPhaseFlags.COREDNS);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        if (run.options().printManifest()) {
            out.print(addon(run, REPLICAS).print());
            return run;
        }
        KubeApi api = writes.api(run, out);
        InstalledDns installed = writes.repeat(
                run, "addons", "read what serves names", () -> InstalledDns.read(api));
        Predicate<HasMetadata> kept = kept(run, installed, out);
        addon(run, installed.replicas().orElse(REPLICAS)).inWriteOrder().stream()
                .filter(kept.negate())
                .forEach(object -> writes.repeat(
                        run,
                        "addons",
                        AdminObjectWriter.writing(object),
                        () -> write(api, object)));
        out.step("addons", "Applied essential addon: CoreDNS");
        return run;
    }

    private Addon addon(InitRun run, int replicas) {
        CoreDnsAddon.Input input = new CoreDnsAddon.Input(
                Images.of(run.node().cluster()).coreDns(),
                run.node().cluster().networking().dnsDomain(),
                run.node().cluster().networking().dnsAddress(),
                replicas);
        return CoreDnsAddon.build(
                input,
                patches.patched(
                        run.node().patches(),
                        PatchTarget.COREDNS_DEPLOYMENT,
                        CoreDnsAddon.deployment(input),
                        Deployment.class));
    }

    /**
     * What is left as it is: a Corefile that somebody changed, and with it the CoreDNS that
     * understands it.
     */
    private static Predicate<HasMetadata> kept(InitRun run, InstalledDns installed, Reporter out) {
        Optional<CoreDnsVersion> wanted =
                CoreDnsVersion.ofImage(Images.of(run.node().cluster()).coreDns());
        wanted.filter(version -> installed.configuration().isPresent())
                .ifPresent(installed::refuseOlder);
        if (installed.ownCorefile().isEmpty()) {
            return object -> false;
        }
        out.detail("addons: ConfigMap %s has a Corefile of its own, which is kept"
                .formatted(CoreDnsAddon.NAME));
        List<Corefile.Removal> lost = wanted.map(installed::lostWith).orElse(List.of());
        lost.forEach(removal -> out.warn(
                "the Corefile in ConfigMap %s uses %s, which CoreDNS does not have since %s: %s, then run 'kjadm init phase addon coredns' again; until then the CoreDNS that runs is kept"
                        .formatted(
                                CoreDnsAddon.NAME,
                                removal.name(),
                                removal.since(),
                                removal.advice())));
        return object ->
                object instanceof ConfigMap || object instanceof Deployment && !lost.isEmpty();
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
