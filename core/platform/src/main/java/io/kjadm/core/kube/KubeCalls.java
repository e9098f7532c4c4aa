package io.kjadm.core.kube;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Repeats a request while the API server cannot answer for now; what it refuses for good is passed
 * on at once. kubeadm repeats whatever failed; the limit is the same.
 */
public final class KubeCalls {

    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration BRIEF_INTERVAL = Duration.ofMillis(50);
    private static final Duration BRIEF_LIMIT = Duration.ofMillis(350);

    private final Waiter waiter;
    private final Duration limit;
    private final Duration interval;

    /**
     * @param limit {@code timeouts.kubernetesAPICall}
     */
    public KubeCalls(Waiter waiter, Duration limit) {
        this(waiter, limit, INTERVAL);
    }

    private KubeCalls(Waiter waiter, Duration limit, Duration interval) {
        this.waiter = waiter;
        this.limit = limit;
        this.interval = interval;
    }

    /**
     * For what the caller has a default for: 350 ms of requests, and the last one may take as long as
     * any other. As {@code GetConfigMapWithShortRetry} in kubeadm's {@code
     * app/util/apiclient/idempotency.go}.
     */
    public static KubeCalls brief(Waiter waiter) {
        return new KubeCalls(waiter, BRIEF_LIMIT, BRIEF_INTERVAL);
    }

    /** The answer of a request, repeated while it fails in passing. */
    public <T> T repeat(String area, String what, Supplier<T> request) {
        return repeatIf(area, what, EnumSet.noneOf(Kind.class), request);
    }

    /**
     * The same, also while the API server says that the identity is not allowed (yet): behind a
     * balancer one may answer that has not heard of a right which another one has granted.
     */
    public <T> T repeatUntilAllowed(String area, String what, Supplier<T> request) {
        return repeatIf(area, what, EnumSet.of(Kind.FORBIDDEN), request);
    }

    /**
     * The same in a cluster that is just coming up: rights may not be known to the API server yet,
     * nor the namespace be there that it makes by itself.
     */
    public <T> T repeatWhileStarting(String area, String what, Supplier<T> request) {
        return repeatIf(area, what, EnumSet.of(Kind.FORBIDDEN, Kind.NOT_FOUND), request);
    }

    /** As {@link #repeat} for a request without an answer. */
    public void run(String area, String what, Runnable request) {
        repeat(area, what, () -> {
            request.run();
            return what;
        });
    }

    private <T> T repeatIf(String area, String what, Set<Kind> passingToo, Supplier<T> request) {
        Await await = new Await(
                area,
                "the API server to " + what,
                limit,
                interval,
                passingToo.contains(Kind.FORBIDDEN)
                        ? "check that the API server is healthy and reachable, then run the command again; if it refuses, "
                                + KubeApiException.CHECK_RIGHTS
                        : "check that the API server is healthy and reachable, then run the command again");
        Instant began = waiter.now();
        return waiter.until(await, () -> {
                    try {
                        return Attempt.done(request.get());
                    } catch (KubeApiException e) {
                        if (!e.passing(Duration.between(began, waiter.now()))
                                && !passingToo.contains(e.kind())) {
                            throw new ClusterException(
                                    "could not " + what,
                                    "the API server refuses: " + e.getMessage(),
                                    nextAfter(e),
                                    e);
                        }
                        return Attempt.notYet(e.getMessage());
                    }
                })
                .orElseThrow(await::neededAnswer);
    }

    private static String nextAfter(KubeApiException e) {
        return switch (e.kind()) {
            case FORBIDDEN -> KubeApiException.CHECK_RIGHTS;
            case UNTRUSTED -> "check that the CA certificate is the one of this cluster";
            case UNTIMELY -> KubeApiException.COMPARE_CLOCKS;
            case NOT_FOUND -> "check that the cluster was set up completely";
            case ALREADY_EXISTS, CONFLICT, INVALID, UNAVAILABLE, UNREACHABLE, OTHER ->
                "see the API server's log for the request";
        };
    }
}
