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

    @Override
    public List<URI> endpoints() {
        return ask(ENDPOINTS_LIMIT, EtcdPods::clientUrls, why -> List.of());
    }

    @Override
    public MembershipLeaseStatus lock() {
        return ask(
                LOCK_LIMIT,
                api -> MembershipLeaseStatus.of(
                        api.get(Lease.class, LockRecord.NAMESPACE, LockRecord.NAME), waiter.now()),
                MembershipLeaseStatus.Unknown::new);
    }

    /** @param unanswered what is known without an answer, made from the reason why there is none */
    private <T> T ask(
            Duration limit, Function<KubeApi, T> question, Function<String, T> unanswered) {
        if (!files.exists(kubeconfig)) {
            return unanswered.apply("there is no " + kubeconfig);
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
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            asking.interrupt();
            return unanswered.apply(
                    "the API server did not answer within %d s".formatted(limit.toSeconds()));
        } catch (ExecutionException e) {
            return unanswered.apply(reason(e.getCause()));
        } catch (InterruptedException e) {
            asking.interrupt();
            Thread.currentThread().interrupt();
            return unanswered.apply("interrupted");
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
