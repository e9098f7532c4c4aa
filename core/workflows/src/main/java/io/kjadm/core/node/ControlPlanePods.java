package io.kjadm.core.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.core.config.ApiServer;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ControlPlaneComponent;
import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.manifests.ApiServerEtcd;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EnvVariable;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.HostCaDirectories;
import io.kjadm.manifests.ImageNames;
import io.kjadm.manifests.ImageVersion;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PodHost;
import io.kjadm.manifests.PodOptions;
import io.kjadm.manifests.RunAsIds;
import io.kjadm.manifests.SchedulerPod;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The static pods of a node from its configuration: the one place where configuration becomes the
 * input of the renderers. Who a pod runs as is the caller's to say; empty is root.
 */
public final class ControlPlanePods {

    private final HostFiles files;
    private final Map<String, String> environment;

    /**
     * @param environment of this process; its {@code *_proxy} variables are passed on to the pods
     */
    public ControlPlanePods(HostFiles files, Map<String, String> environment) {
        this.files = files;
        this.environment = Map.copyOf(environment);
    }

    /** The API server. */
    public Pod apiServer(ControlPlaneNode node, Optional<RunAsIds> runAs) {
        ClusterConfiguration cluster = node.cluster();
        ApiServer server = cluster.apiServer();
        PodHost host = host(node);
        return ApiServerPod.build(new ApiServerPod.Input(
                host,
                options(node, ApiServerPod.NAME, server.component(), runAs),
                node.endpoint().address(),
                node.endpoint().bindPort(),
                etcdAccess(node, host),
                cluster.networking().dnsDomain(),
                cluster.networking().serviceSubnet()));
    }

    /**
     * The controller manager.
     *
     * @param externalCa whether the cluster's CA key is kept elsewhere
     */
    public Pod controllerManager(
            ControlPlaneNode node, Optional<RunAsIds> runAs, boolean externalCa) {
        ClusterConfiguration cluster = node.cluster();
        return ControllerManagerPod.build(new ControllerManagerPod.Input(
                host(node),
                options(node, ControllerManagerPod.NAME, cluster.controllerManager(), runAs),
                cluster.networking().serviceSubnet(),
                cluster.networking().podSubnet(),
                cluster.clusterName(),
                externalCa));
    }

    /** The scheduler. */
    public Pod scheduler(ControlPlaneNode node, Optional<RunAsIds> runAs) {
        return SchedulerPod.build(new SchedulerPod.Input(
                host(node), options(node, SchedulerPod.NAME, node.cluster().scheduler(), runAs)));
    }

    /**
     * The etcd member of this node.
     *
     * @param existing all members, this one among them, if it joins a cluster; empty if it founds
     *         one
     */
    public Pod etcd(
            ControlPlaneNode node,
            Optional<RunAsIds> runAs,
            LocalEtcd etcd,
            Optional<List<NameAndUrl>> existing) {
        String image = Images.of(node.cluster()).etcd();
        PodOptions options =
                new PodOptions(image, etcd.extraArgs(), List.of(), etcd.extraEnvs(), runAs);
        return EtcdPod.build(new EtcdPod.Input(
                host(node),
                options,
                ImageVersion.fromTag(image.substring(image.lastIndexOf(':') + 1)),
                node.name(),
                node.endpoint().address(),
                etcd.dataDir(),
                existing));
    }

    private PodHost host(ControlPlaneNode node) {
        return new PodHost(
                node.paths().certificatesDir(),
                node.paths().kubernetesDir(),
                HostCaDirectories.CANDIDATES.stream().filter(files::isDirectory).toList(),
                proxyVariables(),
                node.timeouts().controlPlaneComponentHealthCheck());
    }

    /** The {@code *_proxy} variables, in any case, that have a value. */
    public List<EnvVariable> proxyVariables() {
        return environment.entrySet().stream()
                .filter(entry -> entry.getKey().toLowerCase(Locale.ROOT).endsWith("_proxy"))
                .filter(entry -> !entry.getValue().isEmpty())
                .map(entry -> new EnvVariable(entry.getKey(), entry.getValue()))
                .toList();
    }

    private PodOptions options(
            ControlPlaneNode node,
            String name,
            ControlPlaneComponent component,
            Optional<RunAsIds> runAs) {
        return new PodOptions(
                image(node, name),
                component.extraArgs(),
                component.extraVolumes(),
                component.extraEnvs(),
                runAs);
    }

    private static String image(ControlPlaneNode node, String component) {
        ImageNames images = Images.of(node.cluster());
        return switch (component) {
            case ApiServerPod.NAME -> images.apiServer();
            case ControllerManagerPod.NAME -> images.controllerManager();
            case SchedulerPod.NAME -> images.scheduler();
            default -> throw new IllegalStateException("no image for " + component);
        };
    }

    private static ApiServerEtcd etcdAccess(ControlPlaneNode node, PodHost host) {
        return switch (node.cluster().etcd()) {
            case LocalEtcd local ->
                ApiServerEtcd.stacked(host, node.endpoint().address(), local.extraArgs());
            case ExternalEtcd external ->
                new ApiServerEtcd(
                        external.endpoints().stream().map(Object::toString).toList(),
                        external.caFile(),
                        external.certFile(),
                        external.keyFile());
        };
    }
}
