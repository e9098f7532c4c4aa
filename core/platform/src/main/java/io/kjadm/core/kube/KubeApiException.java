package io.kjadm.core.kube;

import io.kjadm.manifests.RbacObjects;

import java.time.Duration;

/**
 * The API server refused or could not be reached. Foreign exceptions are translated to this one at
 * the adapter; phases decide by {@link #kind()}.
 */
public final class KubeApiException extends RuntimeException {

    private static final Duration FORMER_SERVER = Duration.ofSeconds(5);

    /** What the answer means to a caller. */
    public enum Kind {
        /** 404: no such object. */
        NOT_FOUND,
        /** 409 of a create: the object exists. */
        ALREADY_EXISTS,
        /** 409 of an update: somebody changed the object in between. */
        CONFLICT,
        /** 401 or 403: not authenticated, or not allowed. */
        FORBIDDEN,
        /** 422: the object is not valid. */
        INVALID,
        /** 5xx, 429: the server asks to come back. */
        UNAVAILABLE,
        /** No answer: refused connection, time-out, name not found. */
        UNREACHABLE,
        /** The server's certificate does not verify. */
        UNTRUSTED,
        /** The server's certificate is not valid yet, or not any more, by this machine's clock. */
        UNTIMELY,
        /** Anything else. */
        OTHER
    }

    /** What to do about {@link Kind#UNTIMELY}. */
    public static final String COMPARE_CLOCKS =
            "compare the clocks of this machine and of the server; if they agree, renew the server's certificate";

    /** What to do about {@link Kind#FORBIDDEN}. */
    public static final String CHECK_RIGHTS =
            "check that the credentials are valid and allowed to do this; the certificate of admin.conf needs group "
                    + RbacObjects.CLUSTER_ADMINS_GROUP
                    + ", and that group its ClusterRoleBinding. If the cluster lacks it, run on the node with super-admin.conf:"
                    + " kubectl --kubeconfig /etc/kubernetes/super-admin.conf create clusterrolebinding kubeadm:cluster-admins"
                    + " --clusterrole=cluster-admin --group="
                    + RbacObjects.CLUSTER_ADMINS_GROUP;

    private final Kind kind;

    public KubeApiException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What the answer means. */
    public Kind kind() {
        return kind;
    }

    /**
     * Whether the same request may succeed a moment later, which was first sent so long ago. Behind
     * a balancer the server of a former cluster may respond for some seconds more; that one is not
     * trusted.
     */
    public boolean passing(Duration asked) {
        return passing() || kind == Kind.UNTRUSTED && asked.compareTo(FORMER_SERVER) < 0;
    }

    /** Whether the same request may succeed a moment later. */
    public boolean passing() {
        return switch (kind) {
            case UNAVAILABLE, UNREACHABLE, CONFLICT -> true;
            case NOT_FOUND, ALREADY_EXISTS, FORBIDDEN, INVALID, UNTRUSTED, UNTIMELY, OTHER -> false;
        };
    }
}
