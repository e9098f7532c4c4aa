package io.kjadm.etcd.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

class VersionGatesTest {

    private static VersionGates of(String text) throws IOException {
        Properties lines = new Properties();
        lines.load(new StringReader(text));
        return VersionGates.of(lines);
    }

    @Test
    void theFileOfThisProgramIsRead() {
        VersionGates.Step step =
                VersionGates.shipped().into(EtcdVersion.parse("3.6.14")).orElseThrow();

        assertEquals(
                Optional.of(EtcdVersion.parse("3.5.26")),
                step.required().map(VersionGates.Minimum::version));
        assertEquals(
                Optional.of(EtcdVersion.parse("3.5.32")),
                step.advised().map(VersionGates.Minimum::version));
        assertTrue(step.refusesV2());
        assertEquals("InitialCorruptCheck", step.flags().gates().get("initial-corrupt-check"));
    }

    @Test
    void everyMinimumHasAReason() {
        VersionGates.shipped()
                .steps()
                .forEach(step -> List.of(step.required(), step.advised(), step.downgradeTo())
                        .forEach(minimum -> minimum.ifPresent(
                                least -> assertTrue(!least.why().isBlank(), step::toString))));
    }

    @Test
    void stepsAreInOrder() throws IOException {
        assertEquals(
                List.of(EtcdVersion.parse("3.9.0"), EtcdVersion.parse("3.10.0")),
                of("3.10.removed = a\n3.9.removed = b\n").steps().stream()
                        .map(VersionGates.Step::minor)
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.6.requierd = 3.5.26", "removed = a", "3.6.required = newest"})
    void aLineThatMeansNothingIsRefused(String line) {
        assertThrows(IllegalArgumentException.class, () -> of(line));
    }
}
