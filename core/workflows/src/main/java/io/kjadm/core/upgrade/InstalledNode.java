package io.kjadm.core.upgrade;

import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeAccess.Credential.ClientCertificate;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.core.staticpod.KubeletCriSocket;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.ManifestException;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What a node is, as its own files tell: whoever has set it up, and whatever was patched since.
 *
 * @param name      in the cluster
 * @param criSocket of the runtime that its kubelet uses
 * @param endpoint  where its own API server listens; empty on a worker
 * @param etcd      its member of a stacked etcd, if it has one
 * @param externalCa whether the cluster CA's key is kept elsewhere
 */
public record InstalledNode(
        String name,
        String criSocket,
        Optional<ApiEndpoint> endpoint,
        LocalEtcdState etcd,
        boolean externalCa,
        KubernetesPaths paths) {

    /** What {@code kubelet.conf} is presented with ({@code system:node:NAME}). */
    private static final String NODE_USER = "system:node:";

    /**
     * Reads the node's files.
     *
     * @throws HostException if they do not tell which node of the cluster this is
     */
    public static InstalledNode look(HostFiles files, ClusterConfiguration cluster) {
        KubernetesPaths paths = KubernetesPaths.withCertificates(cluster.certificatesDir());
        return new InstalledNode(
                name(files, paths.kubeletConf()),
                KubeletCriSocket.require(files, paths),
                endpoint(files, paths),
                LocalEtcdState.look(
                        files,
                        paths,
                        component -> files.read(paths.manifest(component)),
                        Optional.of(cluster.configuredEtcd())),
                !files.exists(paths.certificate("ca.key")),
                paths);
    }

    /** Whether it has an API server. */
    public boolean controlPlane() {
        return endpoint.isPresent();
    }

    /** As a new node would be told; what a kubelet was started with stays as it is. */
    public NodeRegistration registration() {
        return NodeRegistration.defaults().withName(name).withCriSocket(criSocket);
    }

    /**
     * The name that a node's kubelet has in the cluster.
     *
     * @throws HostException if its kubeconfig does not tell it
     */
    public static String name(HostFiles files, Path kubeletConf) {
        String text = files.read(kubeletConf)
                .orElseThrow(() -> new HostException(
                        "there is no " + kubeletConf,
                        "this machine is no node of a cluster",
                        "run this on a node, or make it one with 'kjadm join'"));
        try {
            if (KubeAccesses.credential(Kubeconfig.parse(text), kubeletConf, files)
                    instanceof ClientCertificate(String pem, String _)) {
                String user = CertificateInfo.parse(pem).commonName();
                if (user.startsWith(NODE_USER)) {
                    return user.substring(NODE_USER.length());
                }
            }
        } catch (ManifestException | PkiException e) {
            throw unnamed(kubeletConf, e.getMessage());
        }
        throw unnamed(kubeletConf, "its client certificate is not that of a node");
    }

    private static HostException unnamed(Path kubeletConf, String why) {
        return new HostException(
                "%s does not have the name of this node".formatted(kubeletConf),
                why,
                "restore the file; the kubelet needs it as well");
    }

    private static Optional<ApiEndpoint> endpoint(HostFiles files, KubernetesPaths paths) {
        Path manifest = paths.manifest(ApiServerPod.NAME);
        return files.read(manifest)
                .map(text -> StaticPodText.parse(text)
                        .flatMap(pod -> pod.flag("advertise-address")
                                .map(address -> new ApiEndpoint(
                                        address,
                                        pod.flag("secure-port")
                                                .map(Integer::parseInt)
                                                .orElse(ApiEndpoint.DEFAULT_PORT))))
                        .orElseThrow(() -> new HostException(
                                "%s does not have the address of this node's API server"
                                        .formatted(manifest),
                                "it has no --advertise-address",
                                "restore the manifest")));
    }
}
