package io.kjadm.cli.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.manifests.KubernetesReleases;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class NamedReleaseTest {

    private static final KubernetesReleases RELEASES = KubernetesReleases.KNOWN;
    private static final int OLDER = RELEASES.served().getFirst().minor();

    @TempDir
    Path folder;

    private String name(Map<String, String> environment, Path file) {
        return NamedRelease.of(environment, file, RELEASES);
    }

    @Test
    void itIsTheNewestThatThisProgramServes() {
        assertEquals(
                RELEASES.newest().newestRelease(), name(Map.of(), folder.resolve("none/at/all")));
    }

    @Test
    void theFileNamesAnotherReleaseOfAServedMinor() throws IOException {
        Path file = Files.writeString(folder.resolve("version"), "v1.%d.99\n".formatted(OLDER));
        assertEquals("v1.%d.99".formatted(OLDER), name(Map.of(), file));
    }

    @Test
    void theVariableCountsBeforeTheFile() throws IOException {
        Path file = Files.writeString(folder.resolve("version"), "v1.%d.99\n".formatted(OLDER));
        assertEquals(
                "v1.%d.7".formatted(OLDER),
                name(Map.of(NamedRelease.VARIABLE, "1.%d.7".formatted(OLDER)), file));
    }

    @Test
    void anEmptyFileNamesNothing() throws IOException {
        Path file = Files.writeString(folder.resolve("version"), "\n");
        assertEquals(RELEASES.newest().newestRelease(), name(Map.of(), file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"v1.30.0", "v1.99.0", "1.36", "stable", "v2.36.0", "v1.36.2-rc.0", "v1.036.1"
            })
    void whatIsNotServedIsRefused(String text) {
        UsageException refused = assertThrows(
                UsageException.class,
                () -> name(Map.of(NamedRelease.VARIABLE, text), folder.resolve("none")));
        assertTrue(refused.what().contains(NamedRelease.VARIABLE), refused.what());
    }

    @Test
    void aFileThatCannotBeReadIsNotPassedOver() {
        assertThrows(HostException.class, () -> name(Map.of(), folder));
    }
}
