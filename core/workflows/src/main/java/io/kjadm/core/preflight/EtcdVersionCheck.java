package io.kjadm.core.preflight;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.error.Causes;
import io.kjadm.core.net.HttpText;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.preflight.machine.HttpGetter;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.KubernetesReleases;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Every server of an external etcd is new enough. */
record EtcdVersionCheck(HttpGetter http, Waiter waiter) {

    /** Semantic versions, so the Kubernetes kind of version orders them as well. */
    private static final KubernetesVersion OLDEST =
            KubernetesVersion.of(KubernetesReleases.KNOWN.newest().oldestExternalEtcd());

    private static final Pattern SERVER = Pattern.compile("\"etcdserver\"\\s*:\\s*\"([^\"]+)\"");
    private static final int RETRIES = 3;
    private static final Duration BETWEEN = Duration.ofSeconds(5);

    static Check of(List<URI> endpoints, HttpGetter http, Waiter waiter) {
        EtcdVersionCheck check = new EtcdVersionCheck(http, waiter);
        return Check.of(
                "ExternalEtcdVersion",
                () -> endpoints.stream().flatMap(check::ask).toList());
    }

    private Stream<Finding> ask(URI endpoint) {
        URI uri = EtcdHttpGetter.at(endpoint, "/version");
        String refusal = "";
        for (int attempt = 0; attempt <= RETRIES; attempt++) {
            if (attempt > 0) {
                waiter.pause("preflight", "%s did not answer: %s".formatted(uri, refusal), BETWEEN);
            }
            try {
                HttpText.Answer answer = http.get(uri);
                if (answer.status() < 500) {
                    return judged(uri, answer);
                }
                refusal = "HTTP status " + answer.status();
            } catch (IOException e) {
                refusal = Causes.words(e);
            }
        }
        return Stream.of(
                Finding.error("cannot ask external etcd at %s: %s".formatted(uri, refusal)));
    }

    private static Stream<Finding> judged(URI uri, HttpText.Answer answer) {
        Matcher server = SERVER.matcher(answer.body());
        Optional<KubernetesVersion> version = answer.status() == 200 && server.find()
                ? KubernetesVersion.parse(server.group(1))
                : Optional.empty();
        if (version.isEmpty()) {
            return Stream.of(
                    Finding.error("external etcd at %s does not report its version (HTTP status %d)"
                            .formatted(uri, answer.status())));
        }
        return Finding.errorIf(
                version.get().compareTo(OLDEST) < 0,
                "external etcd at %s has version %s, at least %s is needed"
                        .formatted(uri, server.group(1), OLDEST.text().substring(1)))
                .stream();
    }
}
