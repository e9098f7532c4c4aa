package io.kjadm.core.addon;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.manifests.CoreDnsAddon;
import io.kjadm.manifests.Corefile;
import io.kjadm.manifests.ImageVersion;
import io.kjadm.manifests.KubeSystem;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The name service as a cluster has it.
 *
 * @param deployment    empty in a new cluster
 * @param configuration the ConfigMap with the Corefile
 */
public record InstalledDns(Optional<Deployment> deployment, Optional<ConfigMap> configuration) {

    /**
     * Asks once.
     *
     * @throws ClusterException if there are several Deployments that serve names
     */
    public static InstalledDns read(KubeApi api) {
        List<Deployment> found =
                api.list(Deployment.class, KubeSystem.NAMESPACE, CoreDnsAddon.LABELS);
        if (found.size() > 1) {
            throw new ClusterException(
                    "there are %d DNS deployments".formatted(found.size()),
                    "it is unknown which of them is CoreDNS",
                    "remove label k8s-app=kube-dns from the others");
        }
        return new InstalledDns(
                found.stream().findFirst(),
                api.get(ConfigMap.class, KubeSystem.NAMESPACE, CoreDnsAddon.NAME));
    }

    /** How many there are: an operator who scaled it keeps the number. */
    Optional<Integer> replicas() {
        return deployment.map(found -> found.getSpec().getReplicas());
    }

    /** The release that runs; empty if there is none, or one's own build. */
    public Optional<ImageVersion> version() {
        return image().flatMap(ImageVersion::ofRelease);
    }

    /** The image that runs. */
    public Optional<String> image() {
        return deployment
                .flatMap(found -> found.getSpec().getTemplate().getSpec().getContainers().stream()
                        .findFirst())
                .map(Container::getImage);
    }

    /** The Corefile that somebody wrote or changed; one that is empty or a default is nobody's. */
    public Optional<Corefile> ownCorefile() {
        return configuration
                .flatMap(map -> Optional.ofNullable(map.getData()))
                .map((Map<String, String> data) -> data.get(CoreDnsAddon.COREFILE_KEY))
                .filter(text -> !text.isBlank())
                .map(Corefile::parse)
                .filter(corefile -> !corefile.isFormerDefault());
    }

    /**
     * @throws ClusterException if a newer release runs than the one that is to be installed
     */
    void refuseOlder(ImageVersion wanted) {
        version().filter(running -> running.compareTo(wanted) > 0).ifPresent(newer -> {
            throw new ClusterException(
                    "CoreDNS %s runs in the cluster".formatted(newer),
                    "%s, which would replace it, is older and may not support its Corefile"
                            .formatted(wanted),
                    "set dns.imageTag to the running release, or skip this phase");
        });
    }

    /** What the Corefile uses and the release to be installed does not have any more. */
    List<Corefile.Removal> lostWith(ImageVersion wanted) {
        return ownCorefile()
                .flatMap(corefile ->
                        version().map(running -> corefile.removedBetween(running, wanted)))
                .orElse(List.of());
    }
}
