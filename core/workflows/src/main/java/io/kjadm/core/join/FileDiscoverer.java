package io.kjadm.core.join;

import io.kjadm.core.config.FileDiscovery;
import io.kjadm.core.error.Causes;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.net.HttpText;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.ExecPlugin;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.manifests.ManifestException;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the cluster by a kubeconfig, from a file or over HTTPS. */
record FileDiscoverer(
        HostFiles files,
        KubeClients clients,
        Waiter waiter,
        Duration limit,
        Reporter out,
        HttpText downloads) {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration DOWNLOAD_LIMIT = Duration.ofSeconds(30);

    FileDiscoverer(
            HostFiles files, KubeClients clients, Waiter waiter, Duration limit, Reporter out) {
        this(
                files,
                clients,
                waiter,
                limit,
                out,
                HttpText.ofMachine(System.getenv(), DOWNLOAD_LIMIT));
    }

    /**
     * What the kubeconfig says.
     *
     * @param cluster    with its CA embedded, if one is named
     * @param caPem      that CA; without one, that which the verified server publishes
     * @param credential of its user, if it has any
     */
    record Found(
            KubeconfigCluster cluster, String caPem, Optional<KubeAccess.Credential> credential) {}

    /**
     * Reads the kubeconfig and confirms that the server is one of its CA. Without a CA it must be
     * one that this machine trusts. Its credential counts only without a bootstrap token besides.
     */
    Found discover(FileDiscovery way) {
        Path origin = way.isUrl() ? Path.of("/") : Path.of(way.kubeConfigPath());
        try {
            Kubeconfig kubeconfig = Kubeconfig.parse(way.isUrl() ? download(way) : read(origin));
            KubeconfigCluster cluster = kubeconfig.discoveryCluster();
            if (way.isUrl()) {
                requireSelfContained(way, kubeconfig, cluster);
            }
            Optional<String> ca = KubeAccesses.embeddedCa(cluster, origin, files);
            Optional<KubeAccess.Credential> credential = way.tlsBootstrapToken().isPresent()
                    ? Optional.empty()
                    : credential(kubeconfig, origin);
            KubeAccess access = KubeAccesses.of(
                    cluster,
                    credential.orElse(new KubeAccess.Credential.Anonymous()),
                    origin,
                    files);
            boolean skipped = access.trust() instanceof ServerTrust.Skipped;
            if (skipped || !"https".equals(access.server().getScheme())) {
                throw new HostException(
                        "the discovery file %s cannot be used".formatted(way.kubeConfigPath()),
                        "with %s the identity of the cluster cannot be verified"
                                .formatted(
                                        skipped
                                                ? "insecure-skip-tls-verify"
                                                : "a server without TLS"),
                        "give it an https server and the cluster's CA, as certificate-authority-data");
            }
            Optional<KubeconfigCluster> published = confirmed(cluster, access);
            String trusted = ca.or(() -> published.flatMap(KubeconfigCluster::caPem))
                    .orElseThrow(() -> new HostException(
                            "the discovery file names no CA",
                            "the cluster publishes none either",
                            "add certificate-authority-data to it"));
            return new Found(cluster.embedding(ca), trusted, credential);
        } catch (ManifestException e) {
            throw new HostException(
                    "the discovery file %s cannot be used".formatted(way.kubeConfigPath()),
                    e.getMessage(),
                    "give a kubeconfig with the cluster's server and CA",
                    e);
        }
    }

    /** The author of a downloaded file must not decide what root runs and reads on this machine. */
    private static void requireSelfContained(
            FileDiscovery way, Kubeconfig kubeconfig, KubeconfigCluster cluster) {
        List<String> outside = new ArrayList<>();
        cluster.caFile().ifPresent(_ -> outside.add("certificate-authority"));
        if (kubeconfig.currentContext().isPresent()) {
            KubeconfigUser user = kubeconfig.user();
            user.certificateFile().ifPresent(_ -> outside.add("client-certificate"));
            user.keyFile().ifPresent(_ -> outside.add("client-key"));
            user.tokenFile().ifPresent(_ -> outside.add("tokenFile"));
            user.rare().exec().ifPresent(_ -> outside.add("exec"));
        }
        if (!outside.isEmpty()) {
            throw new HostException(
                    "the discovery file %s cannot be used".formatted(way.kubeConfigPath()),
                    "it was downloaded and has %s, which name programs or files of this machine"
                            .formatted(String.join(", ", outside)),
                    "embed certificates, key and token in it, or download it yourself, check it and give its path");
        }
    }

    private String read(Path path) {
        return files.read(path)
                .orElseThrow(() -> new HostException(
                        "there is no discovery file " + path, "", "correct --discovery-file"));
    }

    private Optional<KubeAccess.Credential> credential(Kubeconfig kubeconfig, Path origin) {
        boolean any =
                kubeconfig.currentContext().isPresent() && kubeconfig.user().hasCredentials();
        return any
                ? Optional.of(KubeAccesses.credential(kubeconfig, origin, files))
                : Optional.empty();
    }

    /** The server's own word on itself; a refusal is as good, since TLS has proved who refuses. */
    private Optional<KubeconfigCluster> confirmed(KubeconfigCluster cluster, KubeAccess access) {
        Await await = new Await(
                "discovery",
                "cluster-info from " + access.server(),
                limit,
                INTERVAL,
                "check the server in the discovery file");
        Instant began = waiter.now();
        Optional<Optional<ClusterInfo>> info = waiter.until(await, () -> {
            try {
                return Attempt.done(ClusterInfo.read(clients.as(access)));
            } catch (KubeApiException e) {
                if (e.passing(Duration.between(began, waiter.now()))) {
                    return Attempt.notYet(e.getMessage());
                }
                return switch (e.kind()) {
                    case FORBIDDEN -> {
                        out.warn(
                                "the cluster-info ConfigMap may not be read; the discovery file is used as it is");
                        yield Attempt.done(Optional.empty());
                    }
                    case UNTRUSTED ->
                        throw new ClusterException(
                                CommonReason.NOT_TRUSTED,
                                "the server %s is not trusted".formatted(access.server()),
                                e.getMessage(),
                                access.pinnedCa().isPresent()
                                        ? "check server and CA in the discovery file"
                                        : "add the cluster's CA to the discovery file, as certificate-authority-data",
                                e);
                    case UNTIMELY ->
                        throw new ClusterException(
                                CommonReason.NOT_TRUSTED,
                                "the server %s is not trusted".formatted(access.server()),
                                e.getMessage(),
                                KubeApiException.COMPARE_CLOCKS,
                                e);
                    case NOT_FOUND,
                            ALREADY_EXISTS,
                            CONFLICT,
                            INVALID,
                            UNAVAILABLE,
                            UNREACHABLE,
                            OTHER -> Attempt.notYet(e.getMessage());
                };
            }
        });
        Optional<KubeconfigCluster> published = info.flatMap(found -> found)
                .map(found -> Kubeconfig.parse(found.kubeconfig()).discoveryCluster());
        published
                .filter(other -> !other.server().equals(cluster.server()))
                .ifPresent(other ->
                        out.warn("the cluster calls itself %s; the discovery file's %s is used"
                                .formatted(other.server(), cluster.server())));
        return published;
    }

    private String download(FileDiscovery way) {
        try {
            HttpText.Answer answer = downloads.get(URI.create(way.kubeConfigPath()));
            if (answer.status() != 200) {
                throw new IOException("the server answered " + answer.status());
            }
            return answer.body();
        } catch (IOException e) {
            throw new HostException(
                    "the discovery file %s cannot be fetched".formatted(way.kubeConfigPath()),
                    Causes.words(Causes.root(e)),
                    "check the URL, and that this host trusts the server's certificate",
                    e);
        }
    }

    /** The user entry of a credential. */
    static KubeconfigUser user(KubeAccess.Credential credential) {
        return switch (credential) {
            case KubeAccess.Credential.Token(String token) -> KubeconfigUser.token(token);
            case KubeAccess.Credential.ClientCertificate(String certificate, String key) ->
                KubeconfigUser.certificate(certificate, key);
            case KubeAccess.Credential.Password(String username, String password) ->
                KubeconfigUser.password(new KubeconfigUser.Password(username, password));
            case KubeAccess.Credential.Plugin(ExecPlugin plugin, var config) ->
                KubeconfigUser.exec(plugin);
            case KubeAccess.Credential.Anonymous() ->
                throw new IllegalStateException("an anonymous credential has no user entry");
        };
    }
}
