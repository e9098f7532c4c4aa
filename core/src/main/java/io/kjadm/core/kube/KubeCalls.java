package io.kjadm.core.kube;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Repeats a request while the API server cannot answer for now; what it refuses for good is passed
 * on at once. kubeadm repeats whatever failed (reference 03 §0.3); the limit is the same.
 */
public final class KubeCalls {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final Waiter waiter;
    private final Duration limit;

    /**
     * @param limit {@code timeouts.kubernetesAPICall}
     */
    public KubeCalls(Waiter waiter, Duration limit) {
        this.waiter = waiter;
        this.limit = limit;
    }

    /** The answer of a request, repeated while it fails in passing. */
    public <T> T repeat(String area, String what, Supplier<T> request) {
        return repeatIf(area, what, false, request);
    }

    /** The same, also while the API server says that the identity is not allowed (yet). */
    public <T> T repeatUntilAllowed(String area, String what, Supplier<T> request) {
        return repeatIf(area, what, true, request);
    }

    /** As {@link #repeat} for a request without an answer. */
    public void run(String area, String what, Runnable request) {
        repeat(area, what, () -> {
            request.run();
            return what;
        });
    }

    private <T> T repeatIf(String area, String what, boolean alsoForbidden, Supplier<T> request) {
        Await await = new Await(area, "the API server to " + what, limit, INTERVAL,
                "check that the API server is healthy and reachable, then run the command again");
        return waiter.until(await, () -> {
            try {
                return Attempt.done(request.get());
            } catch (KubeApiException e) {
                boolean again = e.passing()
                        || (alsoForbidden && e.kind() == KubeApiException.Kind.FORBIDDEN);
                if (!again) {
                    throw new ClusterException(
                            "could not " + what, "the API server refuses: " + e.getMessage(),
                            nextAfter(e), e);
                }
                return Attempt.notYet(e.getMessage());
            }
        });
    }

    private static String nextAfter(KubeApiException e) {
        return switch (e.kind()) {
            case FORBIDDEN -> "check that the credentials are valid and allowed to do this";
            case UNTRUSTED -> "check that the CA certificate is the one of this cluster";
            case UNTIMELY -> KubeApiException.COMPARE_CLOCKS;
            case NOT_FOUND -> "check that the cluster was set up completely";
            case ALREADY_EXISTS, CONFLICT, INVALID, UNAVAILABLE, UNREACHABLE, OTHER ->
                    "see the API server's log for the request";
        };
    }
}
