package io.kjadm.core.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.core.timing.Span.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

class TimingsFileTest {

    private static Span span(Kind kind, String name, int begin, int end, String answer) {
        return new Span(
                kind, name, "main", Duration.ofMillis(begin), Duration.ofMillis(end), answer);
    }

    private static JsonNode file(Span... spans) throws JsonProcessingException {
        String text = TimingsFile.text(Map.of("command", "join"), List.of(spans));
        assertTrue(text.endsWith("}\n"), text);
        return new ObjectMapper().readTree(text);
    }

    @Test
    void spanIsWrittenWithSeconds() throws JsonProcessingException {
        JsonNode read = file(span(Kind.WAIT, "a turn", 1500, 2750, "cp-2 has it"));
        assertEquals("join", read.path("command").asText());
        assertEquals(new ObjectMapper().readTree("""
                [{"kind": "wait", "name": "a turn", "thread": "main", "begin": 1.5, "end": 2.75,
                  "answer": "cp-2 has it"}]"""), read.path("spans"));
    }

    @Test
    void whereThereIsNoAnswerNoneIsWritten() throws JsonProcessingException {
        assertTrue(file(span(Kind.CALL, "etcd members", 0, 1, ""))
                .path("spans")
                .path(0)
                .path("answer")
                .isMissingNode());
    }

    @Test
    void spansAreInTheOrderInWhichTheyBeganTheOuterFirst() throws JsonProcessingException {
        JsonNode read = file(
                span(Kind.CALL, "inner", 10, 20, ""),
                span(Kind.PHASE, "outer", 10, 90, ""),
                span(Kind.START, "start", 0, 10, ""));
        assertEquals(
                List.of("start", "outer", "inner"), read.path("spans").findValuesAsText("name"));
    }
}
