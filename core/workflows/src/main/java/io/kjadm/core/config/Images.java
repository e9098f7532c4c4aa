package io.kjadm.core.config;

import io.kjadm.manifests.ImageNames;
import io.kjadm.manifests.ImageNames.Build;
import io.kjadm.manifests.ImageNames.Choice;

import java.util.ArrayList;
import java.util.List;

/** The images a cluster runs, named after its configuration. */
public final class Images {

    private Images() {}

    /** The names of the single images; the one of etcd is that of a stacked etcd. */
    public static ImageNames of(ClusterConfiguration cluster) {
        return new ImageNames(
                cluster.imageRepository(),
                cluster.kubernetesVersion(),
                cluster.ciVersion() ? Build.CI : Build.RELEASE,
                cluster.etcd() instanceof LocalEtcd local
                        ? new Choice(local.imageRepository(), local.imageTag())
                        : Choice.NONE,
                new Choice(cluster.dns().imageRepository(), cluster.dns().imageTag()));
    }

    /** All images of a control-plane node, in the order of {@code config images list}. */
    public static List<String> all(ClusterConfiguration cluster) {
        ImageNames names = of(cluster);
        List<String> images = new ArrayList<>(
                List.of(names.apiServer(), names.controllerManager(), names.scheduler()));
        if (!cluster.proxyDisabled()) {
            images.add(names.kubeProxy());
        }
        if (!cluster.dns().disabled()) {
            images.add(names.coreDns());
        }
        images.add(names.pause());
        if (cluster.etcd() instanceof LocalEtcd) {
            images.add(names.etcd());
        }
        return List.copyOf(images);
    }
}
