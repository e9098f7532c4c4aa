package io.kjadm.core.kube;

import io.kjadm.core.net.ServerTrust;
import io.kjadm.manifests.ExecPlugin;

import java.net.URI;
import java.util.Objects;
import java.util.Optional;

/**
 * How to reach an API server and as whom.
 *
 * @param server        {@code https://host:port}
 * @param trust         by what the server is verified
 * @param credential    who is asking
 * @param tlsServerName the name its certificate is for, if it is not the URL's
 * @param proxyUrl      the proxy to go through, whatever the environment says
 */
public record KubeAccess(
        URI server,
        ServerTrust trust,
        Credential credential,
        Optional<String> tlsServerName,
        Optional<String> proxyUrl) {

    public KubeAccess {
        Objects.requireNonNull(server);
        Objects.requireNonNull(trust);
        Objects.requireNonNull(credential);
        Objects.requireNonNull(tlsServerName);
        Objects.requireNonNull(proxyUrl);
        if (trust instanceof ServerTrust.FirstLook
                && !(credential instanceof Credential.Anonymous)) {
            throw new IllegalArgumentException("a credential for a server that is not verified");
        }
    }

    /** A server that is reached by its own name and as the environment says. */
    public KubeAccess(URI server, ServerTrust trust, Credential credential) {
        this(server, trust, credential, Optional.empty(), Optional.empty());
    }

    /** Who is asking. */
    public sealed interface Credential {
        /** Nobody: allowed to read {@code cluster-info}. */
        record Anonymous() implements Credential {}

        /** A bootstrap token or another bearer token. */
        record Token(String token) implements Credential {
            public Token {
                if (!isUsable(token)) {
                    throw new IllegalArgumentException(
                            "a token that is empty, or has a character no header may have");
                }
            }

            /** Whether a text can be sent as a token: printable ASCII only. */
            static boolean isUsable(String text) {
                return !text.isEmpty() && text.chars().allMatch(c -> c >= ' ' && c <= '~');
            }

            @Override
            public String toString() {
                return "Token[withheld]";
            }
        }

        /** A client certificate and its key, both PEM. */
        record ClientCertificate(String certificatePem, String keyPem) implements Credential {
            @Override
            public String toString() {
                return "ClientCertificate[withheld]";
            }
        }

        /** A name and a password. */
        record Password(String username, String password) implements Credential {
            @Override
            public String toString() {
                return "Password[withheld]";
            }
        }

        /**
         * What a program says.
         *
         * @param clusterConfig what the cluster's entry has to say to it; empty for nothing
         */
        record Plugin(ExecPlugin plugin, Optional<Object> clusterConfig) implements Credential {}
    }

    /** The same identity at another server, which is reached by its own name. */
    public KubeAccess at(URI other) {
        return new KubeAccess(other, trust, credential);
    }

    /** The CA that alone verifies the server, if it is known. */
    public Optional<String> pinnedCa() {
        return trust instanceof ServerTrust.Pinned(String caPem)
                ? Optional.of(caPem)
                : Optional.empty();
    }

    @Override
    public String toString() {
        return "KubeAccess[server=%s]".formatted(server);
    }
}
