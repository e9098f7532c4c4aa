package io.kjadm.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/**
 * A schema in {@code docs/}, as far as JSON Schema 2020-12 is used there: a keyword that is not known
 * here fails. It remembers which properties of the schema the values had.
 */
public final class JsonSchema {

    /** They say something to people alone. */
    private static final Set<String> ANNOTATIONS =
            Set.of("$schema", "$id", "title", "description", "$defs");

    private final JsonNode root;
    private final Set<String> seen = new TreeSet<>();

    /** Reads a schema of that name. */
    public JsonSchema(String name) throws IOException {
        root = new ObjectMapper().readTree(Path.of("../docs", name).toFile());
    }

    /** What is wrong with a value; nothing if it fits. */
    public List<String> errors(JsonNode value) {
        List<String> errors = new ArrayList<>();
        check(root, value, "", errors);
        return errors;
    }

    /** The values that are allowed at a property, by names with slashes between them. */
    public List<String> allowed(String property) {
        JsonNode at = root;
        for (String name : property.split("/")) {
            at = at.has("items") ? at.path("items") : at;
            at = at.path("properties").path(name);
        }
        return StreamSupport.stream(at.path("enum").spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    /** Properties that no value had so far. */
    public Set<String> unseen() {
        Set<String> all = new TreeSet<>();
        collect(root, "", all);
        all.removeAll(seen);
        return all;
    }

    private static void collect(JsonNode schema, String at, Set<String> all) {
        schema.path("properties").properties().forEach(property -> {
            all.add(at + "/" + property.getKey());
            collect(property.getValue(), at + "/" + property.getKey(), all);
        });
        if (schema.has("items")) {
            collect(schema.path("items"), at, all);
        }
    }

    private void check(JsonNode schema, JsonNode value, String at, List<String> errors) {
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            if (!ANNOTATIONS.contains(keyword.getKey())
                    && !holds(keyword.getKey(), keyword.getValue(), schema, value, at, errors)) {
                errors.add("%s: %s is not %s %s"
                        .formatted(at, value, keyword.getKey(), keyword.getValue()));
            }
        }
    }

    private boolean holds(
            String keyword,
            JsonNode rule,
            JsonNode schema,
            JsonNode value,
            String at,
            List<String> errors) {
        return switch (keyword) {
            case "$ref" -> {
                check(root.at(rule.asText().substring(1)), value, at, errors);
                yield true;
            }
            case "type" -> value.getNodeType().name().equalsIgnoreCase(rule.asText());
            case "const" -> value.equals(rule);
            case "enum" -> StreamSupport.stream(rule.spliterator(), false).anyMatch(value::equals);
            case "required" ->
                StreamSupport.stream(rule.spliterator(), false)
                        .allMatch(name -> value.has(name.asText()));
            case "properties" -> {
                properties(rule, value, at, errors);
                yield true;
            }
            case "additionalProperties" ->
                !rule.asBoolean(true)
                        && value.properties().stream()
                                .allMatch(property ->
                                        schema.path("properties").has(property.getKey()));
            case "items" -> {
                value.forEach(item -> check(rule, item, at, errors));
                yield true;
            }
            case "minItems" -> value.size() >= rule.asInt();
            case "minimum" -> value.asDouble() >= rule.asDouble();
            case "minLength" -> value.asText().length() >= rule.asInt();
            case "pattern" ->
                java.util.regex.Pattern.compile(rule.asText())
                        .matcher(value.asText())
                        .find();
            case "format" ->
                rule.asText().equals("date-time")
                        && Instant.parse(value.asText()).isAfter(Instant.EPOCH);
            default -> throw new AssertionError("keyword " + keyword + " is not known");
        };
    }

    private void properties(JsonNode rule, JsonNode value, String at, List<String> errors) {
        rule.properties().forEach(property -> {
            if (value.has(property.getKey())) {
                String place = at + "/" + property.getKey();
                seen.add(place);
                check(property.getValue(), value.path(property.getKey()), place, errors);
            }
        });
    }
}
