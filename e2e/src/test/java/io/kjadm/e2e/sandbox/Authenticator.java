package io.kjadm.e2e.sandbox;

import com.sun.net.httpserver.HttpsExchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Finds out who calls: by client certificate, or by bootstrap token. */
final class Authenticator {
    private final EtcdStore store;

    Authenticator(EtcdStore store) {
        this.store = store;
    }

    /** The caller; empty if a credential was shown that is not valid. */
    Optional<Caller> of(HttpsExchange exchange) throws IOException {
        var header = exchange.getRequestHeaders().getFirst("Authorization");
        if (header != null && header.startsWith("Bearer ")) {
            return bootstrapToken(header.substring("Bearer ".length()).strip());
        }
        try {
            var certificate = (X509Certificate) exchange.getSSLSession().getPeerCertificates()[0];
            return Optional.of(subject(certificate));
        } catch (SSLPeerUnverifiedException none) {
            return Optional.of(Caller.ANONYMOUS);
        }
    }

    private static Caller subject(X509Certificate certificate) {
        try {
            var name = new LdapName(certificate.getSubjectX500Principal().getName());
            var user = name.getRdns().stream()
                    .filter(part -> part.getType().equalsIgnoreCase("CN"))
                    .map(part -> part.getValue().toString())
                    .findFirst()
                    .orElse("");
            var groups = name.getRdns().stream()
                    .filter(part -> part.getType().equalsIgnoreCase("O"))
                    .map(part -> part.getValue().toString());
            return new Caller(
                    user,
                    Stream.concat(groups, Stream.of("system:authenticated")).toList());
        } catch (InvalidNameException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private Optional<Caller> bootstrapToken(String token) throws IOException {
        var parts = token.split("\\.");
        if (parts.length != 2) {
            return Optional.empty();
        }
        var found = store.get("/registry/core/secrets/kube-system/bootstrap-token-" + parts[0]);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var data = found.get().path("data");
        var expiration = text(data.path("expiration").asText());
        if (!text(data.path("token-secret").asText()).equals(parts[1])
                || !text(data.path("usage-bootstrap-authentication").asText()).equals("true")
                || !expiration.isEmpty() && Instant.parse(expiration).isBefore(Instant.now())) {
            return Optional.empty();
        }
        var groups = new ArrayList<>(List.of("system:bootstrappers", "system:authenticated"));
        Stream.of(text(data.path("auth-extra-groups").asText()).split(","))
                .filter(group -> !group.isBlank())
                .forEach(groups::add);
        return Optional.of(new Caller("system:bootstrap:" + parts[0], groups));
    }

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }
}
