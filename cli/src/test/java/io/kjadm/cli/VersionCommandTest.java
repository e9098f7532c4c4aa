package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

class VersionCommandTest {

    @Test
    void plainlyItIsOneLine() {
        Run run = TestConsole.run("version");
        assertEquals(0, run.status());
        assertEquals(1, run.outLines().size());
        assertTrue(run.out().startsWith("kjadm version: "), run.all());
    }

    @Test
    void shortHasBothVersions() {
        String line = TestConsole.run("version", "-o", "short").out();
        assertTrue(line.matches("\\S+ \\(Kubernetes v1\\.\\d+\\.\\d+\\)\n"), line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml"})
    void structuredItIsOneObject(String format) {
        Run run = TestConsole.run("version", "--output=" + format);
        assertEquals(0, run.status());
        assertEquals("", run.err());
        Map<?, ?> version = (Map<?, ?>) ManifestYaml.readObject(run.out()).get("clientVersion");
        assertEquals("1", version.get("major"));
        assertEquals(ProgramVersion.current().kubernetes(), version.get("gitVersion"));
        assertTrue(version.get("platform").toString().startsWith("linux/"), run.all());
    }

    @Test
    void otherFormatsAreRefused() {
        Run run = TestConsole.run("version", "-o", "xml");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(run.err().contains("short"), run.all());
    }
}
