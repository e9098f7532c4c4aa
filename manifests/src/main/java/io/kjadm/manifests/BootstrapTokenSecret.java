package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A bootstrap token as its Secret in {@code kube-system} keeps it.
 *
 * @param description empty for none
 * @param expiration whole seconds; empty for a token that never expires
 * @param usages among them {@code signing} and {@code authentication}, sorted; a token without any
 *        is good for nothing but to expire
 * @param groups the extra groups of who authenticates with it
 */
public record BootstrapTokenSecret(
        String id,
        String secret,
        String description,
        Optional<Instant> expiration,
        List<String> usages,
        List<String> groups) {

    /** The type of such Secrets, by which they are selected. */
    public static final String TYPE = "bootstrap.kubernetes.io/token";
    /** All such Secrets are named by it and the token's id. */
    public static final String NAME_PREFIX = "bootstrap-token-";

    private static final String USAGE_PREFIX = "usage-bootstrap-";
    private static final Pattern ID = Pattern.compile("[a-z0-9]{6}");
    private static final Pattern SECRET = Pattern.compile("[a-z0-9]{16}");

    public BootstrapTokenSecret {
        if (!ID.matcher(id).matches() || !SECRET.matcher(secret).matches()) {
            throw new ManifestException(
                    "not a bootstrap token: id and secret have to be 6 and 16 characters of a-z0-9");
        }
        Objects.requireNonNull(description, "description");
        expiration = expiration.map(instant -> instant.truncatedTo(ChronoUnit.SECONDS));
        usages = usages.stream().sorted().distinct().toList();
        groups = List.copyOf(groups);
    }

    /** The name of the Secret of the token with this id. */
    public static String secretName(String id) {
        return NAME_PREFIX + id;
    }

    /** The object to write. */
    public Secret toSecret() {
        var data = new TreeMap<String, String>();
        put(data, "token-id", id);
        put(data, "token-secret", secret);
        if (!description.isEmpty()) {
            put(data, "description", description);
        }
        expiration.ifPresent(instant -> put(data, "expiration", instant.toString()));
        usages.forEach(usage -> put(data, USAGE_PREFIX + usage, "true"));
        if (!groups.isEmpty()) {
            put(data, "auth-extra-groups", String.join(",", groups));
        }
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(KubeSystem.NAMESPACE)
                .withName(secretName(id))
                .endMetadata()
                .withType(TYPE)
                .withData(data)
                .build();
    }

    /**
     * Reads the token back. A usage counts only if its value is {@code true}.
     *
     * @throws ManifestException if the Secret is not named by the id in it, or a part is missing or
     *        malformed
     */
    public static BootstrapTokenSecret from(Secret object) {
        Map<String, String> data = object.getData() == null ? Map.of() : object.getData();
        String name = object.getMetadata().getName();
        String id = text(data, "token-id", name);
        if (!name.equals(secretName(id))) {
            throw new ManifestException(
                    "Secret %s has to be named %s after its token".formatted(name, secretName(id)));
        }
        List<String> usages = data.keySet().stream()
                .filter(key ->
                        key.startsWith(USAGE_PREFIX) && text(data, key, name).equals("true"))
                .map(key -> key.substring(USAGE_PREFIX.length()))
                .toList();
        String groups = text(data, "auth-extra-groups", name);
        return new BootstrapTokenSecret(
                id,
                text(data, "token-secret", name),
                text(data, "description", name),
                expiration(text(data, "expiration", name), name),
                usages,
                groups.isEmpty() ? List.of() : List.of(groups.split(",")));
    }

    @Override
    public String toString() {
        return "BootstrapTokenSecret[" + id + ".<hidden>]";
    }

    private static Optional<Instant> expiration(String text, String name) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            throw new ManifestException(
                    "Secret %s has an expiration that is not an RFC 3339 time: %s"
                            .formatted(name, text),
                    e);
        }
    }

    private static void put(Map<String, String> data, String key, String value) {
        data.put(key, Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(Map<String, String> data, String key, String name) {
        String value = data.get(key);
        if (value == null) {
            return "";
        }
        try {
            return new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new ManifestException("Secret %s: %s is not base64".formatted(name, key), e);
        }
    }
}
