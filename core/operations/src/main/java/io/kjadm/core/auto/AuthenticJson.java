package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.JsonInput;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;

/**
 * JSON that a holder of the token has written: a line with the object, and one with the sum (HMAC) of
 * its key in the store and that line. The bytes of the first line count, so nothing is written in a
 * canonical form.
 */
final class AuthenticJson {

    static final int LIMIT = 64 * 1024;

    private static final String VERSION = "v";
    private static final int KNOWN = 1;
    private static final String PURPOSE = "kjadm-auto-1\n";
    private static final String MAC = "mac";

    private final AutoToken token;

    AuthenticJson(AutoToken token) {
        this.token = token;
    }

    /** An object of this version. */
    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode().put(VERSION, KNOWN);
    }

    /** Whether an object is of another version. */
    static boolean isNewer(JsonNode node) {
        return node.path(VERSION).asInt(0) != KNOWN;
    }

    byte[] write(String key, ObjectNode object) {
        String line = object.toString();
        String mac = Base64.getEncoder().encodeToString(mac(key, line));
        byte[] bytes =
                "%s\n{\"mac\":\"%s\"}\n".formatted(line, mac).getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LIMIT) {
            throw new IllegalArgumentException("%d bytes for %s".formatted(bytes.length, key));
        }
        return bytes;
    }

    /** The object, if a holder of the token has written it under that key. */
    Optional<JsonNode> read(String key, byte[] bytes) {
        if (bytes.length > LIMIT) {
            return Optional.empty();
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        if (end < 0) {
            return Optional.empty();
        }
        String line = text.substring(0, end);
        try {
            byte[] told = Base64.getDecoder()
                    .decode(JsonInput.tree(text.substring(end + 1)).path(MAC).asText());
            return MessageDigest.isEqual(told, mac(key, line))
                    ? Optional.of(JsonInput.tree(line))
                    : Optional.empty();
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private byte[] mac(String key, String line) {
        return token.mac(PURPOSE + key + "\n" + line);
    }
}
