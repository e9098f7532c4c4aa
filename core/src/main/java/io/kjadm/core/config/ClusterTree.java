package io.kjadm.core.config;

import io.kjadm.manifests.HostVolume;

import java.net.URI;
import java.util.List;
import java.util.Map;

/** ClusterConfiguration as the tree of a v1beta4 document. */
final class ClusterTree {

    private ClusterTree() {}

    static Map<String, Object> of(ClusterConfiguration cluster) {
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
                .always(
                        "proxy",
                        new TreeWriter().flag("disabled", cluster.proxy().disabled()))
                .always("etcd", etcd(cluster.etcd()))
                .tree();
    }

    private static TreeWriter networking(Networking networking) {
        return new TreeWriter()
                .text("serviceSubnet", networking.serviceSubnet())
                .text("podSubnet", networking.podSubnet())
                .text("dnsDomain", networking.dnsDomain());
    }

    private static TreeWriter component(ControlPlaneComponent component) {
        return new TreeWriter()
                .list("extraArgs", ConfigurationTrees.args(component.extraArgs()))
                .list(
                        "extraVolumes",
                        component.extraVolumes().stream()
                                .map(ClusterTree::volume)
                                .toList())
                .list("extraEnvs", ConfigurationTrees.envs(component.extraEnvs()));
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
                                        .list(
                                                "extraArgs",
                                                ConfigurationTrees.args(local.extraArgs()))
                                        .list(
                                                "extraEnvs",
                                                ConfigurationTrees.envs(local.extraEnvs()))
                                        .list("serverCertSANs", local.serverCertSans())
                                        .list("peerCertSANs", local.peerCertSans()));
            case ExternalEtcd external ->
                new TreeWriter()
                        .always(
                                "external",
                                new TreeWriter()
                                        .always("endpoints", texts(external.endpoints()))
                                        .list("httpEndpoints", texts(external.httpEndpoints()))
                                        .always(
                                                "caFile",
                                                external.caFile()
                                                        .map(Object::toString)
                                                        .orElse(""))
                                        .always(
                                                "certFile",
                                                external.certFile()
                                                        .map(Object::toString)
                                                        .orElse(""))
                                        .always(
                                                "keyFile",
                                                external.keyFile()
                                                        .map(Object::toString)
                                                        .orElse("")));
        };
    }

    private static List<String> texts(List<URI> urls) {
        return urls.stream().map(URI::toString).toList();
    }
}
