package io.kjadm.core.kube;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.manifests.ExecPlugin;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The object that a credential plugin is told and the one that it answers, both of kind
 * {@code ExecCredential}.
 *
 * @param token       a bearer token
 * @param certificate a client certificate and its key; it may come besides the token
 * @param expires     when the two do; empty if they last for this run
 */
record ExecCredential(
        Optional<Credential.Token> token,
        Optional<Credential.ClientCertificate> certificate,
        Optional<Instant> expires) {

    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    /** What a plugin is told. */
    static String request(Credential.Plugin credential, KubeAccess access, boolean interactive) {
        ExecPlugin plugin = credential.plugin();
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("interactive", interactive);
        if (plugin.provideClusterInfo()) {
            spec.put("cluster", cluster(credential, access));
        }
        return JSON.asJson(
                Map.of("apiVersion", plugin.apiVersion(), "kind", "ExecCredential", "spec", spec));
    }

    private static Map<String, Object> cluster(Credential.Plugin credential, KubeAccess access) {
        Map<String, Object> cluster = new LinkedHashMap<>();
        cluster.put("server", access.server().toString());
        access.tlsServerName().ifPresent(name -> cluster.put("tls-server-name", name));
        if (access.trust() instanceof ServerTrust.Skipped) {
            cluster.put("insecure-skip-tls-verify", true);
        }
        access.pinnedCa()
                .ifPresent(ca -> cluster.put(
                        "certificate-authority-data",
                        Base64.getEncoder().encodeToString(ca.getBytes(StandardCharsets.UTF_8))));
        access.proxyUrl().ifPresent(url -> cluster.put("proxy-url", url));
        credential.clusterConfig().ifPresent(config -> cluster.put("config", config));
        return cluster;
    }

    /** What a plugin answered; no refusal repeats a part of it. */
    static ExecCredential parse(String json, ExecPlugin plugin) {
        Map<?, ?> answer = object(json, plugin);
        if (!"ExecCredential".equals(answer.get("kind"))
                || !plugin.apiVersion().equals(answer.get("apiVersion"))) {
            throw CredentialPlugin.failure(
                    plugin, "its answer is not an ExecCredential of " + plugin.apiVersion());
        }
        if (!(answer.get("status") instanceof Map<?, ?> status)) {
            throw CredentialPlugin.failure(plugin, "its answer has no status");
        }
        Optional<String> certificate = text(status, "clientCertificateData");
        Optional<String> key = text(status, "clientKeyData");
        Optional<String> token = text(status, "token");
        if (certificate.isPresent() != key.isPresent()) {
            throw CredentialPlugin.failure(
                    plugin,
                    "its answer has one of clientCertificateData and clientKeyData, not both");
        }
        if (certificate.isEmpty() && token.isEmpty()) {
            throw CredentialPlugin.failure(
                    plugin, "its answer has neither a token nor a client certificate");
        }
        if (token.isPresent() && !Credential.Token.isUsable(token.get())) {
            throw CredentialPlugin.failure(
                    plugin,
                    "its token has a character that is not allowed in a header, such as a line break");
        }
        return new ExecCredential(
                token.map(Credential.Token::new),
                certificate.map(pem -> new Credential.ClientCertificate(pem, key.get())),
                text(status, "expirationTimestamp").map(time -> instant(time, plugin)));
    }

    private static Map<?, ?> object(String json, ExecPlugin plugin) {
        try {
            return JSON.unmarshal(json, Map.class);
        } catch (RuntimeException e) {
            // its message quotes the text
            throw CredentialPlugin.failure(plugin, "its answer is not JSON");
        }
    }

    private static Instant instant(String time, ExecPlugin plugin) {
        try {
            return Instant.parse(time);
        } catch (DateTimeParseException e) {
            throw CredentialPlugin.failure(
                    plugin, "expirationTimestamp in its answer is not a time");
        }
    }

    private static Optional<String> text(Map<?, ?> object, String field) {
        return Optional.ofNullable(object.get(field))
                .map(String::valueOf)
                .filter(text -> !text.isEmpty());
    }

    @Override
    public String toString() {
        return "ExecCredential[withheld]";
    }
}
