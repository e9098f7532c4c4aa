package io.kjadm.cli;

import static io.kjadm.cli.Flag.duration;
import static io.kjadm.cli.Flag.list;
import static io.kjadm.cli.Flag.number;
import static io.kjadm.cli.Flag.onOff;
import static io.kjadm.cli.Flag.text;

import java.util.List;

/** The flags of the workflows: kubeadm's names and meanings. */
final class Flags {

    static final Flag CONFIG = text("config", "Path to a configuration file");
    static final Flag DRY_RUN =
            onOff("dry-run", "Don't apply any changes; just output what would be done");
    static final Flag KUBECONFIG = text(
            "kubeconfig",
            "The kubeconfig file to use when talking to the cluster (default /etc/kubernetes/admin.conf)");
    private static final Flag IGNORE = list(
            "ignore-preflight-errors",
            "A list of checks whose errors will be shown as warnings. Example: 'IsPrivilegedUser,Swap'. Value 'all' ignores errors from all checks");
    private static final Flag SKIP_PHASES = list("skip-phases", "List of phases to be skipped");
    private static final Flag CRI_SOCKET = text(
            "cri-socket",
            "Path to the CRI socket to connect; detected if empty. Use this only with several runtimes, or a non-standard socket");
    private static final Flag NODE_NAME = text("node-name", "Specify the node name");
    private static final Flag PATCHES = text(
            "patches",
            "Path to a directory with files named \"target[suffix][+patchtype].extension\", for example \"kube-apiserver0+merge.yaml\"");
    private static final Flag ADVERTISE = text(
            "apiserver-advertise-address",
            "The IP address the API Server will advertise it's listening on; the one of the default route if empty");
    private static final Flag BIND_PORT =
            number("apiserver-bind-port", "Port for the API Server to bind to (default 6443)");
    private static final Flag CERTIFICATE_KEY = text(
            "certificate-key",
            "Key with which the certificates in the kubeadm-certs Secret are encrypted: 64 hexadecimal digits");
    private static final Flag CERT_DIR =
            text("cert-dir", "The path where the certificates are (default /etc/kubernetes/pki)");

    private static final Flag TIMINGS = text(
            TimingsOutput.FLAG,
            "Write to this file, as JSON, when each phase, wait and call of a server began and ended");

    static final List<Flag> INIT = List.of(
            ADVERTISE,
            BIND_PORT,
            list(
                    "apiserver-cert-extra-sans",
                    "Extra names and addresses for the API Server's serving certificate"),
            CERT_DIR,
            CERTIFICATE_KEY,
            CONFIG,
            text(
                    "control-plane-endpoint",
                    "A stable address or DNS name, with or without a port, for the whole control plane"),
            CRI_SOCKET,
            DRY_RUN,
            text("feature-gates", "A set of key=value pairs: " + FeatureGateHelp.TEXT),
            IGNORE,
            text("image-repository", "The registry to pull images from (default registry.k8s.io)"),
            text(
                    "kubernetes-version",
                    "A specific Kubernetes version for the control plane (default stable-1)"),
            NODE_NAME,
            PATCHES,
            text(
                    "pod-network-cidr",
                    "Range of IP addresses for the pod network; if set, nodes get their part of it"),
            text("service-cidr", "Range of IP addresses for services (default 10.96.0.0/12)"),
            text("service-dns-domain", "The DNS domain of services (default cluster.local)"),
            onOff(
                    "skip-certificate-key-print",
                    "Don't print the key used to encrypt the uploaded certificates"),
            SKIP_PHASES,
            onOff("skip-token-print", "Don't print the bootstrap token"),
            TIMINGS,
            text(
                    "token",
                    "The bootstrap token; random if empty. The format is [a-z0-9]{6}.[a-z0-9]{16}"),
            duration(
                    "token-ttl",
                    "How long the token lives; with 0 it never expires (default 24h0m0s)"),
            onOff(
                    "upload-certs",
                    "Upload the CAs, encrypted, for control-plane nodes to join with --certificate-key"));

    /** Flags that only single init phases have. */
    static final List<Flag> INIT_PHASES = List.of(
            KUBECONFIG,
            text(
                    "kubeconfig-dir",
                    "The path where kubeconfig files are written (default /etc/kubernetes)"),
            onOff("print-manifest", "Print the addon's objects instead of applying them"),
            list(
                    "apiserver-extra-args",
                    "Extra flags for the API Server, name=value (deprecated: use the configuration)"),
            list(
                    "controller-manager-extra-args",
                    "Extra flags for the Controller Manager, name=value (deprecated: use the configuration)"),
            list(
                    "scheduler-extra-args",
                    "Extra flags for the Scheduler, name=value (deprecated: use the configuration)"));

    static final List<Flag> JOIN = List.of(
            onOff(
                    "allow-degraded",
                    "Join although an etcd voter does not respond, as far as etcd itself allows it (3.5.30, 3.6.11, 3.7.0 and newer)"),
            onOff(
                    "allow-mixed",
                    "Join although the etcd members run two minor versions, during an upgrade"),
            ADVERTISE,
            BIND_PORT,
            CERTIFICATE_KEY,
            CONFIG,
            onOff("control-plane", "Create a new control plane instance on this node"),
            CRI_SOCKET,
            text(
                    "discovery-file",
                    "For file-based discovery, a file or https URL from which to load cluster information"),
            text(
                    "discovery-token",
                    "For token-based discovery, the token used to validate cluster information"),
            list(
                    "discovery-token-ca-cert-hash",
                    "For token-based discovery, a pin of the root CA's public key (format: \"sha256:<hex>\")"),
            onOff(
                    "discovery-token-unsafe-skip-ca-verification",
                    "For token-based discovery, allow joining without a CA pin"),
            DRY_RUN,
            IGNORE,
            duration(
                    "join-stall-timeout",
                    "Give up when the new etcd member makes no progress for this long (default 2m0s)"),
            duration(
                    "join-timeout",
                    "Give up when the new etcd member is not a voter after this long (default 30m0s)"),
            duration(
                    "join-wait",
                    "How long to wait until other etcd members have joined (default 30m0s)"),
            onOff(
                    "keep-learner",
                    "If the join fails, leave the etcd learner that was added in the cluster"),
            NODE_NAME,
            PATCHES,
            onOff(
                    "replace-lost-voter",
                    "Remove this node's etcd voter, whose data is lost, and join as a new member"),
            SKIP_PHASES,
            onOff(
                    "takeover",
                    "Remove another node's etcd learner that blocks this join and makes no progress"),
            TIMINGS,
            text("tls-bootstrap-token", "The token to authenticate with while joining"),
            text(
                    "token",
                    "Use this token for both discovery-token and tls-bootstrap-token when those are not given"),
            text(
                    "wipe-etcd-data",
                    "Set aside the etcd data on this node if it belongs to the cluster with this ID (hexadecimal)"));

    static final List<Flag> RESET = List.of(
            CERT_DIR,
            onOff("cleanup-tmp-dir", "Also empty \"/etc/kubernetes/tmp\""),
            CONFIG,
            CRI_SOCKET,
            DRY_RUN,
            onOff("force", "Reset the node without prompting for confirmation").shortOption("f"),
            onOff(
                    "force-last-member",
                    "Reset the node although it has the only etcd voter, which ends the cluster; a snapshot of etcd is kept"),
            IGNORE,
            KUBECONFIG,
            SKIP_PHASES,
            TIMINGS);

    private Flags() {}
}
