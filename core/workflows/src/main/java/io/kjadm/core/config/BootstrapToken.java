package io.kjadm.core.config;

import io.kjadm.manifests.BootstrapTokenSecret;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A join credential.
 *
 * @param token {@code id.secret}; empty until one was made up
 * @param ttl how long it lives; zero means for ever
 * @param expires when it ends, instead of {@code ttl}
 */
public record BootstrapToken(
        String token,
        Optional<String> description,
        Optional<Duration> ttl,
        Optional<Instant> expires,
        List<String> usages,
        List<String> groups) {

    public static final String USAGE_SIGNING = "signing";
    public static final String USAGE_AUTHENTICATION = "authentication";
    public static final Duration DEFAULT_TTL = Duration.ofHours(24);
    public static final List<String> DEFAULT_USAGES = List.of(USAGE_SIGNING, USAGE_AUTHENTICATION);
    public static final List<String> DEFAULT_GROUPS =
            List.of("system:bootstrappers:kubeadm:default-node-token");

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final Pattern SHAPE = Pattern.compile("([a-z0-9]{6})\\.([a-z0-9]{16})");

    public BootstrapToken {
        usages = List.copyOf(usages);
        groups = List.copyOf(groups);
    }

    /** A token in which nothing was chosen, without its text. */
    public static BootstrapToken defaults() {
        return new BootstrapToken(
                "",
                Optional.empty(),
                Optional.of(DEFAULT_TTL),
                Optional.empty(),
                DEFAULT_USAGES,
                DEFAULT_GROUPS);
    }

    /** The text of a new token, {@code id.secret}, out of the system's secure random numbers. */
    public static String randomText() {
        SecureRandom random = new SecureRandom();
        return letters(random, 6) + "." + letters(random, 16);
    }

    private static String letters(SecureRandom random, int length) {
        return random.ints(length, 0, LETTERS.length())
                .mapToObj(index -> LETTERS.substring(index, index + 1))
                .collect(Collectors.joining());
    }

    /** Whether a text has the shape of a token. */
    public static boolean isToken(String text) {
        return SHAPE.matcher(text).matches();
    }

    /** The public half. */
    public String id() {
        return token.substring(0, token.indexOf('.'));
    }

    /** The secret half. */
    public String secret() {
        return token.substring(token.indexOf('.') + 1);
    }

    public BootstrapToken withToken(String text) {
        return new BootstrapToken(text, description, ttl, expires, usages, groups);
    }

    /** This token if it has a text, else the same with a new one. */
    BootstrapToken withTextIfMissing() {
        return token.isEmpty() ? withToken(randomText()) : this;
    }

    /** The object that the cluster keeps; a lifetime starts now. */
    public BootstrapTokenSecret asSecret(Instant now) {
        return new BootstrapTokenSecret(
                id(),
                secret(),
                description.orElse(""),
                endsAt(now).map(end -> end.truncatedTo(ChronoUnit.SECONDS)),
                usages.stream().sorted().toList(),
                groups);
    }

    /** The instant the token ends if it is made at {@code now}; nothing if it never does. */
    public Optional<Instant> endsAt(Instant now) {
        return expires.or(() -> ttl.filter(life -> !life.isZero()).map(now::plus));
    }

    /** Shows the public half only. */
    @Override
    public String toString() {
        return "BootstrapToken[%s.***, usages=%s, groups=%s]"
                .formatted(isToken(token) ? id() : "", usages, groups);
    }
}
