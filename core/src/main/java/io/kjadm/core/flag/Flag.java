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
            "Begin a new cluster with this node's data although another survivor may hold more"),
    ADOPT_CHANGES(
            "adopt-changes",
            Kind.SWITCH,
            "Keep changes that were made by hand to the static pod manifests, as files in the directory with patches"),
    ALL("all", Kind.SWITCH, "Defragment every member, however little of its database is free"),
    ALL_NODES(
            "all-nodes",
            Kind.SWITCH,
            "Also show the certificates that the API servers and etcd members of all nodes serve with, as far as they answer"),
    ALLOW_DEGRADED(
            "allow-degraded",
            Kind.SWITCH,
            "Join although an etcd voter does not respond, as far as etcd itself allows it (3.5.30, 3.6.11, 3.7.0 and newer)"),
    ALLOW_DEPRECATED_API(
            "allow-deprecated-api", Kind.SWITCH, "Say nothing about deprecated versions"),
    ALLOW_EXPERIMENTAL_API(
            "allow-experimental-api",
            Kind.SWITCH,
            "Also read the experimental version kubeadm.k8s.io/v1; config migrate then writes it"),
    ALLOW_EXPERIMENTAL_UPGRADES(
            "allow-experimental-upgrades",
            Kind.SWITCH,
            "Show unstable versions of Kubernetes as an upgrade alternative and allow upgrading to an alpha, a beta or a release candidate"),
    ALLOW_INSECURE_RELEASE_SERVER(
            "allow-insecure-release-server",
            Kind.SWITCH,
            "Download an etcd release whose SHA-256 kjadm does not know over plain HTTP; others on the network can replace it"),
    ALLOW_MISSING_TEMPLATE_KEYS(
            "allow-missing-template-keys",
            Kind.SWITCH,
            "Whether a template may name a field that is missing in the object",
            "true"),
    ALLOW_MIXED(
            "allow-mixed",
            Kind.SWITCH,
            "Join although the etcd members run two minor versions, during an upgrade"),
    ALLOW_PATH(
            "allow-path",
            Kind.LIST,
            "A file that the bundle may write besides the CAs, the service accounts' keys and the configurations below /etc/kubernetes"),
    ALLOW_RELEASE_CANDIDATE_UPGRADES(
            "allow-release-candidate-upgrades",
            Kind.SWITCH,
            "Show release candidates of Kubernetes as an upgrade alternative and allow upgrading to one"),
    APISERVER_ADVERTISE_ADDRESS(
            "apiserver-advertise-address",
            Kind.TEXT,
            "The IP address the API Server will advertise it's listening on; the one of the default route if empty"),
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
            "Begin a new cluster with this node's data, where the quorum is lost for good"),
    ASK_CLUSTER(
            "ask-cluster",
            Kind.SWITCH,
            "With --dry-run, ask the cluster for its configuration and its etcd, instead of assuming one with the defaults"),
    BIND_ADDRESS(
            "bind-address",
            Kind.TEXT,
            "The address of this machine that etcd listens on; that of the default route if not given"),
    BUNDLE("bundle", Kind.TEXT, "File with the CA of etcd, encrypted with a certificate key"),
    CA_CERT_HASH(
            "ca-cert-hash",
            Kind.LIST,
            "What the public key of the cluster's CA must be (sha256:…), as 'kjadm etcd init' prints it"),
    CERT_DIR("cert-dir", Kind.TEXT, "The path where the certificates are", "/etc/kubernetes/pki"),
    CERTIFICATE_KEY(
            "certificate-key",
            Kind.TEXT,
            "Key with which the certificates in the kubeadm-certs Secret are encrypted: 64 hexadecimal digits"),
    CERTIFICATE_KEY_FILE(
            "certificate-key-file",
            Kind.TEXT,
            "File with the certificate key, 64 hexadecimal digits; without it, it is read from $KJADM_CERTIFICATE_KEY"),
    CERTIFICATE_RENEWAL(
            "certificate-renewal",
            Kind.SWITCH,
            "Renew the certificates of the components that are upgraded",
            "true"),
    CERTS_DIR("certs-dir", Kind.TEXT, "The path where etcd's certificates are", "/etc/etcd/pki"),
    CLEANUP_TMP_DIR("cleanup-tmp-dir", Kind.SWITCH, "Also empty \"/etc/kubernetes/tmp\""),
    CLIENT_NAME(
            "client-name",
            Kind.TEXT,
            "The name of the user: the common name of the client certificate (required)"),
    CLUSTER_ID("cluster-id", Kind.TEXT, "Only snapshots of the cluster with this ID (hexadecimal)"),
    COLLECT(
            "collect",
            Kind.SWITCH,
            "Print what this node can tell, as JSON for --evidence on the node where it is decided"),
    COMPACT_KEEP(
            "compact-keep",
            Kind.NUMBER,
            "How many of the newest revisions to keep when room is made",
            "10000"),
    COMPONENT_CONFIGS(
            "component-configs",
            Kind.LIST,
            "Component configurations to print too: KubeProxyConfiguration, KubeletConfiguration"),
    COMPRESS(
            "compress",
            Kind.TEXT,
            "How the snapshot is compressed in the store: gzip or none",
            "none"),
    CONFIG("config", Kind.TEXT, "Path to a configuration file"),
    CONTEXT_LINES(
            "context-lines",
            Kind.NUMBER,
            "How many unchanged lines to show around a difference",
            "3"),
    CONTROL_PLANE("control-plane", Kind.SWITCH, "Create a new control plane instance on this node"),
    CONTROL_PLANE_ENDPOINT(
            "control-plane-endpoint",
            Kind.TEXT,
            "A stable address or DNS name, with or without a port, for the whole control plane"),
    CONTROLLER_MANAGER_EXTRA_ARGS(
            "controller-manager-extra-args",
            Kind.LIST,
            "Extra flags for the Controller Manager, name=value (deprecated: use the configuration)"),
    CRI_SOCKET(
            "cri-socket",
            Kind.TEXT,
            "Path to the CRI socket to connect; detected if empty. Use this only with several runtimes, or a non-standard socket"),
    CRON_JOB(
            "cron-job",
            Kind.SWITCH,
            "Print a CronJob for the cluster, which runs on a control-plane node; needs --image"),
    DATA_DIR("data-dir", Kind.TEXT, "The path where etcd keeps its data", "/var/lib/etcd"),
    DECLARE_LOST(
            "declare-lost",
            Kind.LIST,
            "Voters to give up, each one: lost for good or shut off for good, by name, ID or peer URL; \"no-others\" where nothing lists the members and there are no others"),
    DELETE_DATA(
            "delete-data",
            Kind.SWITCH,
            "Remove etcd's data rather than set it aside by a new name"),
    DESCRIPTION(
            "description", Kind.TEXT, "A human friendly description of what the token is used for"),
    DISCOVERY_FILE(
            "discovery-file",
            Kind.TEXT,
            "For file-based discovery, a file or https URL from which to load cluster information"),
    DISCOVERY_TOKEN(
            "discovery-token",
            Kind.TEXT,
            "For token-based discovery, the token used to validate cluster information"),
    DISCOVERY_TOKEN_CA_CERT_HASH(
            "discovery-token-ca-cert-hash",
            Kind.LIST,
            "For token-based discovery, a pin of the root CA's public key (format: \"sha256:<hex>\")"),
    DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION(
            "discovery-token-unsafe-skip-ca-verification",
            Kind.SWITCH,
            "For token-based discovery, allow joining without a CA pin"),
    DISK_PRIORITIES(
            "disk-priorities",
            Kind.LIST,
            "Lines for the section [Service] of etcd's unit",
            "Nice=-10,IOSchedulingClass=best-effort,IOSchedulingPriority=2"),
    DRY_RUN("dry-run", Kind.SWITCH, "Don't apply any changes; just output what would be done"),
    ENCRYPT_TO(
            "encrypt-to",
            Kind.LIST,
            "Public keys of age (age1...) of those who can decrypt the snapshot; nobody else can"),
    ENDPOINTS(
            "endpoints",
            Kind.LIST,
            "Client URLs of etcd members",
            "those in this node's etcd manifest"),
    ETCD_BIN(
            "etcd-bin",
            Kind.TEXT,
            "Folder with etcd and etcdutl that a snapshot is played with",
            "that of the search path, /opt/bin, /usr/local/bin or /usr/bin that has the version of the snapshot's etcd"),
    ETCD_TARBALL(
            "etcd-tarball",
            Kind.TEXT,
            "File with a release of etcd, for machines that do not reach the release server"),
    ETCD_PATCH_WAIT(
            "etcd-patch-wait",
            Kind.DURATION,
            "How long to wait for other members of etcd that need a patch release before the next minor; 0 ends the run and names them",
            "0s"),
    ETCD_UPGRADE("etcd-upgrade", Kind.SWITCH, "Upgrade etcd", "true"),
    EVERY(
            "every",
            Kind.DURATION,
            "Time between two snapshots: minutes that divide an hour, or hours that divide a day",
            "1h0m0s"),
    EVIDENCE(
            "evidence",
            Kind.LIST,
            "Files that 'kjadm etcd recover --collect' has printed on other nodes"),
    EXTERNAL_ETCD(
            "external-etcd",
            Kind.TEXT,
            "Use an etcd of its own: the file external-etcd.yaml that 'kjadm etcd init' wrote on one of its machines"),
    FEATURE_GATES("feature-gates", Kind.TEXT, "A set of key=value pairs"),
    FORCE("force", Kind.SWITCH, "Reset the node without prompting for confirmation"),
    FORCE_LAST_MEMBER(
            "force-last-member",
            Kind.SWITCH,
            "Reset the node although it has the only etcd voter, which ends the cluster; a snapshot of etcd is kept"),
    FORMAT(
            "format",
            Kind.TEXT,
            "Which tool has written it: auto, etcdctl, datadir, k3s, etcd-manager or gardener",
            "auto"),
    FROM_FILE(
            "from-file",
            Kind.TEXT,
            "Restore the snapshot in this file, or in this folder of another tool, instead of one in a store"),
    FROM_SNAPSHOT(
            "from-snapshot",
            Kind.TEXT,
            "Begin with the data of this snapshot: its name, the beginning of it, \"latest\", or the path of a file"),
    GROUPS(
            "groups",
            Kind.LIST,
            "Extra groups of who authenticates with it, which match system:bootstrappers:…",
            "system:bootstrappers:kubeadm:default-node-token"),
    ID("id", Kind.TEXT, "Only this learner: its ID in hexadecimal, or its name"),
    IDENTITY_FILE(
            "identity-file",
            Kind.TEXT,
            "File with the secret key of age of one who can decrypt the snapshot"),
    IGNORE_PREFLIGHT_ERRORS(
            "ignore-preflight-errors",
            Kind.LIST,
            "A list of checks whose errors will be shown as warnings. Example: 'IsPrivilegedUser,Swap'. Value 'all' ignores errors from all checks"),
    IMAGE("image", Kind.TEXT, "Image with kjadm in its search path, which the CronJob runs"),
    IMAGE_REPOSITORY(
            "image-repository", Kind.TEXT, "The registry to pull images from", "registry.k8s.io"),
    IMAGE_TAG(
            "image-tag",
            Kind.TEXT,
            "Tag of etcd's image, if it is not the version with -0 behind it"),
    INIT_SYSTEM(
            "init-system",
            Kind.TEXT,
            "Accepted for compatibility with etcdadm: systemd is the only one",
            "systemd"),
    INSTALL_DIR("install-dir", Kind.TEXT, "The path where etcd's programs are", "/opt/bin"),
    INTO(
            "into",
            Kind.TEXT,
            "Folder that stands for the root of the machine: files are written below it, and none is replaced (required)"),
    JOIN_STALL_TIMEOUT(
            "join-stall-timeout",
            Kind.DURATION,
            "Give up when the new etcd member makes no progress for this long",
            "2m0s"),
    JOIN_TIMEOUT(
            "join-timeout",
            Kind.DURATION,
            "Give up when the new etcd member is not a voter after this long",
            "30m0s"),
    JOIN_WAIT(
            "join-wait",
            Kind.DURATION,
            "How long to wait until other etcd members have joined",
            "30m0s"),
    KEEP_DAILY("keep-daily", Kind.NUMBER, "Of so many days, keep the newest snapshot", "14"),
    KEEP_HOURLY("keep-hourly", Kind.NUMBER, "Of so many hours, keep the newest snapshot", "48"),
    KEEP_LAST("keep-last", Kind.NUMBER, "Keep so many of the newest snapshots", "10"),
    KEEP_LEARNER(
            "keep-learner",
            Kind.SWITCH,
            "If the join fails, leave the etcd learner that was added in the cluster"),
    KEEP_MONTHLY("keep-monthly", Kind.NUMBER, "Of so many months, keep the newest snapshot", "12"),
    KEEP_VERIFIED(
            "keep-verified",
            Kind.NUMBER,
            "Keep so many of the newest snapshots that were verified, at least one",
            "2"),
    KEEP_WEEKLY("keep-weekly", Kind.NUMBER, "Of so many weeks, keep the newest snapshot", "8"),
    KUBECONFIG(
            "kubeconfig",
            Kind.TEXT,
            "The kubeconfig file to use when talking to the cluster",
            "/etc/kubernetes/admin.conf"),
    KUBECONFIG_DIR(
            "kubeconfig-dir",
            Kind.TEXT,
            "The path where kubeconfig files are written",
            "/etc/kubernetes"),
    KUBERNETES_VERSION(
            "kubernetes-version",
            Kind.TEXT,
            "A specific Kubernetes version for the control plane",
            "stable-1"),
    LABEL(
            "label",
            Kind.LIST,
            "Words to find the snapshot by, name=value; shown by 'kjadm etcd snapshot list'"),
    LEVEL(
            "level",
            Kind.TEXT,
            "How closely to look: sum (the stored bytes are those that were written), structure "
                    + "(they are a whole database of etcd's with the revision that was noted) or drill "
                    + "(an etcd that is made of it, and thrown away, serves what its member held)",
            "structure"),
    LOG_FORMAT(
            "log-format",
            Kind.TEXT,
            "Format of what is not a result: text, or json for one event per line on standard error",
            "text"),
    METRICS_FILE(
            "metrics-file",
            Kind.TEXT,
            "Write to this file, for the textfile collector of Prometheus' node_exporter, what became of it (a name that ends with .prom)"),
    MIN_FREE(
            "min-free",
            Kind.TEXT,
            "Leave a member alone of whose database fewer bytes are free",
            "100Mi"),
    NAME("name", Kind.TEXT, "The name of the member; the host name if not given"),
    NEW_CONFIG("new-config", Kind.TEXT, "Path of the file to write; standard output if not given"),
    NO_CERTIFICATE_KEY(
            "no-certificate-key",
            Kind.SWITCH,
            "Encrypt the new CA's key with the old CA's key alone; only where that cannot be known to others, as when the CA expires soon"),
    NODE_NAME("node-name", Kind.TEXT, "Specify the node name"),
    OLD_CONFIG("old-config", Kind.TEXT, "Path to the file to read (required)"),
    ORG("org", Kind.LIST, "The groups of the user: the organizations of the client certificate"),
    OUTPUT("output", Kind.TEXT, "Output format"),
    PATCHES(
            "patches",
            Kind.TEXT,
            "Path to a directory with files named \"target[suffix][+patchtype].extension\", for example \"kube-apiserver0+merge.yaml\""),
    PAUSE("pause", Kind.DURATION, "How long to wait between two members", "30s"),
    PLAN(
            "plan",
            Kind.SWITCH,
            "Show the gates, the members in their order and the commands; change nothing"),
    POD_NETWORK_CIDR(
            "pod-network-cidr",
            Kind.TEXT,
            "Range of IP addresses for the pod network; if set, nodes get their part of it"),
    PREPARE_ONLY(
            "prepare-only",
            Kind.SWITCH,
            "Change nothing; print what has to be ready on the machine of the new member, and how it is started"),
    PRINT_CONFIG(
            "print-config",
            Kind.SWITCH,
            "Print the configuration of the cluster that the upgrade will use"),
    PRINT_JOIN_COMMAND(
            "print-join-command",
            Kind.SWITCH,
            "Instead of the token only, print the whole 'kjadm join' command that uses it"),
    PRINT_MANIFEST(
            "print-manifest", Kind.SWITCH, "Print the addon's objects instead of applying them"),
    PURGE_PKI("purge-pki", Kind.SWITCH, "Also remove the key of etcd's CA"),
    QUOTA_BACKEND_BYTES(
            "quota-backend-bytes",
            Kind.TEXT,
            "The quota of the members' databases, where etcd (before 3.6) does not tell it",
            "the one in this node's etcd manifest"),
    REASON("reason", Kind.TEXT, "Why gates are skipped"),
    RELEASE_URL(
            "release-url",
            Kind.TEXT,
            "Below which URL releases of etcd are",
            "https://github.com/etcd-io/etcd/releases/download"),
    REPLACE_LOST_VOTER(
            "replace-lost-voter",
            Kind.SWITCH,
            "Remove this node's etcd voter, whose data is lost, and join as a new member"),
    REQUIRE(
            "require",
            Kind.TEXT,
            "What has to serve: quorum (as many voters as must agree) or all (every member)",
            "quorum"),
    RESTART(
            "restart",
            Kind.SWITCH,
            "Restart what uses the renewed certificates on this node, one component at a time, and see that it serves with them"),
    RESTART_KUBELET(
            "restart-kubelet",
            Kind.SWITCH,
            "Restart the kubelet with its new configuration, if it is of the version that it is upgraded to"),
    SCHEDULER_EXTRA_ARGS(
            "scheduler-extra-args",
            Kind.LIST,
            "Extra flags for the Scheduler, name=value (deprecated: use the configuration)"),
    SERVER_CERT_EXTRA_SANS(
            "server-cert-extra-sans",
            Kind.LIST,
            "Extra names and addresses for etcd's server certificate"),
    SERVICE_CIDR("service-cidr", Kind.TEXT, "Range of IP addresses for services", "10.96.0.0/12"),
    SERVICE_DNS_DOMAIN(
            "service-dns-domain", Kind.TEXT, "The DNS domain of services", "cluster.local"),
    SHOW_MANAGED_FIELDS(
            "show-managed-fields",
            Kind.SWITCH,
            "Accepted for compatibility with kubectl; these objects have no managed fields"),
    SIGN_KEY(
            "sign-key",
            Kind.TEXT,
            "File with the private key (Ed25519) that signs the snapshot, or the note of verify; 'kjadm etcd snapshot key' creates one"),
    SKIP_CERTIFICATE_KEY_PRINT(
            "skip-certificate-key-print",
            Kind.SWITCH,
            "Don't print the key used to encrypt the uploaded certificates"),
    SKIP_GATE(
            "skip-gate",
            Kind.LIST,
            "Gates that are not to stop it, by their names in --plan; needs --reason"),
    SKIP_HASH_CHECK(
            "skip-hash-check",
            Kind.SWITCH,
            "Also take one without a SHA-256 at its end, such as the database of a data directory"),
    SKIP_PHASES("skip-phases", Kind.LIST, "List of phases to be skipped"),
    SKIP_REMOVE_MEMBER(
            "skip-remove-member",
            Kind.SWITCH,
            "Accepted for compatibility with etcdadm: the same as --force"),
    SKIP_TOKEN_PRINT("skip-token-print", Kind.SWITCH, "Don't print the bootstrap token"),
    SNAPSHOT(
            "snapshot",
            Kind.TEXT,
            "Accepted for compatibility with etcdadm: the same as --from-snapshot"),
    SOAK(
            "soak",
            Kind.DURATION,
            "How long all members have to be healthy behind each, before the next one's turn",
            "1m0s"),
    STORE(
            "store",
            Kind.TEXT,
            "Where snapshots are kept: a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX; a server of your own is named behind it, as in s3://BUCKET?endpoint=URL",
            "/var/lib/kjadm-snapshots"),
    SYSTEMD(
            "systemd",
            Kind.SWITCH,
            "Print a service and a timer of systemd for a control-plane node"),
    TAKEOVER(
            "takeover",
            Kind.SWITCH,
            "Remove another node's etcd learner that blocks this join and makes no progress"),
    THRESHOLD(
            "threshold",
            Kind.TEXT,
            "Leave a member alone of whose database no more than this part is free, from 0 to 1",
            "0.45"),
    TIMEOUT("timeout", Kind.DURATION, "How long to wait for it to catch up", "1m0s"),
    TIMINGS(
            "timings",
            Kind.TEXT,
            "Write to this file, as JSON, when each phase, wait and call of a server began and ended"),
    TLS_BOOTSTRAP_TOKEN(
            "tls-bootstrap-token", Kind.TEXT, "The token to authenticate with while joining"),
    TOKEN(
            "token",
            Kind.TEXT,
            "Use this token for both discovery-token and tls-bootstrap-token when those are not given"),
    TOKEN_TTL(
            "token-ttl",
            Kind.DURATION,
            "How long the token lives; with 0 it never expires",
            "24h0m0s"),
    TTL(
            "ttl",
            Kind.DURATION,
            "How long the token lives, for example 1s, 2m, 3h; with 0 it never expires",
            "24h0m0s"),
    UNDO(
            "undo",
            Kind.SWITCH,
            "Put back the data and the control plane as they were before a restore that did not end"),
    UPLOAD_CERTS(
            "upload-certs",
            Kind.SWITCH,
            "Upload the CAs, encrypted, for control-plane nodes to join with --certificate-key"),
    USAGES("usages", Kind.LIST, "What the token can be used for", "signing,authentication"),
    VALIDITY_PERIOD(
            "validity-period", Kind.DURATION, "How long the client certificate is valid", "8760h"),
    VERIFY(
            "verify",
            Kind.TEXT,
            "How closely to look at it once it is stored: none, sum, structure or drill. While it comes its structure is always looked at",
            "sum"),
    VERIFY_KEY(
            "verify-key",
            Kind.LIST,
            "File with the public key of those who sign snapshots; others are not accepted. May be given several times; /etc/kjadm/snapshot-verify.pub if it exists and none is given"),
    VERSION("version", Kind.TEXT, "The release of etcd"),
    WATCH("watch", Kind.SWITCH, "Refresh every 2 seconds, until Ctrl-C"),
    WIPE_ETCD_DATA(
            "wipe-etcd-data",
            Kind.TEXT,
            "Set aside the etcd data on this node if it belongs to the cluster with this ID (hexadecimal)"),
    WITH_PKI(
            "with-pki",
            Kind.SWITCH,
            "Also keep the keys that a cluster cannot be rebuilt without: the CAs, the service accounts' key, the encryption configuration; only with --encrypt-to"),
    WORK_DIR(
            "work-dir",
            Kind.TEXT,
            "Folder on a disk with room for what is made of a snapshot meanwhile",
            "/var/tmp"),
    YES(
            "yes",
            Kind.SWITCH,
            "Do not ask, and also remove a learner that may be joining, if it has never started or its join is older than 10 minutes");

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
