package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;

import java.io.UncheckedIOException;

/** Trees from text and back. */
final class Json {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private Json() {}

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static ObjectNode parse(String text) {
        return read(JSON, text);
    }

    static ObjectNode parseYaml(String text) {
        return read(YAML, text);
    }

    static String text(JsonNode node) {
        return node.toString();
    }

    private static ObjectNode read(ObjectMapper mapper, String text) {
        try {
            return mapper.readTree(text) instanceof ObjectNode object ? object : object();
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
