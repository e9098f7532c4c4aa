package io.kjadm.core.host;

import java.nio.file.Path;

/**
 * Where things are on a node.
 *
 * @param kubernetesDir   {@code /etc/kubernetes}: kubeconfigs, manifests
 * @param kubeletDir      {@code /var/lib/kubelet}
 * @param certificatesDir {@code certificatesDir} of the cluster's configuration
 */
public record KubernetesPaths(Path kubernetesDir, Path kubeletDir, Path certificatesDir) {

    /** The directory every program of this family uses. */
    public static final Path KUBERNETES_DIR = Path.of("/etc/kubernetes");
    /** The kubelet's directory. */
    public static final Path KUBELET_DIR = Path.of("/var/lib/kubelet");
    /** Default of {@code certificatesDir}. */
    public static final Path CERTIFICATES_DIR = KUBERNETES_DIR.resolve("pki");
    /** Default of {@code etcd.local.dataDir}. */
    public static final Path ETCD_DATA_DIR = Path.of("/var/lib/etcd");
    /** What etcd has in its data directory: its database and its log are below that. */
    public static final String ETCD_MEMBER = "member";

    /** Where things are unless a configuration says otherwise. */
    public static KubernetesPaths standard() {
        return withCertificates(CERTIFICATES_DIR);
    }

    /** The standard places with the given certificates directory. */
    public static KubernetesPaths withCertificates(Path certificatesDir) {
        return new KubernetesPaths(KUBERNETES_DIR, KUBELET_DIR, certificatesDir);
    }

    /** The directory the kubelet reads static pods from. */
    public Path manifestsDir() {
        return kubernetesDir.resolve("manifests");
    }

    /** Manifest of a static pod, by component name ({@code etcd}, {@code kube-apiserver}, …). */
    public Path manifest(String component) {
        return manifestsDir().resolve(component + ".yaml");
    }

    /** Scratch directory below {@link #kubernetesDir()}. */
    public Path tmpDir() {
        return kubernetesDir.resolve("tmp");
    }

    /** A kubeconfig of the node by its file name, {@code admin.conf} for example. */
    public Path kubeconfig(String fileName) {
        return kubernetesDir.resolve(fileName);
    }

    /** {@code admin.conf}. */
    public Path adminConf() {
        return kubeconfig("admin.conf");
    }

    /** {@code kubelet.conf}. */
    public Path kubeletConf() {
        return kubeconfig("kubelet.conf");
    }

    /** {@code bootstrap-kubelet.conf}, present only while a node joins. */
    public Path bootstrapKubeletConf() {
        return kubeconfig("bootstrap-kubelet.conf");
    }

    /** The kubelet's configuration file. */
    public Path kubeletConfig() {
        return kubeletDir.resolve("config.yaml");
    }

    /** The node's own part of the kubelet configuration. */
    public Path kubeletInstanceConfig() {
        return kubeletDir.resolve("instance-config.yaml");
    }

    /** The environment file with the kubelet's flags. */
    public Path kubeletFlags() {
        return kubeletDir.resolve("kubeadm-flags.env");
    }

    /** The client certificate and key that the kubelet rotates, in one PEM file. */
    public Path kubeletClientCurrent() {
        return kubeletDir.resolve("pki").resolve("kubelet-client-current.pem");
    }

    /** The serving certificate and key that the kubelet rotates, where the cluster signs it one. */
    public Path kubeletServerCurrent() {
        return kubeletDir.resolve("pki").resolve("kubelet-server-current.pem");
    }

    /** A file below the certificates directory, {@code etcd/ca.crt} for example. */
    public Path certificate(String fileName) {
        return certificatesDir.resolve(fileName);
    }

    /** The cluster's CA certificate. */
    public Path caCertificate() {
        return certificate("ca.crt");
    }

    /** Mode of a directory that has to be created for {@code file}. */
    public static FileMode parentMode(Path file) {
        String path = file.toString();
        boolean closed = path.contains("/manifests")
                || path.contains("/tmp")
                || path.startsWith("/var/lib/");
        return closed ? FileMode.PRIVATE_DIRECTORY : FileMode.OPEN_DIRECTORY;
    }
}
