package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgramVersionTest {

    @ParameterizedTest
    @CsvSource({
        "2026-11-20T00:00:00Z, 2026-11-20T00:00:00Z",
        "1795132800, 2026-11-20T00:00:00Z",
    })
    void theTimeOfABuildIsTheSameInEitherForm(String written, String time) {
        assertEquals(time, ProgramVersion.time(written));
    }
}
