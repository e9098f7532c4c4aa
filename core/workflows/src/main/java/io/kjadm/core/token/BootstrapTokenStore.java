package io.kjadm.core.token;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretList;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.BootstrapTokenSecret;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The bootstrap tokens of a cluster. Making one is repeated while the API server cannot answer, as
 * in every workflow; reading and removing is tried once, as somebody is waiting for it.
 */
public final class BootstrapTokenStore {

    /**
     * The server chooses those of the type: others can be many and large, and none of this
     * program's business.
     */
    static final String LIST = "/api/v1/namespaces/%s/secrets?fieldSelector=type%%3D%s"
            .formatted(
                    KubeSystem.NAMESPACE,
                    URLEncoder.encode(BootstrapTokenSecret.TYPE, StandardCharsets.UTF_8));

    /** What to do about a token that is to be removed and is not there. */
    public enum Absent {
        /** Fail. */
        REFUSED,
        /** Go on: nobody can tell what will be there when a dry run comes true. */
        PASSED_OVER
    }

    private final KubeApi api;
    private final KubeCalls calls;

    public BootstrapTokenStore(KubeApi api, KubeCalls calls) {
        this.api = api;
        this.calls = calls;
    }

    /**
     * Makes a token.
     *
     * @throws ClusterException if there is one with this id; it is left as it is
     */
    public void create(BootstrapTokenSecret token) {
        AtomicBoolean sent = new AtomicBoolean();
        calls.run("token", "create bootstrap token " + token.id(), () -> {
            Optional<Secret> there = find(token.id());
            if (there.isEmpty()) {
                sent.set(true);
                send(token);
            } else if (!sent.get() || !isMine(there.get(), token)) {
                throw exists(token.id());
            }
            // else the answer of the attempt before was lost, but not the request
        });
    }

    /**
     * All tokens, by id.
     *
     * @param warnings takes a sentence about each Secret that cannot be read as a token; it is left
     *         out
     */
    public List<BootstrapTokenSecret> list(Consumer<String> warnings) {
        List<BootstrapTokenSecret> tokens = new ArrayList<>();
        for (Secret secret : secrets(once("list bootstrap tokens", () -> api.raw(LIST)))) {
            if (BootstrapTokenSecret.TYPE.equals(secret.getType())) {
                read(secret, warnings).ifPresent(tokens::add);
            }
        }
        tokens.sort(Comparator.comparing(BootstrapTokenSecret::id));
        return tokens;
    }

    /** None if a dry run finds nobody to ask: then the answer is no list. */
    private static List<Secret> secrets(String answer) {
        try {
            return ManifestYaml.read(answer) instanceof Map<?, ?>
                    ? ManifestYaml.read(answer, SecretList.class).getItems()
                    : List.of();
        } catch (ManifestException e) {
            throw new ClusterException(
                    "could not list bootstrap tokens",
                    "the API server's answer is not a list of Secrets: " + e.getMessage(),
                    "check that the kubeconfig names the API server",
                    e);
        }
    }

    /** Removes a token; who joined with it stays. */
    public void delete(TokenId id, Absent absent) {
        String what = "delete bootstrap token " + id.text();
        if (absent == Absent.REFUSED && once(what, () -> find(id.text())).isEmpty()) {
            throw new ClusterException(
                    "could not " + what, "there is no token with this id", "see kjadm token list");
        }
        once(what, () -> {
            api.delete(
                    Secret.class, KubeSystem.NAMESPACE, BootstrapTokenSecret.secretName(id.text()));
            return id;
        });
    }

    private Optional<Secret> find(String id) {
        return api.get(Secret.class, KubeSystem.NAMESPACE, BootstrapTokenSecret.secretName(id));
    }

    private void send(BootstrapTokenSecret token) {
        try {
            api.create(token.toSecret());
        } catch (KubeApiException e) {
            if (e.kind() == KubeApiException.Kind.ALREADY_EXISTS) {
                throw exists(token.id());
            }
            throw e;
        }
    }

    private static boolean isMine(Secret there, BootstrapTokenSecret token) {
        return token.toSecret().getData().equals(there.getData());
    }

    private static Optional<BootstrapTokenSecret> read(Secret secret, Consumer<String> warnings) {
        try {
            return Optional.of(BootstrapTokenSecret.from(secret));
        } catch (ManifestException e) {
            warnings.accept("Secret %s is left out: %s"
                    .formatted(secret.getMetadata().getName(), e.getMessage()));
            return Optional.empty();
        }
    }

    private static ClusterException exists(String id) {
        return new ClusterException(
                CommonReason.EXISTS,
                "could not create bootstrap token " + id,
                "a token with this id exists",
                "choose another token, or delete that one first");
    }

    private static <T> T once(String what, Supplier<T> request) {
        try {
            return request.get();
        } catch (KubeApiException e) {
            throw new ClusterException("could not " + what, why(e), next(e), e);
        }
    }

    private static String why(KubeApiException e) {
        return switch (e.kind()) {
            case UNREACHABLE -> "the API server does not answer: " + e.getMessage();
            case UNTRUSTED, UNTIMELY -> "the API server is not trusted: " + e.getMessage();
            case NOT_FOUND, ALREADY_EXISTS, CONFLICT, FORBIDDEN, INVALID, UNAVAILABLE, OTHER ->
                "the API server refuses: " + e.getMessage();
        };
    }

    private static String next(KubeApiException e) {
        return switch (e.kind()) {
            case UNREACHABLE, UNAVAILABLE ->
                "check that the API server is healthy and reachable, then run the command again";
            case UNTRUSTED ->
                "check server, CA and tls-server-name in the kubeconfig; without a CA those of this machine are used";
            case FORBIDDEN -> "check that the kubeconfig is the right one";
            case UNTIMELY -> KubeApiException.COMPARE_CLOCKS;
            case NOT_FOUND, ALREADY_EXISTS, CONFLICT, INVALID, OTHER ->
                "see the API server's log for the request";
        };
    }
}
