package io.kjadm.core.init;

import io.kjadm.core.flag.Flag;

import java.util.stream.Stream;

/** The flags of single init phases. */
final class InitPhaseFlags {

    private static final Flag[] BASE = {Flag.CONFIG, Flag.DRY_RUN};

    private static final Flag[] ENDPOINT = {
        Flag.APISERVER_ADVERTISE_ADDRESS, Flag.APISERVER_BIND_PORT, Flag.CONTROL_PLANE_ENDPOINT
    };

    static final Flag[] CERTIFICATE = with(BASE, Flag.CERT_DIR, Flag.KUBERNETES_VERSION);

    static final Flag[] API_SERVER_CERTIFICATE = with(
            CERTIFICATE,
            Flag.APISERVER_ADVERTISE_ADDRESS,
            Flag.CONTROL_PLANE_ENDPOINT,
            Flag.APISERVER_CERT_EXTRA_SANS,
            Flag.SERVICE_DNS_DOMAIN,
            Flag.SERVICE_CIDR);

    static final Flag[] KUBECONFIG = union(CERTIFICATE, ENDPOINT, Flag.KUBECONFIG_DIR);

    static final Flag[] KUBELET_KUBECONFIG = with(KUBECONFIG, Flag.NODE_NAME);

    static final Flag[] ETCD = with(BASE, Flag.CERT_DIR, Flag.IMAGE_REPOSITORY, Flag.PATCHES);

    private static final Flag[] MANIFEST = with(ETCD, Flag.KUBERNETES_VERSION);

    static final Flag[] API_SERVER = union(
            MANIFEST, ENDPOINT, Flag.APISERVER_EXTRA_ARGS, Flag.FEATURE_GATES, Flag.SERVICE_CIDR);

    static final Flag[] CONTROLLER_MANAGER =
            with(MANIFEST, Flag.CONTROLLER_MANAGER_EXTRA_ARGS, Flag.POD_NETWORK_CIDR);

    static final Flag[] SCHEDULER = with(MANIFEST, Flag.SCHEDULER_EXTRA_ARGS);

    static final Flag[] ALL_MANIFESTS =
            union(API_SERVER, CONTROLLER_MANAGER, Flag.SCHEDULER_EXTRA_ARGS);

    static final Flag[] PREFLIGHT =
            with(BASE, Flag.CRI_SOCKET, Flag.IGNORE_PREFLIGHT_ERRORS, Flag.IMAGE_REPOSITORY);

    static final Flag[] KUBELET_START =
            with(BASE, Flag.CRI_SOCKET, Flag.IMAGE_REPOSITORY, Flag.NODE_NAME, Flag.PATCHES);

    static final Flag[] UPLOAD_CONFIG = with(BASE, Flag.KUBECONFIG, Flag.CRI_SOCKET);

    static final Flag[] UPLOAD_CERTS = with(
            BASE,
            Flag.KUBECONFIG,
            Flag.UPLOAD_CERTS,
            Flag.CERTIFICATE_KEY,
            Flag.SKIP_CERTIFICATE_KEY_PRINT);

    static final Flag[] MARK = with(BASE, Flag.NODE_NAME);

    static final Flag[] BOOTSTRAP_TOKEN = with(BASE, Flag.KUBECONFIG, Flag.SKIP_TOKEN_PRINT);

    static final Flag[] KUBELET_FINALIZE = with(BASE, Flag.CERT_DIR);

    private static final Flag[] ADDON =
            with(BASE, Flag.KUBECONFIG, Flag.KUBERNETES_VERSION, Flag.IMAGE_REPOSITORY);

    private static final Flag[] DNS =
            with(ADDON, Flag.FEATURE_GATES, Flag.SERVICE_DNS_DOMAIN, Flag.SERVICE_CIDR);

    private static final Flag[] PROXY = union(ADDON, ENDPOINT, Flag.POD_NETWORK_CIDR);

    static final Flag[] ADDONS = union(DNS, PROXY);

    static final Flag[] COREDNS = with(DNS, Flag.PRINT_MANIFEST);

    static final Flag[] KUBE_PROXY = with(PROXY, Flag.PRINT_MANIFEST);

    static final Flag[] NONE = {};

    private InitPhaseFlags() {}

    private static Flag[] with(Flag[] flags, Flag... more) {
        return union(flags, more);
    }

    private static Flag[] union(Flag[] flags, Flag[] others, Flag... more) {
        return Stream.of(flags, others, more).flatMap(Stream::of).distinct().toArray(Flag[]::new);
    }
}
