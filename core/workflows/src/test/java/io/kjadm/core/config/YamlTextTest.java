package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

class YamlTextTest {

    /** Readers of YAML 1.1 are Go's, and Python's, which has more numbers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "433e40",
                "1:30",
                "-1:30:59.5",
                "0o17",
                "0x1F",
                "1_000",
                ".inf",
                "yes",
                "null",
                "~",
                "2026-11-27",
                "2026-11-27 06:00:00",
                ""
            })
    void textThatOthersTakeForAnotherTypeIsQuoted(String text) {
        assertEquals("name: \"%s\"\n".formatted(text), YamlText.write(Map.of("name", text)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.1:6443", "1:90", "cp-1", "v1.36.2", "a:b", "1h30m0s", "10:6443"})
    void otherTextIsNot(String text) {
        assertEquals("name: %s\n".formatted(text), YamlText.write(Map.of("name", text)));
    }
}
