package io.kjadm.manifests;

import java.util.Objects;
import java.util.Optional;

/**
 * The full references of all images of a cluster.
 *
 * @param repository of everything that has none of its own
 * @param kubernetesVersion resolved, such as {@code v1.36.2}
 * @param build whether Kubernetes itself is a release or a CI build
 * @param etcdChoice what is configured for etcd's image
 * @param dnsChoice what is configured for CoreDNS' image
 */
public record ImageNames(
        String repository,
        String kubernetesVersion,
        Build build,
        Choice etcdChoice,
        Choice dnsChoice) {

    /** The repository where nothing else is configured. */
    public static final String DEFAULT_REPOSITORY = "registry.k8s.io";
    /** Where images of CI builds are found unless another repository is configured. */
    public static final String CI_REPOSITORY = "gcr.io/k8s-staging-ci-images";

    private static final KubernetesReleases RELEASES = KubernetesReleases.KNOWN;

    /** What kind of build of Kubernetes the images are of. */
    public enum Build {
        RELEASE,
        CI
    }

    /** A repository and a tag of one image's own, where configured. */
    public record Choice(Optional<String> repository, Optional<String> tag) {

        /** Nothing configured. */
        public static final Choice NONE = new Choice(Optional.empty(), Optional.empty());

        public Choice {
            repository = repository.filter(text -> !text.isEmpty());
            tag = tag.filter(text -> !text.isEmpty());
        }
    }

    public ImageNames {
        Objects.requireNonNull(repository, "repository");
        Objects.requireNonNull(kubernetesVersion, "kubernetesVersion");
        Objects.requireNonNull(build, "build");
        Objects.requireNonNull(etcdChoice, "etcdChoice");
        Objects.requireNonNull(dnsChoice, "dnsChoice");
    }

    public String apiServer() {
        return kubernetes(ApiServerPod.NAME);
    }

    public String controllerManager() {
        return kubernetes(ControllerManagerPod.NAME);
    }

    public String scheduler() {
        return kubernetes(SchedulerPod.NAME);
    }

    public String kubeProxy() {
        return kubernetes(KubeProxyAddon.NAME);
    }

    /** CoreDNS has a folder of its own in the default repository, and only there. */
    public String coreDns() {
        String chosen = dnsChoice.repository().orElse(repository);
        String folder = chosen.equals(DEFAULT_REPOSITORY) ? chosen + "/coredns" : chosen;
        return folder + "/coredns:" + dnsChoice.tag().orElse(RELEASES.newest().coreDnsTag());
    }

    /** The sandbox image; the container runtime uses it, no manifest does. */
    public String pause() {
        return repository + "/pause:" + RELEASES.newest().pauseTag();
    }

    public String etcd() {
        return etcdChoice.repository().orElse(repository) + "/etcd:" + etcdTag();
    }

    /** The configured tag of etcd, else the one that belongs to the Kubernetes version. */
    public String etcdTag() {
        return etcdChoice.tag().orElseGet(() -> RELEASES.etcdTag(kubernetesVersion));
    }

    private String kubernetes(String name) {
        boolean elsewhere = build == Build.CI && repository.equals(DEFAULT_REPOSITORY);
        String tag = kubernetesVersion.replaceAll("[^-A-Za-z0-9_.]", "_");
        return (elsewhere ? CI_REPOSITORY : repository) + "/" + name + ":" + tag;
    }
}
