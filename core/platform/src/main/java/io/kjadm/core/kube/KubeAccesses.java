package io.kjadm.core.kube;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.manifests.ExecPlugin;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads server and identity out of kubeconfigs; files they refer to are read beside them. */
public final class KubeAccesses {

    private KubeAccesses() {}

    /**
     * What the current context names.
     *
     * @param origin where the kubeconfig was read; relative references start there
     * @throws HostException if a file it refers to is missing
     */
    public static KubeAccess of(Kubeconfig kubeconfig, Path origin, HostFiles files) {
        return of(kubeconfig.cluster(), credential(kubeconfig, origin, files), origin, files);
    }

    /** A cluster entry and who asks there. */
    public static KubeAccess of(
            KubeconfigCluster cluster, Credential credential, Path origin, HostFiles files) {
        return new KubeAccess(
                server(cluster.server()),
                trust(cluster, origin, files),
                credential,
                cluster.tlsServerName(),
                cluster.proxyUrl());
    }

    /** As client-go, it may be without a scheme; then it is https here, whatever else is said. */
    private static URI server(String text) {
        try {
            URI server = new URI(text.contains("://") ? text : "https://" + text);
            boolean http = "https".equals(server.getScheme()) || "http".equals(server.getScheme());
            if (http
                    && server.getHost() != null
                    && (server.getPort() == -1 || isPort(server.getPort()))) {
                return server;
            }
        } catch (URISyntaxException e) {
            // told below
        }
        throw new HostException(
                text.isEmpty()
                        ? "the kubeconfig's cluster has no server"
                        : "the server \"%s\" of the kubeconfig's cluster is not an address"
                                .formatted(text),
                "",
                "give it as https://host:port");
    }

    private static boolean isPort(int port) {
        return port > 0 && port < 1 << 16;
    }

    /** The CA of a cluster entry as PEM text, wherever it is kept. */
    public static Optional<String> embeddedCa(
            KubeconfigCluster cluster, Path origin, HostFiles files) {
        return cluster.caPem().or(() -> cluster.caFile().map(file -> read(file, origin, files)));
    }

    /** A CA that is named is the only one; without one, those of the machine verify. */
    private static ServerTrust trust(KubeconfigCluster cluster, Path origin, HostFiles files) {
        Optional<String> ca = embeddedCa(cluster, origin, files);
        if (cluster.insecure() && ca.isPresent()) {
            throw new HostException(
                    "the cluster in %s cannot be used".formatted(origin),
                    "it names a CA, and insecure-skip-tls-verify says not to use any",
                    "remove one of the two; it should not be the CA");
        }
        if (cluster.insecure()) {
            return new ServerTrust.Skipped();
        }
        return ca.<ServerTrust>map(ServerTrust.Pinned::new).orElseGet(ServerTrust.Machine::new);
    }

    /**
     * The credential of the current context's user, by client-go's precedence
     * ({@code tools/clientcmd/client_config.go}).
     *
     * @throws HostException if it is incomplete, contradictory or of a kind that is no more
     */
    public static Credential credential(Kubeconfig kubeconfig, Path origin, HostFiles files) {
        KubeconfigUser user = kubeconfig.user();
        Optional<Credential> found =
                certificate(user, origin, files).or(() -> token(user, origin, files));
        if (user.token().isPresent() && user.rare().password().isPresent()) {
            throw unusable(origin, "there is a token and a password too", "remove one of the two");
        }
        user.rare().authProvider().ifPresent(name -> {
            throw unusable(
                    origin,
                    "auth-provider \"%s\" is one of those that Kubernetes has removed"
                            .formatted(name),
                    "use a kubeconfig with a credential plugin (exec) of the same provider, or admin.conf");
        });
        return found.or(() -> user.rare()
                        .password()
                        .map(both -> new Credential.Password(both.username(), both.password())))
                .or(() -> user.rare()
                        .exec()
                        .map(plugin -> new Credential.Plugin(
                                located(plugin, origin), kubeconfig.execConfig())))
                .orElseGet(Credential.Anonymous::new);
    }

    private static Optional<Credential> certificate(
            KubeconfigUser user, Path origin, HostFiles files) {
        Optional<String> certificate = user.certificatePem()
                .or(() -> user.certificateFile().map(file -> read(file, origin, files)));
        if (certificate.isEmpty()) {
            return Optional.empty();
        }
        String key = user.keyPem()
                .or(() -> user.keyFile().map(file -> read(file, origin, files)))
                .orElseThrow(() -> unusable(
                        origin,
                        "the client certificate has no key",
                        "add client-key or client-key-data"));
        return Optional.of(new Credential.ClientCertificate(certificate.get(), key));
    }

    /** The file is read anew by those who keep it up to date, so that it counts more. */
    private static Optional<Credential> token(KubeconfigUser user, Path origin, HostFiles files) {
        return user.tokenFile()
                .map(file -> read(file, origin, files).strip())
                .or(user::token)
                .map(text -> {
                    if (!Credential.Token.isUsable(text)) {
                        throw unusable(
                                origin,
                                "the token is empty or has a character that is not allowed in a token, such as a line break",
                                "correct token or tokenFile");
                    }
                    return new Credential.Token(text);
                });
    }

    /** As client-go has it: a name is searched for, and a relative path starts at the file. */
    private static ExecPlugin located(ExecPlugin plugin, Path origin) {
        Path parent = origin.getParent();
        return parent == null || !plugin.command().contains("/")
                ? plugin
                : plugin.at(parent.resolve(plugin.command()).toString());
    }

    private static HostException unusable(Path origin, String why, String next) {
        return new HostException(
                "the credentials in %s cannot be used".formatted(origin), why, next);
    }

    private static String read(Path file, Path origin, HostFiles files) {
        Path parent = origin.getParent();
        Path resolved = parent == null ? file : parent.resolve(file);
        return files.read(resolved)
                .orElseThrow(() -> new HostException(
                        "the file %s is missing".formatted(resolved),
                        "kubeconfig %s refers to it".formatted(origin),
                        "restore the file, or use another kubeconfig"));
    }
}
