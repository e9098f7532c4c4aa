package io.kjadm.etcd;

import java.util.Map;
import java.util.Set;

/**
 * Sorts etcd's refusals. Several share one status code, some travel as UNKNOWN, and one text is a
 * prefix of another, so whole texts decide and the code is asked only about texts not known here.
 */
public final class EtcdErrors {

    public static final String TOO_MANY_LEARNERS =
            "etcdserver: too many learner members in cluster";
    public static final String LEARNER_NOT_READY =
            "etcdserver: can only promote a learner member which is in sync with leader";
    public static final String NOT_A_LEARNER = "etcdserver: can only promote a learner member";
    public static final String MEMBER_NOT_FOUND = "etcdserver: member not found";
    public static final String PEER_URL_EXISTS = "etcdserver: Peer URLs already exists";
    public static final String UNHEALTHY = "etcdserver: unhealthy cluster";
    public static final String NOT_ENOUGH_STARTED =
            "etcdserver: re-configuration failed due to not enough started members";
    public static final String NO_LEADER = "etcdserver: no leader";
    public static final String LEADER_CHANGED = "etcdserver: leader changed";
    public static final String TIMED_OUT = "etcdserver: request timed out";
    public static final String COMPACTED = "etcdserver: mvcc: required revision has been compacted";
    public static final String RPC_AT_LEARNER = "etcdserver: rpc not supported for learner";

    public static final String DOWNGRADE_UNDER_WAY =
            "etcdserver: cluster has a downgrade job in progress";
    public static final String NO_DOWNGRADE = "etcdserver: no inflight downgrade job";
    public static final String NO_SUCH_DOWNGRADE = "etcdserver: invalid downgrade target version";

    private static final Map<String, ErrorClass> TEXTS = Map.ofEntries(
            Map.entry(NOT_A_LEARNER, ErrorClass.DONE),
            Map.entry(PEER_URL_EXISTS, ErrorClass.DONE),
            Map.entry(MEMBER_NOT_FOUND, ErrorClass.DONE),
            Map.entry(COMPACTED, ErrorClass.DONE),
            Map.entry(NO_DOWNGRADE, ErrorClass.DONE),
            Map.entry(DOWNGRADE_UNDER_WAY, ErrorClass.WAIT),
            Map.entry(NO_SUCH_DOWNGRADE, ErrorClass.FATAL),
            Map.entry(LEARNER_NOT_READY, ErrorClass.WAIT),
            Map.entry(TOO_MANY_LEARNERS, ErrorClass.WAIT),
            Map.entry(UNHEALTHY, ErrorClass.WAIT),
            Map.entry(NO_LEADER, ErrorClass.TRANSIENT),
            Map.entry("etcdserver: not leader", ErrorClass.TRANSIENT),
            Map.entry("etcdserver: not capable", ErrorClass.TRANSIENT),
            Map.entry("etcdserver: too many requests", ErrorClass.TRANSIENT),
            Map.entry(RPC_AT_LEARNER, ErrorClass.TRANSIENT),
            Map.entry(NOT_ENOUGH_STARTED, ErrorClass.NEEDS_HUMAN),
            Map.entry("etcdserver: mvcc: database space exceeded", ErrorClass.NEEDS_HUMAN),
            Map.entry("etcdserver: corrupt cluster", ErrorClass.NEEDS_HUMAN),
            Map.entry("etcdserver: bad leader transferee", ErrorClass.NEEDS_HUMAN),
            Map.entry("etcdserver: member ID already exist", ErrorClass.FATAL),
            Map.entry("etcdserver: given member URLs are invalid", ErrorClass.FATAL),
            Map.entry("etcdserver: cluster ID mismatch", ErrorClass.FATAL),
            Map.entry("etcdserver: permission denied", ErrorClass.FATAL),
            Map.entry("etcdserver: invalid auth token", ErrorClass.FATAL),
            Map.entry("etcdserver: user name is empty", ErrorClass.FATAL));

    /** The server gave up waiting; a change proposed before may still be applied. */
    private static final Set<String> OUTCOME_UNKNOWN = Set.of(
            TIMED_OUT,
            "etcdserver: request timed out, possibly due to previous leader failure",
            "etcdserver: request timed out, possibly due to connection lost",
            "etcdserver: request timed out, waiting for the applied index took too long",
            "etcdserver: request timed out, leader transfer took too long",
            LEADER_CHANGED,
            "etcdserver: server stopped");

    /** What etcd's authentication refuses. */
    private static final Set<String> NOT_PERMITTED = Set.of(
            "etcdserver: permission denied",
            "etcdserver: invalid auth token",
            "etcdserver: user name is empty",
            "etcdserver: user name not found");

    private EtcdErrors() {}

    /**
     * Whether a refusal is that of etcd's authentication: the member responds, and whoever asks is
     * none of its users, or may not do that.
     */
    public static boolean isNotPermitted(String text) {
        return NOT_PERMITTED.contains(text);
    }

    /**
     * @param kind whether the call that failed was a change
     * @param code the status code that came with it
     * @param text the whole text, with etcd's prefix
     */
    public static ErrorClass classify(RpcKind kind, RpcCode code, String text) {
        ErrorClass known = TEXTS.get(text);
        if (known != null) {
            return known;
        }
        if (OUTCOME_UNKNOWN.contains(text)) {
            return uncertain(kind);
        }
        return switch (code) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNKNOWN, INTERNAL, ABORTED, OK ->
                uncertain(kind);
            case RESOURCE_EXHAUSTED, DATA_LOSS -> ErrorClass.NEEDS_HUMAN;
            case NOT_FOUND,
                    ALREADY_EXISTS,
                    FAILED_PRECONDITION,
                    INVALID_ARGUMENT,
                    OUT_OF_RANGE,
                    PERMISSION_DENIED,
                    UNAUTHENTICATED,
                    UNIMPLEMENTED -> ErrorClass.FATAL;
        };
    }

    private static ErrorClass uncertain(RpcKind kind) {
        return kind == RpcKind.CHANGE ? ErrorClass.AMBIGUOUS : ErrorClass.TRANSIENT;
    }
}
