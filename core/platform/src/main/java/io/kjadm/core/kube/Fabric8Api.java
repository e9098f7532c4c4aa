package io.kjadm.core.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.NamespaceableResource;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kjadm.core.error.Causes;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.net.Deadline;

import java.net.http.HttpTimeoutException;
import java.security.SignatureException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import javax.net.ssl.SSLException;

/** {@link KubeApi} on the fabric8 client; its failures are translated here and nowhere else. */
final class Fabric8Api implements KubeApi {

    /**
     * A balancer may still lead to an API server that hangs, as one does whose etcd is down. A read
     * that has no answer by then is sent once more, on another connection and with the whole limit.
     */
    private static final Duration FIRST_TRY = Duration.ofSeconds(3);

    private static final int UNAUTHORIZED = 401;

    private final KubernetesClient client;
    private final Duration limit;
    private final Optional<PluginSession> plugin;

    /**
     * @param limit for a call as a whole, from the connection to the end of the answer
     * @param plugin which may take its time before a call, as for a person's log-in
     */
    Fabric8Api(KubernetesClient client, Duration limit, Optional<PluginSession> plugin) {
        this.client = client;
        this.limit = limit;
        this.plugin = plugin;
    }

    @Override
    public <T extends HasMetadata> Optional<T> get(Class<T> type, String namespace, String name) {
        return Optional.ofNullable(
                read(from -> resource(from, type, namespace, name).get()));
    }

    @Override
    public <T extends HasMetadata> List<T> list(
            Class<T> type, String namespace, Map<String, String> labels) {
        return read(from -> {
            var all = from.resources(type);
            return namespace.isEmpty()
                    ? all.withLabels(labels).list().getItems()
                    : all.inNamespace(namespace).withLabels(labels).list().getItems();
        });
    }

    @Override
    public <T extends HasMetadata> T create(T object) {
        return translated(true, () -> named(object).create());
    }

    @Override
    public <T extends HasMetadata> T replace(T object) {
        return translated(false, () -> named(object).update());
    }

    @Override
    public <T extends HasMetadata> T patch(
            Class<T> type, String namespace, String name, UnaryOperator<T> change) {
        var resource = resource(client, type, namespace, name);
        T changed = change.apply(translated(false, resource::require));
        return translated(
                false, () -> resource.patch(PatchContext.of(PatchType.STRATEGIC_MERGE), changed));
    }

    @Override
    public <T extends HasMetadata> void delete(Class<T> type, String namespace, String name) {
        translated(false, () -> resource(client, type, namespace, name).delete());
    }

    @Override
    public String raw(String path) {
        return translated(false, () -> client.raw(path));
    }

    @Override
    public void close() {
        client.close();
    }

    private <T extends HasMetadata> NamespaceableResource<T> named(T object) {
        return client.resource(object);
    }

    private static <T extends HasMetadata> Resource<T> resource(
            KubernetesClient client, Class<T> type, String namespace, String name) {
        var all = client.resources(type);
        return namespace.isEmpty()
                ? all.withName(name)
                : all.inNamespace(namespace).withName(name);
    }

    private <A> A read(Function<KubernetesClient, A> request) {
        var impatient = new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
                .withRequestTimeout((int) FIRST_TRY.toMillis())
                .build();
        try {
            return translated(
                    false,
                    () -> client.adapt(NamespacedKubernetesClient.class)
                            .withRequestConfig(impatient)
                            .call(request::apply));
        } catch (KubeApiException e) {
            if (!timedOut(e)) {
                throw e;
            }
            return translated(false, () -> request.apply(client));
        }
    }

    private static boolean timedOut(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof HttpTimeoutException || cause instanceof TimeoutException) {
                return true;
            }
        }
        return false;
    }

    private <A> A translated(boolean creating, Supplier<A> call) {
        plugin.ifPresent(PluginSession::current);
        try {
            return Deadline.within(limit, call::get);
        } catch (TimeoutException e) {
            throw new KubeApiException(
                    Kind.UNREACHABLE,
                    "no complete answer within %d s".formatted(limit.toSeconds()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KubeApiException(Kind.UNREACHABLE, Causes.words(e), e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KubernetesClientException answer
                    && answer.getCode() == UNAUTHORIZED) {
                plugin.ifPresent(PluginSession::refused);
            }
            throw translated(creating, e.getCause());
        }
    }

    static RuntimeException translated(boolean creating, Throwable failure) {
        return switch (failure) {
            case KubernetesClientException e ->
                new KubeApiException(kind(e, creating), reason(e), e);
            case RuntimeException e ->
                e.getCause() instanceof java.io.IOException io
                        ? new KubeApiException(ioKind(io), io.toString(), e)
                        : e;
            case Error e -> throw e;
            default -> new IllegalStateException(failure);
        };
    }

    private static Kind kind(KubernetesClientException e, boolean creating) {
        // with an answer of the server there is a status; without one, only what the connection met
        if (e.getStatus() == null && causedByConnection(e)) {
            return ioKind(e);
        }
        return switch (e.getCode()) {
            case 404 -> Kind.NOT_FOUND;
            case 409 -> creating ? Kind.ALREADY_EXISTS : Kind.CONFLICT;
            case 401, 403 -> Kind.FORBIDDEN;
            case 422 -> Kind.INVALID;
            case 429 -> Kind.UNAVAILABLE;
            case 0 -> ioKind(e);
            default -> e.getCode() >= 500 ? Kind.UNAVAILABLE : Kind.OTHER;
        };
    }

    private static boolean causedByConnection(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            // fabric8 waits as long as the client does, and may be the first to give up
            if (cause instanceof java.io.IOException || cause instanceof TimeoutException) {
                return true;
            }
        }
        return false;
    }

    private static Kind ioKind(Throwable e) {
        boolean distrusted = false;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (untimely(cause)) {
                return Kind.UNTIMELY;
            }
            // a handshake cut off by a starting server is an SSLException too, but not one about
            // trust
            distrusted |= cause instanceof java.security.cert.CertificateException
                    || cause instanceof CertPathValidatorException
                    || (cause instanceof SSLException
                            && String.valueOf(cause.getMessage()).contains("PKIX"));
        }
        return distrusted ? Kind.UNTRUSTED : Kind.UNREACHABLE;
    }

    private static boolean untimely(Throwable cause) {
        return cause instanceof CertificateNotYetValidException
                || cause instanceof CertificateExpiredException;
    }

    private static String reason(KubernetesClientException e) {
        if (e.getStatus() != null && e.getStatus().getMessage() != null) {
            return e.getStatus().getMessage();
        }
        Throwable root = e;
        while (root.getCause() != null) {
            if (root instanceof java.net.ConnectException) {
                return "the connection was refused or lost";
            }
            root = root.getCause();
        }
        if (root instanceof java.nio.channels.UnresolvedAddressException) {
            return "the server's name cannot be resolved";
        }
        if (untimely(root)) {
            return "its certificate is not valid by this machine's clock, which says %s: %s"
                    .formatted(Instant.now().truncatedTo(ChronoUnit.SECONDS), root.getMessage());
        }
        if (ioKind(e) == Kind.UNTRUSTED) {
            boolean unsigned = root instanceof CertPathBuilderException
                    || root instanceof CertPathValidatorException
                    || root instanceof SignatureException;
            return unsigned
                    ? "its certificate is not signed by a CA that is trusted for it"
                    : Causes.words(root);
        }
        return root == e ? String.valueOf(e.getMessage()) : root.toString();
    }
}
