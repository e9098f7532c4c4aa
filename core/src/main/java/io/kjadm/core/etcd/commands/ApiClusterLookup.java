package io.kjadm.core.etcd.commands;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.phase.Waiter;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Asks the API server that a kubeconfig names, and does not wait long for it. */
public final class ApiClusterLookup implements ClusterLookup {

    /**
     * Asked between two rounds of silence: with nobody there the command still has to end within
     * ten seconds.
     */
    private static final Duration ENDPOINTS_LIMIT = Duration.ofSeconds(2);

    private static final Duration LOCK_LIMIT = Duration.ofSeconds(3);

    private final HostFiles files;
    private final KubeClients clients;
    private final Path kubeconfig;
    private final Waiter waiter;

    /**
     * Asks nobody yet.
     *
     * @param kubeconfig may be missing; then the API server is not asked
     */
    public ApiClusterLookup(HostFiles files, KubeClients clients, Path kubeconfig, Waiter waiter) {
        this.files = files;
        this.clients = clients;
        this.kubeconfig = kubeconfig;
        this.waiter = waiter;
    }

    private sealed interface Answer<T> {
        record Given<T>(T value) implements Answer<T> {}

        record None<T>(String why) implements Answer<T> {}
    }

    @Override
    public List<URI> endpoints() {
        return switch (ask(ENDPOINTS_LIMIT, EtcdPods::clientUrls)) {
            case Answer.Given<List<URI>>(List<URI> urls) -> urls;
            case Answer.None<List<URI>> none -> List.of();
        };
    }

    @Override
    public MembershipLeaseStatus lock() {
        return switch (ask(
                LOCK_LIMIT, api -> api.get(Lease.class, LockRecord.NAMESPACE, LockRecord.NAME))) {
            case Answer.Given<Optional<Lease>>(Optional<Lease> lease) ->
                MembershipLeaseStatus.of(lease, waiter.now());
            case Answer.None<Optional<Lease>>(String why) -> new MembershipLeaseStatus.Unknown(why);
        };
    }

    private <T> Answer<T> ask(Duration limit, Function<KubeApi, T> question) {
        if (!files.exists(kubeconfig)) {
            return new Answer.None<>("there is no " + kubeconfig);
        }
        var answer = new CompletableFuture<T>();
        Thread asking = Thread.ofVirtual().start(() -> {
            try {
                answer.complete(question.apply(clients.of(kubeconfig)));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return new Answer.Given<>(answer.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            asking.interrupt();
            return new Answer.None<>(
                    "the API server did not answer within %d s".formatted(limit.toSeconds()));
        } catch (ExecutionException e) {
            return new Answer.None<>(reason(e.getCause()));
        } catch (InterruptedException e) {
            asking.interrupt();
            Thread.currentThread().interrupt();
            return new Answer.None<>("interrupted");
        }
    }

    private static String reason(Throwable failure) {
        return switch (failure) {
            case KubeApiException refused -> refused.getMessage();
            case KjadmException known -> known.what() + ": " + known.why();
            case RuntimeException bug -> throw bug;
            default -> throw new IllegalStateException(failure);
        };
    }
}
