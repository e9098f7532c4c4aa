package io.kjadm.core.join;

import java.util.stream.Stream;

/** The flags of single join phases, by their long names. */
final class JoinFlagNames {

    private static final String[] DISCOVERY = {
        "discovery-file", "discovery-token", "discovery-token-ca-cert-hash",
        "discovery-token-unsafe-skip-ca-verification", "tls-bootstrap-token", "token"
    };
    private static final String[] BASE = {"config", "dry-run"};
    private static final String[] CONTROL_PLANE = union(BASE, "control-plane");

    static final String[] PREFLIGHT = union(
            union(CONTROL_PLANE, DISCOVERY),
            "ignore-preflight-errors",
            "apiserver-advertise-address",
            "apiserver-bind-port",
            "cri-socket",
            "node-name",
            "certificate-key");
    static final String[] DOWNLOAD_CERTS =
            union(union(CONTROL_PLANE, DISCOVERY), "certificate-key");
    static final String[] CERTS =
            union(union(CONTROL_PLANE, DISCOVERY), "apiserver-advertise-address", "node-name");
    static final String[] KUBECONFIG = DOWNLOAD_CERTS;
    static final String[] MANIFESTS =
            union(CONTROL_PLANE, "apiserver-advertise-address", "apiserver-bind-port", "patches");
    static final String[] PREPARE_ALL = union(
            union(CONTROL_PLANE, DISCOVERY),
            "apiserver-advertise-address",
            "apiserver-bind-port",
            "node-name",
            "certificate-key",
            "patches");
    static final String[] KUBELET_START =
            union(union(BASE, DISCOVERY), "cri-socket", "node-name", "patches");
    /**
     * What a join may do to etcd's members, and how long it may take; kubeadm has none of these.
     */
    static final String[] MEMBERSHIP = {
        "allow-degraded",
        "allow-mixed",
        "join-stall-timeout",
        "join-timeout",
        "join-wait",
        "keep-learner",
        "replace-lost-voter",
        "takeover",
        "wipe-etcd-data"
    };

    static final String[] ETCD_JOIN = union(
            union(CONTROL_PLANE, MEMBERSHIP),
            "node-name",
            "patches",
            "apiserver-advertise-address");
    static final String[] WAIT_BOOTSTRAP = union(BASE, "cri-socket");
    static final String[] MARK = union(CONTROL_PLANE, "node-name");
    static final String[] CONTROL_PLANE_JOIN =
            union(MARK, "patches", "apiserver-advertise-address");
    static final String[] NONE = {};

    private JoinFlagNames() {}

    private static String[] union(String[] flags, String... more) {
        return Stream.concat(Stream.of(flags), Stream.of(more)).distinct().toArray(String[]::new);
    }
}
