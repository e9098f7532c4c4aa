package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The cluster's name service. */
public final class CoreDnsAddon {

    /** Name of the Deployment, the ConfigMap and the service account. */
    public static final String NAME = "coredns";
    /** Name of the Service; kept from the time before CoreDNS. */
    public static final String SERVICE_NAME = "kube-dns";
    /** The key of the ConfigMap. */
    public static final String COREFILE_KEY = "Corefile";
    /** The label by which Deployment, Service and pods belong together. */
    public static final Map<String, String> LABELS = Map.of("k8s-app", "kube-dns");

    private CoreDnsAddon() {}

    /**
     * What the addon is made of.
     *
     * @param clusterIp the address with index 10 of the first service CIDR; the kubelets hand it to
     *        the pods
     * @param replicas those of the Deployment found, else 2
     */
    public record Input(String image, String dnsDomain, InetAddress clusterIp, int replicas) {

        public Input {
            Objects.requireNonNull(image, "image");
            Objects.requireNonNull(dnsDomain, "dnsDomain");
            Objects.requireNonNull(clusterIp, "clusterIp");
        }
    }

    /** All objects with the Deployment as given by {@link #deployment}. */
    public static Addon build(Input input) {
        return build(input, deployment(input));
    }

    /** All objects, with this Deployment: the usual one after patches. */
    public static Addon build(Input input, Deployment deployment) {
        ConfigMap configuration = configMap(input.dnsDomain());
        List<HasMetadata> rights = RbacObjects.coreDns();
        ServiceAccount account = serviceAccount(NAME);
        Service service = service(input);
        return new Addon(
                List.of(configuration, rights.get(0), rights.get(1), account, deployment, service),
                List.of(deployment, configuration, service, rights.get(0), rights.get(1), account));
    }

    /** The ConfigMap with the default Corefile. */
    public static ConfigMap configMap(String dnsDomain) {
        return ConfigurationMaps.map(
                KubeSystem.NAMESPACE, NAME, Map.of(COREFILE_KEY, corefile(dnsDomain)));
    }

    static String corefile(String dnsDomain) {
        String text =
                TextResource.filled(CoreDnsAddon.class, "Corefile", Map.of("dnsDomain", dnsDomain));
        if (!dnsDomain.isEmpty()) {
            return text;
        }
        return text.replace("kubernetes  ", "kubernetes ")
                .replaceFirst("cache 30 \\{\n[^}]*}", "cache 30"); // nothing to exclude
    }

    /** The Deployment, before patches. */
    public static Deployment deployment(Input input) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withNamespace(KubeSystem.NAMESPACE)
                .withName(NAME)
                .withLabels(LABELS)
                .endMetadata()
                .withNewSpec()
                .withReplicas(input.replicas())
                .withNewSelector()
                .withMatchLabels(LABELS)
                .endSelector()
                .withNewStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(new IntOrString(1))
                .endRollingUpdate()
                .endStrategy()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(LABELS)
                .endMetadata()
                .withNewSpec()
                .withPriorityClassName("system-cluster-critical")
                .withServiceAccountName(NAME)
                .withAffinity(apart())
                .withTolerations(tolerations())
                .withNodeSelector(Map.of("kubernetes.io/os", "linux"))
                .withContainers(container(input.image()))
                .withDnsPolicy("Default")
                .addNewVolume()
                .withName("config-volume")
                .withNewConfigMap()
                .withName(NAME)
                .addNewItem(COREFILE_KEY, null, COREFILE_KEY)
                .endConfigMap()
                .endVolume()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    static ServiceAccount serviceAccount(String name) {
        return new ServiceAccountBuilder()
                .withNewMetadata()
                .withNamespace(KubeSystem.NAMESPACE)
                .withName(name)
                .endMetadata()
                .build();
    }

    private static Service service(Input input) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(KubeSystem.NAMESPACE)
                .withName(SERVICE_NAME)
                .withLabels(Map.of(
                        "k8s-app", "kube-dns",
                        "kubernetes.io/cluster-service", "true",
                        "kubernetes.io/name", "CoreDNS"))
                .withAnnotations(
                        Map.of("prometheus.io/port", "9153", "prometheus.io/scrape", "true"))
                // so that a replacement passes validation without a read before it
                .withResourceVersion("0")
                .endMetadata()
                .withNewSpec()
                .withClusterIP(AddressText.of(input.clusterIp()))
                .withPorts(
                        servicePort("dns", 53, "UDP"),
                        servicePort("dns-tcp", 53, "TCP"),
                        servicePort("metrics", 9153, "TCP"))
                .withSelector(LABELS)
                .endSpec()
                .build();
    }

    private static Affinity apart() {
        return new AffinityBuilder()
                .withNewPodAntiAffinity()
                .addNewPreferredDuringSchedulingIgnoredDuringExecution()
                .withWeight(100)
                .withNewPodAffinityTerm()
                .withNewLabelSelector()
                .addNewMatchExpression()
                .withKey("k8s-app")
                .withOperator("In")
                .withValues("kube-dns")
                .endMatchExpression()
                .endLabelSelector()
                .withTopologyKey("kubernetes.io/hostname")
                .endPodAffinityTerm()
                .endPreferredDuringSchedulingIgnoredDuringExecution()
                .endPodAntiAffinity()
                .build();
    }

    private static List<Toleration> tolerations() {
        return List.of(
                new TolerationBuilder()
                        .withKey("CriticalAddonsOnly")
                        .withOperator("Exists")
                        .build(),
                new TolerationBuilder()
                        .withKey("node-role.kubernetes.io/control-plane")
                        .withEffect("NoSchedule")
                        .build());
    }

    private static Container container(String image) {
        return new ContainerBuilder()
                .withName(NAME)
                .withImage(image)
                .withImagePullPolicy("IfNotPresent")
                .withArgs("-conf", "/etc/coredns/Corefile")
                .withNewResources()
                .withLimits(Map.of("memory", new Quantity("170Mi")))
                .withRequests(Map.of("cpu", new Quantity("100m"), "memory", new Quantity("70Mi")))
                .endResources()
                .withPorts(
                        port("dns", 53, "UDP"),
                        port("dns-tcp", 53, "TCP"),
                        port("metrics", 9153, "TCP"),
                        port("liveness-probe", 8080, "TCP"),
                        port("readiness-probe", 8181, "TCP"))
                .withNewLivenessProbe()
                .withNewHttpGet()
                .withPath("/health")
                .withNewPort("liveness-probe")
                .withScheme("HTTP")
                .endHttpGet()
                .withInitialDelaySeconds(60)
                .withTimeoutSeconds(5)
                .withSuccessThreshold(1)
                .withFailureThreshold(5)
                .endLivenessProbe()
                .withNewReadinessProbe()
                .withNewHttpGet()
                .withPath("/ready")
                .withNewPort("readiness-probe")
                .withScheme("HTTP")
                .endHttpGet()
                .endReadinessProbe()
                .withNewSecurityContext()
                .withAllowPrivilegeEscalation(false)
                .withNewCapabilities()
                .withAdd("NET_BIND_SERVICE")
                .withDrop("ALL")
                .endCapabilities()
                .withReadOnlyRootFilesystem(true)
                .endSecurityContext()
                .addNewVolumeMount()
                .withName("config-volume")
                .withMountPath("/etc/coredns")
                .withReadOnly(true)
                .endVolumeMount()
                .build();
    }

    private static ContainerPort port(String name, int number, String protocol) {
        return new ContainerPortBuilder()
                .withName(name)
                .withContainerPort(number)
                .withProtocol(protocol)
                .build();
    }

    private static ServicePort servicePort(String name, int number, String protocol) {
        return new ServicePortBuilder()
                .withName(name)
                .withPort(number)
                .withProtocol(protocol)
                .withNewTargetPort(number)
                .build();
    }
}
