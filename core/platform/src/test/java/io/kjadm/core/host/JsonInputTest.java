package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;

import org.junit.jupiter.api.Test;

class JsonInputTest {

    @Test
    void whatThisProgramWritesIsRead() throws Exception {
        assertEquals(3, JsonInput.tree("{\"a\": [1, {\"b\": 3}]}").at("/a/1/b").asInt());
    }

    /** Three bytes each, and a hundred in memory. */
    @Test
    void moreValuesThanAnyFileHasAreRefused() {
        String text = "[" + "{},".repeat(300_000) + "{}]";

        assertThrows(JsonProcessingException.class, () -> JsonInput.tree(text));
    }

    @Test
    void moreLevelsThanAnyFileHasAreRefused() {
        assertThrows(
                JsonProcessingException.class,
                () -> JsonInput.tree("[".repeat(60) + "]".repeat(60)));
    }
}
