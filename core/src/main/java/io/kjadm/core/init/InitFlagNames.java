package io.kjadm.core.init;

import java.util.stream.Stream;

/** The flags of single init phases, by their long names. */
final class InitFlagNames {

    static final String[] CERTIFICATE = {"config", "dry-run", "cert-dir", "kubernetes-version"};

    static final String[] API_SERVER_CERTIFICATE = with(
            CERTIFICATE,
            "apiserver-advertise-address",
            "control-plane-endpoint",
            "apiserver-cert-extra-sans",
            "service-dns-domain",
            "service-cidr");

    static final String[] KUBECONFIG = {
        "config",
        "dry-run",
        "apiserver-advertise-address",
        "apiserver-bind-port",
        "control-plane-endpoint",
        "cert-dir",
        "kubeconfig-dir",
        "kubernetes-version"
    };

    static final String[] KUBELET_KUBECONFIG = with(KUBECONFIG, "node-name");

    static final String[] ETCD = {"config", "dry-run", "cert-dir", "image-repository", "patches"};

    private static final String[] MANIFEST = {
        "config", "dry-run", "cert-dir", "kubernetes-version", "image-repository", "patches"
    };

    static final String[] API_SERVER = with(
            MANIFEST,
            "apiserver-advertise-address",
            "apiserver-bind-port",
            "control-plane-endpoint",
            "apiserver-extra-args",
            "feature-gates",
            "service-cidr");

    static final String[] CONTROLLER_MANAGER =
            with(MANIFEST, "controller-manager-extra-args", "pod-network-cidr");

    static final String[] SCHEDULER = with(MANIFEST, "scheduler-extra-args");

    static final String[] ALL_MANIFESTS = union(API_SERVER, CONTROLLER_MANAGER, SCHEDULER);

    static final String[] PREFLIGHT = {
        "config", "dry-run", "cri-socket", "ignore-preflight-errors", "image-repository"
    };

    static final String[] KUBELET_START = {
        "config", "dry-run", "cri-socket", "image-repository", "node-name", "patches"
    };

    static final String[] UPLOAD_CONFIG = {"config", "dry-run", "kubeconfig", "cri-socket"};

    static final String[] UPLOAD_CERTS = {
        "config",
        "dry-run",
        "kubeconfig",
        "upload-certs",
        "certificate-key",
        "skip-certificate-key-print"
    };

    static final String[] MARK = {"config", "dry-run", "node-name"};

    static final String[] BOOTSTRAP_TOKEN = {"config", "dry-run", "kubeconfig", "skip-token-print"};

    static final String[] KUBELET_FINALIZE = {"config", "dry-run", "cert-dir"};

    static final String[] ADDONS = {
        "config",
        "dry-run",
        "kubeconfig",
        "kubernetes-version",
        "image-repository",
        "feature-gates",
        "service-dns-domain",
        "service-cidr",
        "apiserver-advertise-address",
        "apiserver-bind-port",
        "control-plane-endpoint",
        "pod-network-cidr"
    };

    static final String[] COREDNS = {
        "config",
        "dry-run",
        "kubeconfig",
        "kubernetes-version",
        "image-repository",
        "feature-gates",
        "service-dns-domain",
        "service-cidr",
        "print-manifest"
    };

    static final String[] KUBE_PROXY = {
        "config",
        "dry-run",
        "kubeconfig",
        "kubernetes-version",
        "image-repository",
        "apiserver-advertise-address",
        "apiserver-bind-port",
        "control-plane-endpoint",
        "pod-network-cidr",
        "print-manifest"
    };

    static final String[] NONE = {};

    private InitFlagNames() {}

    private static String[] with(String[] flags, String... more) {
        return union(flags, more);
    }

    private static String[] union(String[]... sets) {
        return Stream.of(sets).flatMap(Stream::of).distinct().toArray(String[]::new);
    }
}
