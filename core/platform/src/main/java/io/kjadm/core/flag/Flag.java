package io.kjadm.core.flag;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every flag of every command, once: its name, what may be typed after it, and whether it may
 * stand beside {@code --config}; its help and default are in {@link FlagHelp}. Names and meanings
 * are kubeadm's wherever it has such a flag.
 */
public enum Flag {
    ACCEPT_LOSS(Kind.SWITCH),
    ADOPT(Kind.SWITCH),
    ADOPT_CHANGES(Kind.SWITCH),
    ALL(Kind.SWITCH),
    ALL_NODES(Kind.SWITCH),
    ALLOW_DEGRADED(Kind.SWITCH),
    ALLOW_DEPRECATED_API(Kind.SWITCH),
    ALLOW_EXPERIMENTAL_API(Kind.SWITCH),
    ALLOW_EXPERIMENTAL_UPGRADES(Kind.SWITCH),
    ALLOW_INSECURE_RELEASE_SERVER(Kind.SWITCH),
    ALLOW_MISSING_TEMPLATE_KEYS(Kind.SWITCH),
    ALLOW_MIXED(Kind.SWITCH),
    ALLOW_PATH(Kind.LIST),
    ALLOW_RELEASE_CANDIDATE_UPGRADES(Kind.SWITCH),
    ALTHOUGH_IT_SERVES(Kind.SWITCH),
    APISERVER_ADVERTISE_ADDRESS(Kind.TEXT),
    APISERVER_BIND_PORT(Kind.NUMBER),
    APISERVER_CERT_EXTRA_SANS(Kind.LIST),
    APISERVER_EXTRA_ARGS(Kind.LIST),
    APPLY(Kind.SWITCH),
    ASK_CLUSTER(Kind.SWITCH),
    BIND_ADDRESS(Kind.TEXT),
    BUMP_REVISION(Kind.NUMBER),
    BUNDLE(Kind.TEXT),
    CA_CERT_HASH(Kind.LIST),
    CERT_DIR(Kind.TEXT),
    CERTIFICATE_KEY(Kind.TEXT),
    CERTIFICATE_KEY_FILE(Kind.TEXT),
    CERTIFICATE_RENEWAL(Kind.SWITCH),
    CERTS_DIR(Kind.TEXT),
    CLEANUP_TMP_DIR(Kind.SWITCH),
    CLIENT_NAME(Kind.TEXT),
    CLUSTER_ID(Kind.TEXT),
    CLUSTER_TOKEN(Kind.TEXT),
    COLLECT(Kind.SWITCH),
    COMPACT_KEEP(Kind.NUMBER),
    COMPONENT_CONFIGS(Kind.LIST),
    COMPRESS(Kind.TEXT),
    CONFIG(Kind.TEXT),
    CONTEXT_LINES(Kind.NUMBER),
    CONTROL_PLANE(Kind.SWITCH),
    CONTROL_PLANE_ENDPOINT(Kind.TEXT),
    CONTROLLER_MANAGER_EXTRA_ARGS(Kind.LIST),
    CRI_SOCKET(Kind.TEXT),
    CRON_JOB(Kind.SWITCH),
    DATA_DIR(Kind.TEXT),
    DATA_LOST(Kind.SWITCH),
    DECLARE_LOST(Kind.LIST),
    DELETE_DATA(Kind.SWITCH),
    DESCRIPTION(Kind.TEXT),
    DISCOVERY_FILE(Kind.TEXT),
    DISCOVERY_TOKEN(Kind.TEXT),
    DISCOVERY_TOKEN_CA_CERT_HASH(Kind.LIST),
    DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION(Kind.SWITCH),
    DISK_PRIORITIES(Kind.LIST),
    DRY_RUN(Kind.SWITCH),
    ENCRYPT_TO(Kind.LIST),
    ENDPOINTS(Kind.LIST),
    ETCD_BIN(Kind.TEXT),
    ETCD_TARBALL(Kind.TEXT),
    ETCD_PATCH_WAIT(Kind.DURATION),
    ETCD_UPGRADE(Kind.SWITCH),
    EVERY(Kind.DURATION),
    EVIDENCE(Kind.LIST),
    EXISTING_DATA(Kind.SWITCH),
    EXTERNAL_ETCD(Kind.TEXT),
    FEATURE_GATES(Kind.TEXT),
    FOR(Kind.DURATION),
    FORCE(Kind.SWITCH),
    FORCE_LAST_MEMBER(Kind.SWITCH),
    FORMAT(Kind.TEXT),
    FROM_FILE(Kind.TEXT),
    FROM_SNAPSHOT(Kind.TEXT),
    GROUPS(Kind.LIST),
    ID(Kind.TEXT),
    IDENTITY_FILE(Kind.TEXT),
    IGNORE_PREFLIGHT_ERRORS(Kind.LIST),
    IMAGE(Kind.TEXT),
    IMAGE_REPOSITORY(Kind.TEXT),
    IMAGE_TAG(Kind.TEXT),
    INIT_SYSTEM(Kind.TEXT),
    INSTALL_DIR(Kind.TEXT),
    INTO(Kind.TEXT),
    JOIN_STALL_TIMEOUT(Kind.DURATION),
    JOIN_TIMEOUT(Kind.DURATION),
    JOIN_WAIT(Kind.DURATION),
    KEEP_DAILY(Kind.NUMBER),
    KEEP_HOURLY(Kind.NUMBER),
    KEEP_LAST(Kind.NUMBER),
    KEEP_LEARNER(Kind.SWITCH),
    KEEP_MONTHLY(Kind.NUMBER),
    KEEP_VERIFIED(Kind.NUMBER),
    KEEP_WEEKLY(Kind.NUMBER),
    KUBECONFIG(Kind.TEXT),
    KUBECONFIG_DIR(Kind.TEXT),
    KUBERNETES_VERSION(Kind.TEXT),
    LABEL(Kind.LIST),
    LEVEL(Kind.TEXT),
    LOG_FORMAT(Kind.TEXT),
    LOST(Kind.LIST),
    METRICS_FILE(Kind.TEXT),
    MIN_FREE(Kind.TEXT),
    NAME(Kind.TEXT),
    NEW_CONFIG(Kind.TEXT),
    NO_CERTIFICATE_KEY(Kind.SWITCH),
    NODE_NAME(Kind.TEXT),
    NONE(Kind.SWITCH),
    OLD_CONFIG(Kind.TEXT),
    ONCE(Kind.SWITCH),
    OPERATOR_KEY(Kind.TEXT),
    ORG(Kind.LIST),
    OUTPUT(Kind.TEXT),
    PATCHES(Kind.TEXT),
    PAUSE(Kind.DURATION),
    PLAN(Kind.SWITCH),
    POD_NETWORK_CIDR(Kind.TEXT),
    PREPARE_ONLY(Kind.SWITCH),
    PRINT_CONFIG(Kind.SWITCH),
    PRINT_JOIN_COMMAND(Kind.SWITCH),
    PRINT_MANIFEST(Kind.SWITCH),
    PURGE_PKI(Kind.SWITCH),
    QUOTA_BACKEND_BYTES(Kind.TEXT),
    REASON(Kind.TEXT),
    RELEASE_URL(Kind.TEXT),
    REPLACE_LOST_VOTER(Kind.SWITCH),
    REQUIRE(Kind.TEXT),
    RESTART(Kind.SWITCH),
    RESTART_KUBELET(Kind.SWITCH),
    SCHEDULER_EXTRA_ARGS(Kind.LIST),
    SERVER_CERT_EXTRA_SANS(Kind.LIST),
    SERVICE_CIDR(Kind.TEXT),
    SERVICE_DNS_DOMAIN(Kind.TEXT),
    SHOW_MANAGED_FIELDS(Kind.SWITCH),
    SIGN_KEY(Kind.TEXT),
    SKIP_CERTIFICATE_KEY_PRINT(Kind.SWITCH),
    SKIP_CHECK(Kind.LIST),
    SKIP_GATE(Kind.LIST),
    SKIP_HASH_CHECK(Kind.SWITCH),
    SKIP_PHASES(Kind.LIST),
    SKIP_REMOVE_MEMBER(Kind.SWITCH),
    SKIP_TOKEN_PRINT(Kind.SWITCH),
    SNAPSHOT(Kind.TEXT),
    SOAK(Kind.DURATION),
    STORE(Kind.TEXT),
    SURVIVOR(Kind.TEXT),
    SYSTEMD(Kind.SWITCH),
    TAKEOVER(Kind.SWITCH),
    THRESHOLD(Kind.TEXT),
    TIMEOUT(Kind.DURATION),
    TIMINGS(Kind.TEXT),
    TLS_BOOTSTRAP_TOKEN(Kind.TEXT),
    TOKEN(Kind.TEXT),
    TOKEN_FILE(Kind.TEXT),
    TOKEN_TTL(Kind.DURATION),
    TTL(Kind.DURATION),
    UNDO(Kind.SWITCH),
    UPLOAD_CERTS(Kind.SWITCH),
    USAGES(Kind.LIST),
    VALIDITY_PERIOD(Kind.DURATION),
    VERIFY(Kind.TEXT),
    VERIFY_KEY(Kind.LIST),
    VERSION(Kind.TEXT),
    WATCH(Kind.SWITCH),
    WIPE_ETCD_DATA(Kind.TEXT),
    WITH_PKI(Kind.SWITCH),
    WORK_DIR(Kind.TEXT),
    YES(Kind.SWITCH);

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

    private final String longName = name().toLowerCase(Locale.ROOT).replace('_', '-');
    private final Kind kind;

    Flag(Kind kind) {
        this.kind = kind;
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
        return FlagHelp.of(this);
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
