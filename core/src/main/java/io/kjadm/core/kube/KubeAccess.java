package io.kjadm.core.kube;

import java.net.URI;
import java.util.Objects;
import java.util.Optional;

/**
 * How to reach an API server and as whom.
 *
 * @param server     {@code https://host:port}
 * @param caPem      CA bundle the server must verify against; without one the CAs of the system do,
 *                   and for nobody's requests, which give nothing away, the server is not verified
 * @param credential who is asking
 */
public record KubeAccess(URI server, Optional<String> caPem, Credential credential) {

    public KubeAccess {
        Objects.requireNonNull(server);
        Objects.requireNonNull(caPem);
        Objects.requireNonNull(credential);
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
        return new KubeAccess(other, caPem, credential);
    }
}
