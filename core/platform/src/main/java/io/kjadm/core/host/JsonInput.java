package io.kjadm.core.host;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.util.stream.Collectors;

/**
 * Reads JSON that came from elsewhere. An object of three bytes takes a hundred in memory, so what
 * has more values than any file of this program is refused before it takes too much.
 */
public final class JsonInput {

    private static final int MOST_TOKENS = 50_000;
    private static final int DEEPEST = 50;

    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxTokenCount(MOST_TOKENS)
                    .maxNestingDepth(DEEPEST)
                    .build())
            .build());

    private JsonInput() {}

    /**
     * Reads a text.
     *
     * @throws JsonProcessingException if it is not JSON, or too much of it
     */
    public static JsonNode tree(String text) throws JsonProcessingException {
        return JSON.readTree(text);
    }

    /**
     * What is wrong with a text, in words for an operator: Jackson's own name classes of this
     * program.
     */
    public static String fault(JsonProcessingException failure) {
        if (failure instanceof JsonMappingException mapping
                && !mapping.getPath().isEmpty()) {
            return "its field %s is missing, or has a value that it cannot have"
                    .formatted(mapping.getPath().stream()
                            .map(JsonInput::name)
                            .collect(Collectors.joining(".")));
        }
        return switch (failure) {
            case StreamConstraintsException _ ->
                "it has more values or levels than a file that kjadm writes";
            case StreamReadException torn
            when torn.getLocation() != null ->
                "it is not valid JSON (line %d, column %d)"
                        .formatted(
                                torn.getLocation().getLineNr(),
                                torn.getLocation().getColumnNr());
            default -> "it does not have the form that kjadm writes";
        };
    }

    private static String name(JsonMappingException.Reference step) {
        return step.getFieldName() == null ? String.valueOf(step.getIndex()) : step.getFieldName();
    }
}
