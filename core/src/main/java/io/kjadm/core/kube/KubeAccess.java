package io.kjadm.core.kube;

import io.kjadm.core.net.ServerTrust;
import java.net.URI;
import java.util.Objects;
import java.util.Optional;

/**
 * How to reach an API server and as whom.
 *
 * @param server     {@code https://host:port}
 * @param trust      by what the server is verified
 * @param credential who is asking
 */
public record KubeAccess(URI server, ServerTrust trust, Credential credential) {

    public KubeAccess {
        Objects.requireNonNull(server);
        Objects.requireNonNull(trust);
        Objects.requireNonNull(credential);
        if (trust instanceof ServerTrust.FirstLook
                && !(credential instanceof Credential.Anonymous)) {
            throw new IllegalArgumentException("a credential for a server that nobody verifies");
        }
    }

    /** Who is asking. */
    public sealed interface Credential {
        /** Nobody: allowed to read {@code cluster-info}. */
        record Anonymous() implements Credential {}

        /** A bootstrap token or another bearer token. */
        record Token(String token) implements Credential {
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
    }

    /** The same identity at another server. */
    public KubeAccess at(URI other) {
        return new KubeAccess(other, trust, credential);
    }

    /** The CA that alone verifies the server, if it is known. */
    public Optional<String> pinnedCa() {
        return trust instanceof ServerTrust.Pinned(String caPem)
                ? Optional.of(caPem) : Optional.empty();
    }
}
