package io.kjadm.core.host;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

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
}
