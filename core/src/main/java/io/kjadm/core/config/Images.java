package io.kjadm.core.config;

import java.util.ArrayList;
import java.util.List;

/** The images a cluster runs, named after its configuration. */
public final class Images {

    public static final String COREDNS_TAG = "v1.14.2";
    public static final String PAUSE_TAG = "3.10.2";

    /** Kubernetes 1.34, 1.35 and 1.36 all come with this one. */
    public static final String ETCD_TAG = "3.6.8-0";

    private static final String CI_REPOSITORY = "gcr.io/k8s-staging-ci-images";

    private final ClusterConfiguration cluster;

    private Images(ClusterConfiguration cluster) {
        this.cluster = cluster;
    }

    public static Images of(ClusterConfiguration cluster) {
        return new Images(cluster);
    }

    /** All images of a control-plane node, in the order of {@code config images list}. */
    public List<String> all() {
        List<String> images = new ArrayList<>(
                List.of(apiServer(), controllerManager(), scheduler()));
        if (!cluster.proxy().disabled()) {
            images.add(kubeProxy());
        }
        if (!cluster.dns().disabled()) {
            images.add(coreDns());
        }
        images.add(pause());
        if (cluster.etcd() instanceof LocalEtcd local) {
            images.add(etcd(local));
        }
        return List.copyOf(images);
    }

    public String apiServer() {
        return kubernetes("kube-apiserver");
    }

    public String controllerManager() {
        return kubernetes("kube-controller-manager");
    }

    public String scheduler() {
        return kubernetes("kube-scheduler");
    }

    public String kubeProxy() {
        return kubernetes("kube-proxy");
    }

    /** Only the public registry keeps CoreDNS in a folder of its own. */
    public String coreDns() {
        String repository = cluster.dns().imageRepository().orElse(cluster.imageRepository());
        String folder = repository.equals(ClusterConfiguration.DEFAULT_IMAGE_REPOSITORY)
                ? "/coredns" : "";
        return repository + folder + "/coredns:" + cluster.dns().imageTag().orElse(COREDNS_TAG);
    }

    public String pause() {
        return cluster.imageRepository() + "/pause:" + PAUSE_TAG;
    }

    public String etcd(LocalEtcd local) {
        return local.imageRepository().orElse(cluster.imageRepository()) + "/etcd:"
                + local.imageTag().orElse(ETCD_TAG);
    }

    /** Builds of the CI lie elsewhere, unless a repository was chosen. */
    private String kubernetes(String name) {
        boolean usual =
                cluster.imageRepository().equals(ClusterConfiguration.DEFAULT_IMAGE_REPOSITORY);
        String repository =
                cluster.ciVersion() && usual ? CI_REPOSITORY : cluster.imageRepository();
        String tag = cluster.kubernetesVersion().replaceAll("[^-\\w.]", "_");
        return repository + "/" + name + ":" + tag;
    }
}
