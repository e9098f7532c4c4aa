package io.kjadm.core.snapshot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.core.host.JsonInput;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * That a snapshot was looked into.
 *
 * @param took   how long it took
 * @param passed whether it stood
 * @param result what was found, for the operator
 */
public record Verification(Level level, Instant at, Duration took, boolean passed, String result) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** How closely, each more than the one before. */
    public enum Level {
        /** The stored bytes are those that were written. */
        SUM,
        /** They are a whole database of etcd's with the revision that was noted. */
        STRUCTURE,
        /** etcd made of it serves what its member held. */
        DRILL;

        /** As it is typed. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The level of a word; empty if it is none. */
        public static Optional<Level> of(String word) {
            return Arrays.stream(values())
                    .filter(level -> level.word().equals(word))
                    .findFirst();
        }

        /** All words, for a message. */
        public static String words() {
            return Arrays.stream(values()).map(Level::word).collect(Collectors.joining(", "));
        }
    }

    String text() {
        return JSON.createObjectNode()
                        .put("level", level.word())
                        .put("at", at.toString())
                        .put("tookMillis", took.toMillis())
                        .put("passed", passed)
                        .put("result", result)
                        .toPrettyString()
                + "\n";
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Verification parse(String text) {
        try {
            JsonNode node = JsonInput.tree(text);
            return new Verification(
                    Level.of(node.path("level").asText())
                            .orElseThrow(() -> new IllegalArgumentException("it has no level")),
                    Instant.parse(node.path("at").asText()),
                    Duration.ofMillis(node.path("tookMillis").asLong()),
                    node.path("passed").asBoolean(),
                    node.path("result").asText());
        } catch (JsonProcessingException | DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
