package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.JsonInput;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.VerifyKey;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;

/**
 * JSON that a holder of the token has written: a line with the object, and one with the sum (HMAC) of
 * its key in the store and that line. The bytes of the first line count, so nothing is written in a
 * canonical form. What an operator has said carries a signature of the first line besides.
 */
final class AuthenticJson {

    static final int LIMIT = 64 * 1024;

    private static final String VERSION = "v";
    private static final int KNOWN = 1;
    private static final String PURPOSE = "kjadm-auto-1\n";
    private static final String OPERATOR = "kjadm-auto-operator-1\n";
    private static final String MAC = "mac";
    private static final String SIGNATURE = "sig";

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
        return write(key, object, Optional.empty());
    }

    /** @param operator who signs it; empty if nobody does */
    byte[] write(String key, ObjectNode object, Optional<SigningKey> operator) {
        String line = object.toString();
        ObjectNode proof = JsonNodeFactory.instance.objectNode();
        proof.put(MAC, Base64.getEncoder().encodeToString(mac(key, line)));
        operator.ifPresent(it ->
                proof.put(SIGNATURE, Base64.getEncoder().encodeToString(it.sign(signed(line)))));
        byte[] bytes = "%s\n%s\n".formatted(line, proof).getBytes(StandardCharsets.UTF_8);
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

    /** Whether one of the keys has signed what {@link #read} has found to be authentic. */
    static boolean isSigned(byte[] bytes, Collection<VerifyKey> keys) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        try {
            byte[] signature = Base64.getDecoder()
                    .decode(JsonInput.tree(text.substring(end + 1))
                            .path(SIGNATURE)
                            .asText());
            byte[] signed = signed(text.substring(0, end));
            return keys.stream().anyMatch(key -> key.hasSigned(signed, signature));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return false;
        }
    }

    private static byte[] signed(String line) {
        return (OPERATOR + line).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] mac(String key, String line) {
        return token.mac(PURPOSE + key + "\n" + line);
    }
}
