package io.kjadm.core.config;

import io.kjadm.manifests.ImageNames;
import io.kjadm.manifests.ImageNames.Build;
import io.kjadm.manifests.ImageNames.Choice;

import java.util.ArrayList;
import java.util.List;

/** The images a cluster runs, named after its configuration. */
public final class Images {

    private final ClusterConfiguration cluster;
    private final ImageNames names;

    private Images(ClusterConfiguration cluster) {
        this.cluster = cluster;
        this.names = new ImageNames(
                cluster.imageRepository(),
                cluster.kubernetesVersion(),
                cluster.ciVersion() ? Build.CI : Build.RELEASE,
                cluster.etcd() instanceof LocalEtcd local
                        ? new Choice(local.imageRepository(), local.imageTag())
                        : Choice.NONE,
                new Choice(cluster.dns().imageRepository(), cluster.dns().imageTag()));
    }

    public static Images of(ClusterConfiguration cluster) {
        return new Images(cluster);
    }

    /** All images of a control-plane node, in the order of {@code config images list}. */
    public List<String> all() {
        List<String> images =
                new ArrayList<>(List.of(apiServer(), controllerManager(), scheduler()));
        if (!cluster.proxyDisabled()) {
            images.add(kubeProxy());
        }
        if (!cluster.dns().disabled()) {
            images.add(coreDns());
        }
        images.add(pause());
        if (cluster.etcd() instanceof LocalEtcd) {
            images.add(etcd());
        }
        return List.copyOf(images);
    }

    public String apiServer() {
        return names.apiServer();
    }

    public String controllerManager() {
        return names.controllerManager();
    }

    public String scheduler() {
        return names.scheduler();
    }

    public String kubeProxy() {
        return names.kubeProxy();
    }

    public String coreDns() {
        return names.coreDns();
    }

    public String pause() {
        return names.pause();
    }

    /** The image of a stacked etcd. */
    public String etcd() {
        return names.etcd();
    }
}
