package io.kjadm.cli.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code --timings} of a dry run, which needs no cluster. */
class TimingsOutputTest {

    @TempDir
    Path folder;

    private static Run init(Path timings, String patches) {
        return TestConsole.run(
                "init",
                "--dry-run",
                "--skip-phases",
                "preflight",
                "--kubernetes-version",
                "v1.36.2",
                "--apiserver-advertise-address",
                "192.0.2.10",
                "--cri-socket",
                "unix:///run/c.sock",
                "--node-name",
                "cp-1",
                "--patches",
                patches,
                "--timings",
                timings.toString());
    }

    private static JsonNode read(Path file) throws IOException {
        return new ObjectMapper().readTree(file.toFile());
    }

    @Test
    void theFileTellsWhenEachPhaseRan() throws IOException {
        Path file = folder.resolve("times.json");
        Run run = init(file, "");
        assertEquals(0, run.status(), run.all());
        JsonNode read = read(file);
        assertEquals("init", read.path("command").asText());
        assertTrue(read.path("succeeded").asBoolean(), read.toString());
        assertTrue(read.path("peakResidentBytes").asLong() > 1 << 20, read.toString());
        List<String> names = read.path("spans").findValuesAsText("name");
        assertEquals("start of the program", names.getFirst());
        assertTrue(
                names.containsAll(List.of("certs/ca", "control-plane/apiserver", "addon/coredns")),
                names.toString());
        assertEquals(
                InitPhases.AFTER_PREFLIGHT,
                names.stream().filter(name -> name.matches("[a-z-]+")).toList());
        double end = 0;
        for (JsonNode span : read.path("spans")) {
            assertTrue(
                    span.path("begin").asDouble() <= span.path("end").asDouble(), span.toString());
            end = Math.max(end, span.path("end").asDouble());
        }
        // each is rounded for itself, and the clock of the day may be set
        assertTrue(end <= read.path("seconds").asDouble() + 1, read.toString());
    }

    @Test
    void runThatFailsIsWrittenToo() throws IOException {
        Path file = folder.resolve("times.json");
        Run run = init(file, folder.resolve("nowhere").toString());
        assertNotEquals(0, run.status(), run.all());
        JsonNode read = read(file);
        assertFalse(read.path("succeeded").asBoolean(), read.toString());
        assertEquals(List.of("failed"), read.path("spans").findValuesAsText("answer"));
    }

    @Test
    void whereNoFileCanBeNothingIsDone() {
        Run directory = init(folder, "");
        assertNotEquals(0, directory.status(), directory.all());
        assertEquals(
                "no timings can be written to %s: it is a directory".formatted(folder),
                directory.error());
        Run nowhere = init(folder.resolve("no/times.json"), "");
        assertNotEquals(0, nowhere.status(), nowhere.all());
        assertEquals(
                "no timings can be written to %s: there is no directory %s"
                        .formatted(folder.resolve("no/times.json"), folder.resolve("no")),
                nowhere.error());
        assertEquals("", nowhere.out());
    }
}
