package io.kjadm.core.init;

import io.kjadm.core.flag.Flag;

import java.util.stream.Stream;

/** The flags of single init phases. */
final class InitPhaseFlags {

    static final Flag[] CERTIFICATE = {
        Flag.CONFIG, Flag.DRY_RUN, Flag.CERT_DIR, Flag.KUBERNETES_VERSION
    };

    static final Flag[] API_SERVER_CERTIFICATE = with(
            CERTIFICATE,
            Flag.APISERVER_ADVERTISE_ADDRESS,
            Flag.CONTROL_PLANE_ENDPOINT,
            Flag.APISERVER_CERT_EXTRA_SANS,
            Flag.SERVICE_DNS_DOMAIN,
            Flag.SERVICE_CIDR);

    static final Flag[] KUBECONFIG = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.APISERVER_ADVERTISE_ADDRESS,
        Flag.APISERVER_BIND_PORT,
        Flag.CONTROL_PLANE_ENDPOINT,
        Flag.CERT_DIR,
        Flag.KUBECONFIG_DIR,
        Flag.KUBERNETES_VERSION
    };

    static final Flag[] KUBELET_KUBECONFIG = with(KUBECONFIG, Flag.NODE_NAME);

    static final Flag[] ETCD = {
        Flag.CONFIG, Flag.DRY_RUN, Flag.CERT_DIR, Flag.IMAGE_REPOSITORY, Flag.PATCHES
    };

    private static final Flag[] MANIFEST = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.CERT_DIR,
        Flag.KUBERNETES_VERSION,
        Flag.IMAGE_REPOSITORY,
        Flag.PATCHES
    };

    static final Flag[] API_SERVER = with(
            MANIFEST,
            Flag.APISERVER_ADVERTISE_ADDRESS,
            Flag.APISERVER_BIND_PORT,
            Flag.CONTROL_PLANE_ENDPOINT,
            Flag.APISERVER_EXTRA_ARGS,
            Flag.FEATURE_GATES,
            Flag.SERVICE_CIDR);

    static final Flag[] CONTROLLER_MANAGER =
            with(MANIFEST, Flag.CONTROLLER_MANAGER_EXTRA_ARGS, Flag.POD_NETWORK_CIDR);

    static final Flag[] SCHEDULER = with(MANIFEST, Flag.SCHEDULER_EXTRA_ARGS);

    static final Flag[] ALL_MANIFESTS = union(API_SERVER, CONTROLLER_MANAGER, SCHEDULER);

    static final Flag[] PREFLIGHT = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.CRI_SOCKET,
        Flag.IGNORE_PREFLIGHT_ERRORS,
        Flag.IMAGE_REPOSITORY
    };

    static final Flag[] KUBELET_START = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.CRI_SOCKET,
        Flag.IMAGE_REPOSITORY,
        Flag.NODE_NAME,
        Flag.PATCHES
    };

    static final Flag[] UPLOAD_CONFIG = {Flag.CONFIG, Flag.DRY_RUN, Flag.KUBECONFIG, Flag.CRI_SOCKET
    };

    static final Flag[] UPLOAD_CERTS = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.KUBECONFIG,
        Flag.UPLOAD_CERTS,
        Flag.CERTIFICATE_KEY,
        Flag.SKIP_CERTIFICATE_KEY_PRINT
    };

    static final Flag[] MARK = {Flag.CONFIG, Flag.DRY_RUN, Flag.NODE_NAME};

    static final Flag[] BOOTSTRAP_TOKEN = {
        Flag.CONFIG, Flag.DRY_RUN, Flag.KUBECONFIG, Flag.SKIP_TOKEN_PRINT
    };

    static final Flag[] KUBELET_FINALIZE = {Flag.CONFIG, Flag.DRY_RUN, Flag.CERT_DIR};

    static final Flag[] ADDONS = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.KUBECONFIG,
        Flag.KUBERNETES_VERSION,
        Flag.IMAGE_REPOSITORY,
        Flag.FEATURE_GATES,
        Flag.SERVICE_DNS_DOMAIN,
        Flag.SERVICE_CIDR,
        Flag.APISERVER_ADVERTISE_ADDRESS,
        Flag.APISERVER_BIND_PORT,
        Flag.CONTROL_PLANE_ENDPOINT,
        Flag.POD_NETWORK_CIDR
    };

    static final Flag[] COREDNS = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.KUBECONFIG,
        Flag.KUBERNETES_VERSION,
        Flag.IMAGE_REPOSITORY,
        Flag.FEATURE_GATES,
        Flag.SERVICE_DNS_DOMAIN,
        Flag.SERVICE_CIDR,
        Flag.PRINT_MANIFEST
    };

    static final Flag[] KUBE_PROXY = {
        Flag.CONFIG,
        Flag.DRY_RUN,
        Flag.KUBECONFIG,
        Flag.KUBERNETES_VERSION,
        Flag.IMAGE_REPOSITORY,
        Flag.APISERVER_ADVERTISE_ADDRESS,
        Flag.APISERVER_BIND_PORT,
        Flag.CONTROL_PLANE_ENDPOINT,
        Flag.POD_NETWORK_CIDR,
        Flag.PRINT_MANIFEST
    };

    static final Flag[] NONE = {};

    private InitPhaseFlags() {}

    private static Flag[] with(Flag[] flags, Flag... more) {
        return union(flags, more);
    }

    private static Flag[] union(Flag[]... sets) {
        return Stream.of(sets).flatMap(Stream::of).distinct().toArray(Flag[]::new);
    }
}
