package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;

import org.junit.jupiter.api.Test;

class JsonInputTest {

    private static final String TOO_MUCH =
            "it has more values or levels than a file that kjadm writes";

    @Test
    void whatThisProgramWritesIsRead() throws Exception {
        assertEquals(3, JsonInput.tree("{\"a\": [1, {\"b\": 3}]}").at("/a/1/b").asInt());
    }

    /** Three bytes each, and a hundred in memory. */
    @Test
    void moreValuesThanAnyFileHasAreRefused() {
        assertEquals(TOO_MUCH, fault("[" + "{},".repeat(300_000) + "{}]"));
    }

    @Test
    void moreLevelsThanAnyFileHasAreRefused() {
        assertEquals(TOO_MUCH, fault("[".repeat(60) + "]".repeat(60)));
    }

    @Test
    void whatIsTornIsToldWithItsPlace() {
        assertEquals("it is not valid JSON (line 2, column 6)", fault("{\n\"a\": }"));
    }

    private static String fault(String text) {
        return JsonInput.fault(
                assertThrows(JsonProcessingException.class, () -> JsonInput.tree(text)));
    }
}
