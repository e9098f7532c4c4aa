package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The proxy that makes Services reachable on every node. */
public final class KubeProxyAddon {

    /** Name of all its objects but the cluster-wide binding. */
    public static final String NAME = "kube-proxy";

    private static final Map<String, String> LABELS = Map.of("k8s-app", NAME);
    private static final String ACCOUNT_FILES = "/var/run/secrets/kubernetes.io/serviceaccount/";

    private KubeProxyAddon() {}

    /**
     * What the addon is made of.
     *
     * @param server the URL of the control-plane endpoint
     * @param configuration the text of the KubeProxyConfiguration
     * @param proxyVariables the {@code *_proxy} variables of this process that have a value
     */
    public record Input(
            String image,
            String server,
            String configuration,
            ConfigurationMaps.Origin origin,
            List<EnvVariable> proxyVariables) {

        public Input {
            Objects.requireNonNull(image, "image");
            Objects.requireNonNull(server, "server");
            Objects.requireNonNull(configuration, "configuration");
            Objects.requireNonNull(origin, "origin");
            proxyVariables = List.copyOf(proxyVariables);
        }
    }

    /** All objects. */
    public static Addon build(Input input) {
        return build(input, daemonSet(input));
    }

    /** The same with this DaemonSet, which may have been patched. */
    public static Addon build(Input input, DaemonSet daemonSet) {
        ConfigMap configuration = configMap(input);
        ServiceAccount account = CoreDnsAddon.serviceAccount(NAME);
        List<HasMetadata> rights = RbacObjects.kubeProxy();
        var write = new ArrayList<HasMetadata>(List.of(configuration, daemonSet, account));
        write.addAll(rights);
        var print = new ArrayList<HasMetadata>(List.of(account));
        print.addAll(rights);
        print.addAll(List.of(configuration, daemonSet));
        return new Addon(write, print);
    }

    private static ConfigMap configMap(Input input) {
        Kubeconfig kubeconfig = Kubeconfig.inCluster(
                new KubeconfigCluster(
                        input.server(),
                        Optional.empty(),
                        Optional.of(Path.of(ACCOUNT_FILES + "ca.crt"))),
                KubeconfigUser.tokenFile(Path.of(ACCOUNT_FILES + "token")));
        ConfigMap map = ConfigurationMaps.map(
                        KubeSystem.NAMESPACE,
                        ConfigurationMaps.KUBE_PROXY,
                        Map.of(
                                ConfigurationMaps.KUBE_PROXY_KEY,
                                input.configuration().stripTrailing(),
                                "kubeconfig.conf",
                                kubeconfig.render().stripTrailing()))
                .edit()
                .editMetadata()
                .withLabels(Map.of("app", NAME))
                .endMetadata()
                .build();
        return ConfigurationMaps.marked(map, input.origin());
    }

    /** The DaemonSet alone. */
    public static DaemonSet daemonSet(Input input) {
        return new DaemonSetBuilder()
                .withNewMetadata()
                .withNamespace(KubeSystem.NAMESPACE)
                .withName(NAME)
                .withLabels(LABELS)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(LABELS)
                .endSelector()
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .endUpdateStrategy()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(LABELS)
                .endMetadata()
                .withNewSpec()
                .withPriorityClassName("system-node-critical")
                .withContainers(container(input))
                .withHostNetwork(true)
                .withServiceAccountName(NAME)
                .addNewVolume()
                .withName("kube-proxy")
                .withNewConfigMap()
                .withName(ConfigurationMaps.KUBE_PROXY)
                .endConfigMap()
                .endVolume()
                .addNewVolume()
                .withName("xtables-lock")
                .withNewHostPath("/run/xtables.lock", HostVolume.FILE_OR_CREATE)
                .endVolume()
                .addNewVolume()
                .withName("lib-modules")
                .withNewHostPath("/lib/modules", null)
                .endVolume()
                .addNewToleration()
                .withOperator("Exists")
                .endToleration()
                .withNodeSelector(Map.of("kubernetes.io/os", "linux"))
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static Container container(Input input) {
        return new ContainerBuilder()
                .withName(NAME)
                .withImage(input.image())
                .withImagePullPolicy("IfNotPresent")
                .withCommand(
                        "/usr/local/bin/kube-proxy",
                        "--config=/var/lib/kube-proxy/config.conf",
                        "--hostname-override=$(NODE_NAME)")
                .withNewSecurityContext()
                .withPrivileged(true)
                .endSecurityContext()
                .addNewVolumeMount()
                .withName("kube-proxy")
                .withMountPath("/var/lib/kube-proxy")
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("xtables-lock")
                .withMountPath("/run/xtables.lock")
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("lib-modules")
                .withMountPath("/lib/modules")
                .withReadOnly(true)
                .endVolumeMount()
                .withEnv(environment(input))
                .build();
    }

    private static List<EnvVar> environment(Input input) {
        var environment = new ArrayList<EnvVar>();
        environment.add(new EnvVariable(
                        "NODE_NAME",
                        "",
                        Map.of(
                                "fieldRef",
                                Map.of("apiVersion", "v1", "fieldPath", "spec.nodeName")))
                .toModel());
        environment.addAll(EnvVariable.merge(input.proxyVariables(), List.of()));
        return environment;
    }
}
