package io.kjadm.core.addon;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.kjadm.core.cluster.ClusterWriter;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Addon;
import io.kjadm.manifests.CoreDnsAddon;
import io.kjadm.manifests.Corefile;
import io.kjadm.manifests.ImageVersion;
import io.kjadm.manifests.PatchTarget;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The cluster's name service, as a configuration wants it. */
public final class CoreDns {

    private static final int REPLICAS = 2;

    private final ClusterConfiguration cluster;
    private final PatchDirectory patches;
    private final Optional<Path> patchFiles;

    /**
     * @param patchFiles the directory with patches of its Deployment, if any
     */
    public CoreDns(
            ClusterConfiguration cluster, PatchDirectory patches, Optional<Path> patchFiles) {
        this.cluster = cluster;
        this.patches = patches;
        this.patchFiles = patchFiles;
    }

    /** Its objects in a new cluster, as YAML. */
    public String print() {
        return addon(REPLICAS).print();
    }

    /**
     * Installs it, or brings the one that is there up to date. A number of replicas and a Corefile
     * that somebody set are kept.
     */
    public void install(ClusterWriter to, Reporter out) {
        InstalledDns installed =
                to.repeat("read the DNS deployments", () -> InstalledDns.read(to.api()));
        Predicate<HasMetadata> unchanged = unchanged(installed, out);
        addon(installed.replicas().orElse(REPLICAS)).inWriteOrder().stream()
                .filter(unchanged.negate())
                .forEach(object ->
                        to.repeat(ClusterWriter.writing(object), () -> write(to.api(), object)));
    }

    private Addon addon(int replicas) {
        CoreDnsAddon.Input input = new CoreDnsAddon.Input(
                Images.of(cluster).coreDns(),
                cluster.networking().dnsDomain(),
                cluster.networking().dnsAddress(),
                replicas);
        return CoreDnsAddon.build(
                input,
                patches.patched(
                        patchFiles,
                        PatchTarget.COREDNS_DEPLOYMENT,
                        CoreDnsAddon.deployment(input),
                        Deployment.class));
    }

    /**
     * What is left as it is: a Corefile that somebody changed, and with it the CoreDNS that
     * understands it.
     */
    private Predicate<HasMetadata> unchanged(InstalledDns installed, Reporter out) {
        Optional<ImageVersion> wanted =
                ImageVersion.ofRelease(Images.of(cluster).coreDns());
        wanted.filter(version -> installed.configuration().isPresent())
                .ifPresent(installed::refuseOlder);
        if (installed.ownCorefile().isEmpty()) {
            return object -> false;
        }
        out.detail("addons: the Corefile in ConfigMap %s was customized and is kept"
                .formatted(CoreDnsAddon.NAME));
        List<Corefile.Removal> lost = wanted.map(installed::lostWith).orElse(List.of());
        lost.forEach(removal -> out.warn(
                "the Corefile in ConfigMap %s uses %s, which CoreDNS refuses since %s: %s, then run 'kjadm init phase addon coredns' again; until then the running CoreDNS is kept"
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
