package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.value.HostAndPort;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.EnvVariable;
import io.kjadm.manifests.HostVolume;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configuration as text: the documents of {@code config print} and the ConfigMaps' contents. */
public final class ConfigurationYaml {

    private static final String PLACEHOLDER_TOKEN = "abcdef.0123456789abcdef";
    /** The kinds of component configuration that go with a cluster. */
    private static final List<String> COMPONENTS = List.of(Document.KUBE_PROXY, Document.KUBELET);

    private ConfigurationYaml() {}

    public static String init(InitConfiguration init) {
        TreeWriter tree = TreeWriter.document(Document.INIT)
                .list(
                        "bootstrapTokens",
                        init.bootstrapTokens().stream()
                                .map(ConfigurationYaml::token)
                                .toList())
                .flag("dryRun", init.dryRun())
                .always("nodeRegistration", nodeRegistration(init.nodeRegistration()))
                .always("localAPIEndpoint", endpoint(init.localApiEndpoint()))
                .text("certificateKey", init.certificateKey())
                .list("skipPhases", init.skipPhases())
                .always("timeouts", timeouts(init.timeouts()));
        init.patchesDirectory()
                .ifPresent(directory -> tree.always(
                        "patches", new TreeWriter().always("directory", directory.toString())));
        return tree.yaml();
    }

    /** ClusterConfiguration; as such the content of the ConfigMap {@code kubeadm-config}. */
    public static String cluster(ClusterConfiguration cluster) {
        return TreeWriter.document(Document.CLUSTER)
                .always(
                        "kubernetesVersion",
                        (cluster.ciVersion() ? "ci/" : "") + cluster.kubernetesVersion())
                .always("clusterName", cluster.clusterName())
                .text("controlPlaneEndpoint", cluster.controlPlaneEndpoint())
                .always("certificatesDir", cluster.certificatesDir().toString())
                .always("imageRepository", cluster.imageRepository())
                .always("encryptionAlgorithm", cluster.encryptionAlgorithm().text())
                .duration("certificateValidityPeriod", cluster.certificateValidityPeriod())
                .duration("caCertificateValidityPeriod", cluster.caCertificateValidityPeriod())
                .map("featureGates", cluster.featureGates().chosen())
                .always("networking", networking(cluster.networking()))
                .always(
                        "apiServer",
                        component(cluster.apiServer().component())
                                .list("certSANs", cluster.apiServer().certSans()))
                .always("controllerManager", component(cluster.controllerManager()))
                .always("scheduler", component(cluster.scheduler()))
                .always(
                        "dns",
                        new TreeWriter()
                                .text("imageRepository", cluster.dns().imageRepository())
                                .text("imageTag", cluster.dns().imageTag())
                                .flag("disabled", cluster.dns().disabled()))
                .always("proxy", new TreeWriter().flag("disabled", cluster.proxyDisabled()))
                .always("etcd", etcd(cluster.etcd()))
                .yaml();
    }

    public static String join(JoinConfiguration join) {
        return YamlText.write(joinTree(join));
    }

    static Map<String, Object> joinTree(JoinConfiguration join) {
        TreeWriter tree = TreeWriter.document(Document.JOIN)
                .flag("dryRun", join.dryRun())
                .always("nodeRegistration", nodeRegistration(join.nodeRegistration()))
                .always("caCertPath", join.caCertPath().toString())
                .always("discovery", discovery(join.discovery()))
                .list("skipPhases", join.skipPhases())
                .always("timeouts", timeouts(join.timeouts()));
        join.controlPlane()
                .ifPresent(part -> tree.always(
                        "controlPlane",
                        new TreeWriter()
                                .always("localAPIEndpoint", endpoint(part.localApiEndpoint()))
                                .text("certificateKey", part.certificateKey())));
        join.patchesDirectory()
                .ifPresent(directory -> tree.always(
                        "patches", new TreeWriter().always("directory", directory.toString())));
        return tree.tree();
    }

    public static String reset(ResetConfiguration reset) {
        return TreeWriter.document(Document.RESET)
                .flag("cleanupTmpDir", reset.cleanupTmpDir())
                .always(
                        "certificatesDir",
                        reset.certificatesDir()
                                .orElse(KubernetesPaths.CERTIFICATES_DIR)
                                .toString())
                .always("criSocket", reset.criSocket().orElse(CriSockets.DEFAULT))
                .flag("dryRun", reset.dryRun())
                .flag("force", reset.force())
                .list("ignorePreflightErrors", reset.ignorePreflightErrors())
                .list("skipPhases", reset.skipPhases())
                .list(
                        "unmountFlags",
                        reset.unmountFlags().stream().map(Enum::name).toList())
                .always("timeouts", timeouts(reset.timeouts()))
                .yaml();
    }

    public static String upgrade(UpgradeConfiguration upgrade) {
        UpgradeConfiguration.Apply apply = upgrade.apply();
        UpgradeConfiguration.Plan plan = upgrade.plan();
        TreeWriter diff =
                new TreeWriter().text("kubernetesVersion", upgrade.diff().version());
        upgrade.diff().chosenContextLines().ifPresent(lines -> diff.always("contextLines", lines));
        return TreeWriter.document(Document.UPGRADE)
                .always(
                        "apply",
                        target(nodeUpgrade(apply.node()), apply.target())
                                .flag("forceUpgrade", apply.force())
                                .flag("printConfig", apply.printConfig()))
                .always("node", nodeUpgrade(upgrade.node()))
                .always(
                        "plan",
                        target(new TreeWriter(), plan.target())
                                .always("etcdUpgrade", plan.etcdUpgrade())
                                .list("ignorePreflightErrors", plan.ignorePreflightErrors())
                                .flag("printConfig", plan.printConfig()))
                .always("diff", diff)
                .always("timeouts", timeouts(upgrade.timeouts()))
                .yaml();
    }

    private static TreeWriter nodeUpgrade(UpgradeConfiguration.NodeUpgrade node) {
        TreeWriter tree = new TreeWriter()
                .always("certificateRenewal", node.scope().certificateRenewal())
                .flag("dryRun", node.dryRun())
                .always("etcdUpgrade", node.scope().etcdUpgrade())
                .list("ignorePreflightErrors", node.ignorePreflightErrors())
                .always("imagePullPolicy", node.images().policy().text())
                .always("imagePullSerial", node.images().serial())
                .list("skipPhases", node.skipPhases());
        node.patchesDirectory()
                .ifPresent(directory -> tree.always(
                        "patches", new TreeWriter().always("directory", directory.toString())));
        return tree;
    }

    private static TreeWriter target(TreeWriter section, UpgradeConfiguration.Target target) {
        return section.text("kubernetesVersion", target.version())
                .flag("allowExperimentalUpgrades", target.experimental())
                .flag("allowRCUpgrades", target.releaseCandidate());
    }

    static TreeWriter timeouts(Timeouts timeouts) {
        return new TreeWriter()
                .duration(
                        "controlPlaneComponentHealthCheck",
                        timeouts.controlPlaneComponentHealthCheck())
                .duration("kubeletHealthCheck", timeouts.kubeletHealthCheck())
                .duration("kubernetesAPICall", timeouts.kubernetesApiCall())
                .duration("etcdAPICall", timeouts.etcdApiCall())
                .duration("tlsBootstrap", timeouts.tlsBootstrap())
                .duration("discovery", timeouts.discovery())
                .duration("upgradeManifests", timeouts.upgradeManifests());
    }

    static List<Map<String, Object>> args(List<Argument> args) {
        return args.stream()
                .map(arg -> new TreeWriter()
                        .always("name", arg.name())
                        .always("value", arg.value())
                        .tree())
                .toList();
    }

    static List<Map<String, Object>> envs(List<EnvVariable> envs) {
        return envs.stream()
                .map(env -> new TreeWriter()
                        .always("name", env.name())
                        .text("value", env.value())
                        .map("valueFrom", env.valueFrom())
                        .tree())
                .toList();
    }

    private static Map<String, Object> token(BootstrapToken token) {
        TreeWriter tree = new TreeWriter()
                .always("token", token.token())
                .text("description", token.description())
                .list("usages", token.usages())
                .list("groups", token.groups());
        token.ttl().ifPresent(life -> tree.duration("ttl", life));
        token.expires().ifPresent(end -> tree.always("expires", end.toString()));
        return tree.tree();
    }

    private static TreeWriter endpoint(ApiEndpoint endpoint) {
        return new TreeWriter()
                .text("advertiseAddress", endpoint.advertiseAddress())
                .always("bindPort", endpoint.bindPort());
    }

    private static TreeWriter nodeRegistration(NodeRegistration node) {
        return new TreeWriter()
                .text("name", node.name())
                .text("criSocket", node.criSocket())
                .always(
                        "taints",
                        node.taints()
                                .map(taints -> (Object) taints.stream()
                                        .map(ConfigurationYaml::taint)
                                        .toList())
                                .orElse(null))
                .list("kubeletExtraArgs", args(node.kubeletExtraArgs()))
                .list("ignorePreflightErrors", node.ignorePreflightErrors())
                .always("imagePullPolicy", node.imagePullPolicy().text())
                .always("imagePullSerial", node.imagePullSerial());
    }

    private static Map<String, Object> taint(Taint taint) {
        return new TreeWriter()
                .always("key", taint.key())
                .text("value", taint.value())
                .always("effect", taint.effect())
                .text("timeAdded", taint.timeAdded())
                .tree();
    }

    private static TreeWriter discovery(Discovery discovery) {
        TreeWriter tree = new TreeWriter();
        switch (discovery) {
            case TokenDiscovery way ->
                tree.always(
                        "bootstrapToken",
                        new TreeWriter()
                                .always("token", way.token())
                                .always(
                                        "apiServerEndpoint",
                                        way.apiServerEndpoint().text())
                                .list("caCertHashes", way.caCertHashes())
                                .flag("unsafeSkipCAVerification", way.unsafeSkipCaVerification()));
            case FileDiscovery way ->
                tree.always(
                        "file", new TreeWriter().always("kubeConfigPath", way.kubeConfigPath()));
        }
        return tree.text("tlsBootstrapToken", discovery.tlsBootstrapToken());
    }

    private static TreeWriter networking(Networking networking) {
        return new TreeWriter()
                .text("serviceSubnet", networking.serviceSubnet())
                .text("podSubnet", networking.podSubnet())
                .text("dnsDomain", networking.dnsDomain());
    }

    private static TreeWriter component(ControlPlaneComponent component) {
        return new TreeWriter()
                .list("extraArgs", args(component.extraArgs()))
                .list(
                        "extraVolumes",
                        component.extraVolumes().stream()
                                .map(ConfigurationYaml::volume)
                                .toList())
                .list("extraEnvs", envs(component.extraEnvs()));
    }

    private static Map<String, Object> volume(HostVolume volume) {
        return new TreeWriter()
                .always("name", volume.name())
                .always("hostPath", volume.hostPath())
                .always("mountPath", volume.mountPath())
                .flag("readOnly", volume.readOnly())
                .text("pathType", volume.pathType())
                .tree();
    }

    private static TreeWriter etcd(Etcd etcd) {
        return switch (etcd) {
            case LocalEtcd local ->
                new TreeWriter()
                        .always(
                                "local",
                                new TreeWriter()
                                        .text("imageRepository", local.imageRepository())
                                        .text("imageTag", local.imageTag())
                                        .always("dataDir", local.dataDir().toString())
                                        .list("extraArgs", args(local.extraArgs()))
                                        .list("extraEnvs", envs(local.extraEnvs()))
                                        .list("serverCertSANs", local.serverCertSans())
                                        .list("peerCertSANs", local.peerCertSans()));
            case ExternalEtcd external ->
                new TreeWriter()
                        .always(
                                "external",
                                new TreeWriter()
                                        .always("endpoints", texts(external.endpoints()))
                                        .list("httpEndpoints", texts(external.httpEndpoints()))
                                        .always("caFile", text(external.caFile()))
                                        .always("certFile", text(external.certFile()))
                                        .always("keyFile", text(external.keyFile())));
        };
    }

    private static List<String> texts(List<URI> urls) {
        return urls.stream().map(URI::toString).toList();
    }

    private static String text(Optional<Path> path) {
        return path.map(Path::toString).orElse("");
    }

    /** The kubelet's document; as such the content of the ConfigMap {@code kubelet-config}. */
    public static String kubelet(KubeletConfig kubelet) {
        return YamlText.write(kubelet.tree());
    }

    /** kube-proxy's document, with the newline that the ConfigMap {@code kube-proxy} lacks. */
    public static String kubeProxy(KubeProxyConfig proxy) {
        return YamlText.write(proxy.tree());
    }

    /**
     * The documents of {@code config print init-defaults}.
     *
     * @param components kinds of component configuration to add, in this order
     * @throws UsageException if one of them is no such kind
     */
    public static String printInitDefaults(List<String> components) {
        requireKnown(components);
        InitConfiguration init = new InitConfiguration(
                List.of(BootstrapToken.defaults().withToken(PLACEHOLDER_TOKEN)),
                NodeRegistration.defaults().withName("node").withCriSocket(CriSockets.DEFAULT),
                new ApiEndpoint("1.2.3.4", ApiEndpoint.DEFAULT_PORT),
                Optional.empty(),
                RunSettings.DEFAULTS);
        KubernetesVersion own = KubernetesVersion.CURRENT;
        ClusterConfiguration cluster = ClusterConfiguration.defaults()
                .withKubernetesVersion("%d.%d.0".formatted(own.major(), own.minor()), false);
        List<String> documents = new ArrayList<>(List.of(init(init), cluster(cluster)));
        for (String kind : components) {
            documents.add(component(kind, cluster, init.localApiEndpoint().advertiseAddress()));
        }
        return YamlText.join(documents);
    }

    private static void requireKnown(List<String> components) {
        for (String kind : components) {
            if (!COMPONENTS.contains(kind)) {
                throw new UsageException(
                        "unknown component configuration \"%s\"".formatted(kind),
                        "known ones are " + String.join(", ", COMPONENTS),
                        "");
            }
        }
    }

    /** The document of {@code config print join-defaults}, for a node of that name. */
    public static String printJoinDefaults(String nodeName) {
        return join(new JoinConfiguration(
                NodeRegistration.defaults().withName(nodeName).withCriSocket(CriSockets.DEFAULT),
                JoinConfiguration.DEFAULT_CA_CERT_PATH,
                new TokenDiscovery(
                        PLACEHOLDER_TOKEN,
                        new HostAndPort("kube-apiserver", ApiEndpoint.DEFAULT_PORT),
                        List.of(),
                        true,
                        Optional.of(PLACEHOLDER_TOKEN)),
                Optional.empty(),
                RunSettings.DEFAULTS));
    }

    /** The document of {@code config print reset-defaults}. */
    public static String printResetDefaults() {
        return reset(ResetConfiguration.defaults());
    }

    /** The document of {@code config print upgrade-defaults}. */
    public static String printUpgradeDefaults() {
        return upgrade(UpgradeConfiguration.defaults());
    }

    private static String component(String kind, ClusterConfiguration cluster, String address) {
        ComponentDefaults defaults = new ComponentDefaults(warning -> {});
        return kind.equals(Document.KUBELET)
                ? kubelet(defaults.kubelet(Map.of(), false, cluster))
                : kubeProxy(defaults.kubeProxy(Map.of(), false, cluster, address));
    }
}
