package io.kjadm.core.flag;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every flag of every command, once: its name, what may be typed after it, its help and default,
 * and whether it may stand beside {@code --config}. Names and meanings are kubeadm's wherever it
 * has such a flag.
 */
public enum Flag {
    ACCEPT_LOSS(
            "accept-loss",
            Kind.SWITCH,
            "Start a new cluster with this node's data even if another survivor may hold newer data"),
    ADOPT_CHANGES(
            "adopt-changes",
            Kind.SWITCH,
            "Keep manual changes to the static pod manifests, as patch files in the patches directory"),
    ALL("all", Kind.SWITCH, "Defragment every member, regardless of its free space"),
    ALL_NODES(
            "all-nodes",
            Kind.SWITCH,
            "Also show the certificates that the API servers and etcd members of all nodes serve, if they respond"),
    ALLOW_DEGRADED(
            "allow-degraded",
            Kind.SWITCH,
            "Join even if an etcd voter does not respond, where etcd itself allows it (3.5.30, 3.6.11, 3.7.0 and newer)"),
    ALLOW_DEPRECATED_API(
            "allow-deprecated-api", Kind.SWITCH, "Do not warn about deprecated API versions"),
    ALLOW_EXPERIMENTAL_API(
            "allow-experimental-api",
            Kind.SWITCH,
            "Allow the experimental API version kubeadm.k8s.io/v1; config migrate then writes that version"),
    ALLOW_EXPERIMENTAL_UPGRADES(
            "allow-experimental-upgrades",
            Kind.SWITCH,
            "Show unstable versions of Kubernetes as an upgrade alternative and allow upgrading to an alpha, beta or release candidate version"),
    ALLOW_INSECURE_RELEASE_SERVER(
            "allow-insecure-release-server",
            Kind.SWITCH,
            "Allow plain HTTP for an etcd release whose SHA-256 kjadm does not know; others on the network can replace the download"),
    ALLOW_MISSING_TEMPLATE_KEYS(
            "allow-missing-template-keys",
            Kind.SWITCH,
            "If true, ignore any errors in templates when a field or map key is missing in the template",
            "true"),
    ALLOW_MIXED(
            "allow-mixed",
            Kind.SWITCH,
            "Join even if the etcd members run two minor versions, as during an upgrade"),
    ALLOW_PATH(
            "allow-path",
            Kind.LIST,
            "Additional file that the bundle may write, besides the CAs, the service account keys and the configuration files in /etc/kubernetes"),
    ALLOW_RELEASE_CANDIDATE_UPGRADES(
            "allow-release-candidate-upgrades",
            Kind.SWITCH,
            "Show release candidate versions of Kubernetes as an upgrade alternative and allow upgrading to one"),
    APISERVER_ADVERTISE_ADDRESS(
            "apiserver-advertise-address",
            Kind.TEXT,
            "The IP address the API Server will advertise it's listening on. If not set, the address of the default route is used"),
    APISERVER_BIND_PORT(
            "apiserver-bind-port", Kind.NUMBER, "Port for the API Server to bind to", "6443"),
    APISERVER_CERT_EXTRA_SANS(
            "apiserver-cert-extra-sans",
            Kind.LIST,
            "Extra names and addresses for the API Server's serving certificate"),
    APISERVER_EXTRA_ARGS(
            "apiserver-extra-args",
            Kind.LIST,
            "Extra flags for the API Server, name=value (deprecated: use the configuration)"),
    APPLY(
            "apply",
            Kind.SWITCH,
            "Start a new cluster with this node's data when the quorum is permanently lost"),
    ASK_CLUSTER(
            "ask-cluster",
            Kind.SWITCH,
            "With --dry-run, read the configuration and the state of etcd from the cluster instead of assuming the defaults"),
    BIND_ADDRESS(
            "bind-address",
            Kind.TEXT,
            "The IP address of this machine that etcd listens on. If not set, the address of the default route is used"),
    BUNDLE("bundle", Kind.TEXT, "File with the etcd CA, encrypted with a certificate key"),
    CA_CERT_HASH(
            "ca-cert-hash",
            Kind.LIST,
            "Hash of the public key of the cluster's CA (format: \"sha256:<hex>\"), as printed by 'kjadm etcd init'"),
    CERT_DIR(
            "cert-dir",
            Kind.TEXT,
            "The path where the certificates are stored",
            "/etc/kubernetes/pki"),
    CERTIFICATE_KEY(
            "certificate-key",
            Kind.TEXT,
            "Key used to encrypt the certificates in the kubeadm-certs Secret: 64 hexadecimal digits"),
    CERTIFICATE_KEY_FILE(
            "certificate-key-file",
            Kind.TEXT,
            "File with the certificate key (64 hexadecimal digits). If not set, $KJADM_CERTIFICATE_KEY is used"),
    CERTIFICATE_RENEWAL(
            "certificate-renewal",
            Kind.SWITCH,
            "Renew the certificates of the upgraded components",
            "true"),
    CERTS_DIR(
            "certs-dir",
            Kind.TEXT,
            "The path where the etcd certificates are stored",
            "/etc/etcd/pki"),
    CLEANUP_TMP_DIR(
            "cleanup-tmp-dir", Kind.SWITCH, "Clean up the \"/etc/kubernetes/tmp\" directory"),
    CLIENT_NAME(
            "client-name",
            Kind.TEXT,
            "The name of the user, used as the common name of the client certificate (required)"),
    CLUSTER_ID(
            "cluster-id",
            Kind.TEXT,
            "Use only snapshots of the cluster with this ID (hexadecimal)"),
    COLLECT(
            "collect",
            Kind.SWITCH,
            "Print the evidence on this node as JSON, to be used with --evidence on another node"),
    COMPACT_KEEP(
            "compact-keep",
            Kind.NUMBER,
            "Number of latest revisions to keep when etcd is compacted",
            "10000"),
    COMPONENT_CONFIGS(
            "component-configs",
            Kind.LIST,
            "Component configurations to print as well: KubeProxyConfiguration, KubeletConfiguration"),
    COMPRESS(
            "compress",
            Kind.TEXT,
            "Compression of the snapshot in the store: gzip or none",
            "none"),
    CONFIG("config", Kind.TEXT, "Path to a configuration file"),
    CONTEXT_LINES("context-lines", Kind.NUMBER, "How many lines of context in the diff", "3"),
    CONTROL_PLANE("control-plane", Kind.SWITCH, "Create a new control plane instance on this node"),
    CONTROL_PLANE_ENDPOINT(
            "control-plane-endpoint",
            Kind.TEXT,
            "Specify a stable IP address or DNS name for the control plane, with an optional port"),
    CONTROLLER_MANAGER_EXTRA_ARGS(
            "controller-manager-extra-args",
            Kind.LIST,
            "Extra flags for the Controller Manager, name=value (deprecated: use the configuration)"),
    CRI_SOCKET(
            "cri-socket",
            Kind.TEXT,
            "Path to the CRI socket to connect to. If not set, it is detected; use this option only if you have more than one container runtime or a non-standard socket"),
    CRON_JOB(
            "cron-job",
            Kind.SWITCH,
            "Print a CronJob for the cluster that runs on a control-plane node; requires --image"),
    DATA_DIR("data-dir", Kind.TEXT, "The path to the etcd data directory", "/var/lib/etcd"),
    DECLARE_LOST(
            "declare-lost",
            Kind.LIST,
            "Voters that are permanently lost or shut off, by name, ID or peer URL; \"no-others\" if there is no member list and there are no other members"),
    DELETE_DATA(
            "delete-data", Kind.SWITCH, "Delete the etcd data directory instead of renaming it"),
    DESCRIPTION(
            "description", Kind.TEXT, "A human friendly description of what the token is used for"),
    DISCOVERY_FILE(
            "discovery-file",
            Kind.TEXT,
            "For file-based discovery, a file or https URL from which to load cluster information"),
    DISCOVERY_TOKEN(
            "discovery-token",
            Kind.TEXT,
            "For token-based discovery, the token used to validate cluster information fetched from the API server"),
    DISCOVERY_TOKEN_CA_CERT_HASH(
            "discovery-token-ca-cert-hash",
            Kind.LIST,
            "For token-based discovery, validate that the root CA public key matches this hash (format: \"sha256:<hex>\")"),
    DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION(
            "discovery-token-unsafe-skip-ca-verification",
            Kind.SWITCH,
            "For token-based discovery, allow joining without --discovery-token-ca-cert-hash pinning"),
    DISK_PRIORITIES(
            "disk-priorities",
            Kind.LIST,
            "Settings for the [Service] section of the etcd unit",
            "Nice=-10,IOSchedulingClass=best-effort,IOSchedulingPriority=2"),
    DRY_RUN("dry-run", Kind.SWITCH, "Don't apply any changes; just output what would be done"),
    ENCRYPT_TO("encrypt-to", Kind.LIST, "age recipients (age1...) to encrypt the snapshot to"),
    ENDPOINTS(
            "endpoints",
            Kind.LIST,
            "Client URLs of etcd members",
            "those in this node's etcd manifest"),
    ETCD_BIN(
            "etcd-bin",
            Kind.TEXT,
            "Directory with the etcd and etcdutl binaries used to test-restore the snapshot",
            "the directory of the search path, /opt/bin, /usr/local/bin or /usr/bin with the version of the snapshot's etcd"),
    ETCD_TARBALL(
            "etcd-tarball",
            Kind.TEXT,
            "Archive of an etcd release, for machines without access to the release server"),
    ETCD_PATCH_WAIT(
            "etcd-patch-wait",
            Kind.DURATION,
            "How long to wait for other etcd members that need a patch release before the next minor version; with 0 the command exits and names them",
            "0s"),
    ETCD_UPGRADE("etcd-upgrade", Kind.SWITCH, "Perform the upgrade of etcd", "true"),
    EVERY(
            "every",
            Kind.DURATION,
            "Interval between snapshots: minutes that divide an hour, or hours that divide a day",
            "1h0m0s"),
    EVIDENCE(
            "evidence",
            Kind.LIST,
            "Files with the output of 'kjadm etcd recover --collect' on other nodes"),
    EXTERNAL_ETCD(
            "external-etcd",
            Kind.TEXT,
            "Use a standalone etcd: path to the file external-etcd.yaml that 'kjadm etcd init' wrote on one of its machines"),
    FEATURE_GATES(
            "feature-gates",
            Kind.TEXT,
            "A set of key=value pairs that describe feature gates for various features"),
    FORCE("force", Kind.SWITCH, "Reset the node without prompting for confirmation"),
    FORCE_LAST_MEMBER(
            "force-last-member",
            Kind.SWITCH,
            "Reset the node even if it has the only etcd voter, which ends the cluster; a snapshot of etcd is kept"),
    FORMAT(
            "format",
            Kind.TEXT,
            "Tool that created the snapshot: auto, etcdctl, datadir, k3s, etcd-manager or gardener",
            "auto"),
    FROM_FILE(
            "from-file",
            Kind.TEXT,
            "Restore the snapshot in this file, or in this directory of another tool, instead of one in a store"),
    FROM_SNAPSHOT(
            "from-snapshot",
            Kind.TEXT,
            "Start with the data of this snapshot: its name, the beginning of its name, \"latest\", or the path of a file"),
    GROUPS(
            "groups",
            Kind.LIST,
            "Extra groups that this token authenticates as; must match \"system:bootstrappers:…\"",
            "system:bootstrappers:kubeadm:default-node-token"),
    ID("id", Kind.TEXT, "Remove only this learner, by ID (hexadecimal) or name"),
    IDENTITY_FILE("identity-file", Kind.TEXT, "age identity file to decrypt the snapshot with"),
    IGNORE_PREFLIGHT_ERRORS(
            "ignore-preflight-errors",
            Kind.LIST,
            "A list of checks whose errors will be shown as warnings. Example: 'IsPrivilegedUser,Swap'. Value 'all' ignores errors from all checks"),
    IMAGE("image", Kind.TEXT, "Container image for the CronJob, with kjadm in its search path"),
    IMAGE_REPOSITORY(
            "image-repository",
            Kind.TEXT,
            "Choose a container registry to pull control plane images from",
            "registry.k8s.io"),
    IMAGE_TAG(
            "image-tag",
            Kind.TEXT,
            "Tag of the etcd image, if it is not the version followed by -0"),
    INIT_SYSTEM(
            "init-system",
            Kind.TEXT,
            "Accepted for compatibility with etcdadm; only systemd is supported",
            "systemd"),
    INSTALL_DIR(
            "install-dir", Kind.TEXT, "The path where the etcd binaries are installed", "/opt/bin"),
    INTO(
            "into",
            Kind.TEXT,
            "Directory to use as the root of the file system: files are written below it, and existing files are not replaced (required)"),
    JOIN_STALL_TIMEOUT(
            "join-stall-timeout",
            Kind.DURATION,
            "Give up if the new etcd member makes no progress for this long",
            "2m0s"),
    JOIN_TIMEOUT(
            "join-timeout",
            Kind.DURATION,
            "Give up if the new etcd member is not a voter after this long",
            "30m0s"),
    JOIN_WAIT(
            "join-wait",
            Kind.DURATION,
            "How long to wait for other etcd members to join first",
            "30m0s"),
    KEEP_DAILY("keep-daily", Kind.NUMBER, "Number of daily snapshots to keep", "14"),
    KEEP_HOURLY("keep-hourly", Kind.NUMBER, "Number of hourly snapshots to keep", "48"),
    KEEP_LAST("keep-last", Kind.NUMBER, "Number of latest snapshots to keep", "10"),
    KEEP_LEARNER(
            "keep-learner",
            Kind.SWITCH,
            "If the join fails, do not remove the etcd learner that it added"),
    KEEP_MONTHLY("keep-monthly", Kind.NUMBER, "Number of monthly snapshots to keep", "12"),
    KEEP_VERIFIED(
            "keep-verified",
            Kind.NUMBER,
            "Number of latest verified snapshots to keep, at least 1",
            "2"),
    KEEP_WEEKLY("keep-weekly", Kind.NUMBER, "Number of weekly snapshots to keep", "8"),
    KUBECONFIG(
            "kubeconfig",
            Kind.TEXT,
            "The kubeconfig file to use when talking to the cluster",
            "/etc/kubernetes/admin.conf"),
    KUBECONFIG_DIR(
            "kubeconfig-dir",
            Kind.TEXT,
            "The path where to save the kubeconfig files",
            "/etc/kubernetes"),
    KUBERNETES_VERSION(
            "kubernetes-version",
            Kind.TEXT,
            "Choose a specific Kubernetes version for the control plane",
            "stable-1"),
    LABEL(
            "label",
            Kind.LIST,
            "Labels for the snapshot, as name=value; shown by 'kjadm etcd snapshot list'"),
    LEVEL(
            "level",
            Kind.TEXT,
            "Verification level: sum (checksum), structure (database pages and revision) or drill (restore into a temporary etcd and compare)",
            "structure"),
    LOG_FORMAT(
            "log-format",
            Kind.TEXT,
            "Format of log messages: text, or json for one event per line on standard error",
            "text"),
    METRICS_FILE(
            "metrics-file",
            Kind.TEXT,
            "Write the result as Prometheus metrics to this .prom file (node_exporter textfile collector)"),
    MIN_FREE(
            "min-free",
            Kind.TEXT,
            "Skip members with less free space in the database than this",
            "100Mi"),
    NAME("name", Kind.TEXT, "The name of the member; the host name if not set"),
    NEW_CONFIG("new-config", Kind.TEXT, "Path to the file to write; standard output if not set"),
    NO_CERTIFICATE_KEY(
            "no-certificate-key",
            Kind.SWITCH,
            "Encrypt the new CA's key with the old CA's key only. Use it only if the old key was not exposed, for example before the CA expires"),
    NODE_NAME("node-name", Kind.TEXT, "Specify the node name"),
    OLD_CONFIG("old-config", Kind.TEXT, "Path to the configuration file to convert (required)"),
    ORG(
            "org",
            Kind.LIST,
            "The organizations of the client certificate, which are the groups of the user"),
    OUTPUT("output", Kind.TEXT, "Output format"),
    PATCHES(
            "patches",
            Kind.TEXT,
            "Path to a directory that contains files named \"target[suffix][+patchtype].extension\", for example \"kube-apiserver0+merge.yaml\""),
    PAUSE("pause", Kind.DURATION, "Pause between two members", "30s"),
    PLAN(
            "plan",
            Kind.SWITCH,
            "Show the checks, the order of the members and the commands; change nothing"),
    POD_NETWORK_CIDR(
            "pod-network-cidr",
            Kind.TEXT,
            "Specify range of IP addresses for the pod network. If set, the control plane will automatically allocate CIDRs for every node"),
    PREPARE_ONLY(
            "prepare-only",
            Kind.SWITCH,
            "Print what the machine of the new member needs and how to start its etcd; change nothing"),
    PRINT_CONFIG(
            "print-config",
            Kind.SWITCH,
            "Print the cluster configuration that will be used in the upgrade"),
    PRINT_JOIN_COMMAND(
            "print-join-command",
            Kind.SWITCH,
            "Instead of printing only the token, print the full 'kjadm join' command that uses the token"),
    PRINT_MANIFEST(
            "print-manifest",
            Kind.SWITCH,
            "Print the addon manifests to standard output instead of installing them"),
    PURGE_PKI("purge-pki", Kind.SWITCH, "Also delete the etcd CA and its key"),
    QUOTA_BACKEND_BYTES(
            "quota-backend-bytes",
            Kind.TEXT,
            "Database quota of the members, for etcd before 3.6, which does not report it",
            "the one in this node's etcd manifest"),
    REASON("reason", Kind.TEXT, "Why checks are skipped"),
    RELEASE_URL(
            "release-url",
            Kind.TEXT,
            "Base URL of the etcd releases",
            "https://github.com/etcd-io/etcd/releases/download"),
    REPLACE_LOST_VOTER(
            "replace-lost-voter",
            Kind.SWITCH,
            "Remove this node's etcd voter, whose data is lost, and join as a new member"),
    REQUIRE("require", Kind.TEXT, "Which members must serve: quorum or all", "quorum"),
    RESTART(
            "restart",
            Kind.SWITCH,
            "Restart the components that use the renewed certificates on this node, one at a time, and check that they serve them"),
    RESTART_KUBELET(
            "restart-kubelet",
            Kind.SWITCH,
            "Restart the kubelet with its new configuration, if the new version of the kubelet is installed"),
    SCHEDULER_EXTRA_ARGS(
            "scheduler-extra-args",
            Kind.LIST,
            "Extra flags for the Scheduler, name=value (deprecated: use the configuration)"),
    SERVER_CERT_EXTRA_SANS(
            "server-cert-extra-sans",
            Kind.LIST,
            "Extra names and addresses for the server certificate of etcd"),
    SERVICE_CIDR(
            "service-cidr", Kind.TEXT, "Range of IP addresses for service VIPs", "10.96.0.0/12"),
    SERVICE_DNS_DOMAIN("service-dns-domain", Kind.TEXT, "DNS domain for services", "cluster.local"),
    SHOW_MANAGED_FIELDS(
            "show-managed-fields",
            Kind.SWITCH,
            "Accepted for compatibility with kubectl; these objects have no managed fields"),
    SIGN_KEY(
            "sign-key",
            Kind.TEXT,
            "Private key file (Ed25519) to sign the snapshot or its verification with; 'kjadm etcd snapshot key' creates one"),
    SKIP_CERTIFICATE_KEY_PRINT(
            "skip-certificate-key-print",
            Kind.SWITCH,
            "Don't print the key used to encrypt the uploaded certificates"),
    SKIP_CHECK(
            "skip-check",
            Kind.LIST,
            "Checks to skip, by the names shown by --plan; requires --reason"),
    SKIP_GATE("skip-gate", Kind.LIST, "Deprecated: use --skip-check"),
    SKIP_HASH_CHECK(
            "skip-hash-check",
            Kind.SWITCH,
            "Also accept a snapshot without a SHA-256 at its end, such as a database copied from a data directory"),
    SKIP_PHASES("skip-phases", Kind.LIST, "List of phases to be skipped"),
    SKIP_REMOVE_MEMBER(
            "skip-remove-member",
            Kind.SWITCH,
            "Accepted for compatibility with etcdadm; the same as --force"),
    SKIP_TOKEN_PRINT("skip-token-print", Kind.SWITCH, "Don't print the bootstrap token"),
    SNAPSHOT(
            "snapshot",
            Kind.TEXT,
            "Accepted for compatibility with etcdadm; the same as --from-snapshot"),
    SOAK(
            "soak",
            Kind.DURATION,
            "How long all members must stay healthy before the next member is changed",
            "1m0s"),
    STORE(
            "store",
            Kind.TEXT,
            "Snapshot store: a directory, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX. Specify an S3-compatible server with ?endpoint, as in s3://BUCKET?endpoint=URL",
            "/var/lib/kjadm-snapshots"),
    SYSTEMD("systemd", Kind.SWITCH, "Print a systemd service and timer for a control-plane node"),
    TAKEOVER(
            "takeover",
            Kind.SWITCH,
            "Remove another node's etcd learner that blocks this join and makes no progress"),
    THRESHOLD(
            "threshold",
            Kind.TEXT,
            "Defragment only members whose free fraction exceeds this value (0 to 1)",
            "0.45"),
    TIMEOUT("timeout", Kind.DURATION, "How long to wait for the learner to catch up", "1m0s"),
    TIMINGS(
            "timings",
            Kind.TEXT,
            "Write the start and end of each phase, wait and server call to this file, as JSON"),
    TLS_BOOTSTRAP_TOKEN(
            "tls-bootstrap-token",
            Kind.TEXT,
            "Specify the token used to temporarily authenticate with the Kubernetes Control Plane while joining the node"),
    TOKEN(
            "token",
            Kind.TEXT,
            "Use this token for both discovery-token and tls-bootstrap-token when those values are not provided"),
    TOKEN_TTL(
            "token-ttl",
            Kind.DURATION,
            "The duration before the token is automatically deleted (e.g. 1s, 2m, 3h). If set to '0', the token will never expire",
            "24h0m0s"),
    TTL(
            "ttl",
            Kind.DURATION,
            "The duration before the token is automatically deleted (e.g. 1s, 2m, 3h). If set to '0', the token will never expire",
            "24h0m0s"),
    UNDO(
            "undo",
            Kind.SWITCH,
            "Restore the data and the control plane to their state before an interrupted restore"),
    UPLOAD_CERTS(
            "upload-certs",
            Kind.SWITCH,
            "Upload control-plane certificates, encrypted, to the kubeadm-certs Secret"),
    USAGES(
            "usages",
            Kind.LIST,
            "The ways in which this token can be used",
            "signing,authentication"),
    VALIDITY_PERIOD(
            "validity-period",
            Kind.DURATION,
            "The validity period of the client certificate, starting now",
            "8760h"),
    VERIFY(
            "verify",
            Kind.TEXT,
            "Verification level after the snapshot was stored: none, sum, structure or drill. The structure is always checked while it is received",
            "sum"),
    VERIFY_KEY(
            "verify-key",
            Kind.LIST,
            "Public key file of a trusted signer; snapshots that no trusted signer signed are refused. Can be given several times; if not set, /etc/kjadm/snapshot-verify.pub is used if it exists"),
    VERSION("version", Kind.TEXT, "The etcd release"),
    WATCH("watch", Kind.SWITCH, "Refresh every 2 seconds until Ctrl-C"),
    WIPE_ETCD_DATA(
            "wipe-etcd-data",
            Kind.TEXT,
            "Rename the etcd data directory on this node if it belongs to the cluster with this ID (hexadecimal)"),
    WITH_PKI(
            "with-pki",
            Kind.SWITCH,
            "Also store the keys needed to rebuild the cluster: the CAs, the service account keys and the encryption configuration; requires --encrypt-to"),
    WORK_DIR(
            "work-dir",
            Kind.TEXT,
            "Directory for temporary files, on a disk with enough free space",
            "/var/tmp"),
    YES(
            "yes",
            Kind.SWITCH,
            "Do not ask for confirmation, and also remove a learner that may be joining, if it has never started or its join is older than 10 minutes");

    /** What may be typed after a flag. */
    public enum Kind {
        /** One value; the last one counts. */
        TEXT("string"),
        /** Several, between commas or by repeating the flag. */
        LIST("strings"),
        /** A whole number. */
        NUMBER("int"),
        /** A Go duration such as {@code 1h30m}. */
        DURATION("duration"),
        /** Nothing, or a boolean after {@code =}; the next word is never its value. */
        SWITCH("bool");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The word for it in the help, Go's. */
        public String label() {
            return label;
        }
    }

    private static final Map<String, Flag> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toMap(Flag::toString, Function.identity()));

    /** Those that say how to run, not what to make: a configuration file does not say it. */
    private static final Set<Flag> BESIDE_CONFIG = EnumSet.of(
            ADOPT_CHANGES,
            ALL_NODES,
            ALLOW_DEGRADED,
            ALLOW_MISSING_TEMPLATE_KEYS,
            ALLOW_MIXED,
            ASK_CLUSTER,
            CONFIG,
            DRY_RUN,
            ETCD_PATCH_WAIT,
            FORCE_LAST_MEMBER,
            IGNORE_PREFLIGHT_ERRORS,
            JOIN_STALL_TIMEOUT,
            JOIN_TIMEOUT,
            JOIN_WAIT,
            KEEP_LEARNER,
            KUBECONFIG,
            KUBECONFIG_DIR,
            LOG_FORMAT,
            NODE_NAME,
            OUTPUT,
            PRINT_JOIN_COMMAND,
            PRINT_MANIFEST,
            REPLACE_LOST_VOTER,
            RESTART,
            RESTART_KUBELET,
            SHOW_MANAGED_FIELDS,
            SKIP_CERTIFICATE_KEY_PRINT,
            SKIP_PHASES,
            SKIP_TOKEN_PRINT,
            TAKEOVER,
            TIMINGS,
            UPLOAD_CERTS,
            WIPE_ETCD_DATA,
            YES);

    private final String longName;
    private final Kind kind;
    private final String help;

    Flag(String longName, Kind kind, String help) {
        this.longName = longName;
        this.kind = kind;
        this.help = help;
    }

    Flag(String longName, Kind kind, String help, String fallback) {
        this(longName, kind, "%s (default %s)".formatted(help, fallback));
    }

    /** The flag of this long name, without dashes. */
    public static Optional<Flag> named(String longName) {
        return Optional.ofNullable(BY_NAME.get(longName));
    }

    /** The one-letter form, or empty. */
    public String letter() {
        return switch (this) {
            case CONTEXT_LINES -> "c";
            case FORCE -> "f";
            case OUTPUT -> "o";
            case WATCH -> "w";
            case YES -> "y";
            default -> "";
        };
    }

    public Kind kind() {
        return kind;
    }

    /** For the help; ends with the default where there is one. */
    public String help() {
        return help;
    }

    /** Whether it may stand beside {@code --config}. */
    public boolean besideConfig() {
        return BESIDE_CONFIG.contains(this);
    }

    /** The long name, without dashes. */
    @Override
    public String toString() {
        return longName;
    }
}
