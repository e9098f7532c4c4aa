package io.kjadm.core.config;

import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.value.Timeouts;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.EnvVariable;
import io.kjadm.manifests.HostVolume;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The model as trees of v1beta4 documents. */
final class ConfigurationTrees {

    private ConfigurationTrees() {}

    static Map<String, Object> init(InitConfiguration init) {
        TreeWriter tree = TreeWriter.document(Document.INIT)
                .list(
                        "bootstrapTokens",
                        init.bootstrapTokens().stream()
                                .map(ConfigurationTrees::token)
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
        return tree.tree();
    }

    static Map<String, Object> cluster(ClusterConfiguration cluster) {
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
                .tree();
    }

    static Map<String, Object> join(JoinConfiguration join) {
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

    static Map<String, Object> reset(ResetConfiguration reset) {
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
                .tree();
    }

    static Map<String, Object> upgrade(UpgradeConfiguration upgrade) {
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
                .tree();
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
                                        .map(ConfigurationTrees::taint)
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
                                .map(ConfigurationTrees::volume)
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
}
