package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.manifests.KubernetesReleases;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

class VersionCommandTest {

    @Test
    void plainlyItIsOneLine() {
        Run run = TestConsole.run("version");
        assertEquals(0, run.status());
        assertEquals(1, run.outLines().size());
        assertTrue(run.out().startsWith("kjadm version: "), run.all());
    }

    @ParameterizedTest
    @EnumSource
    void shortIsTheReleaseAlone(ProgramName name) {
        String release = KubernetesReleases.KNOWN.newest().newestRelease();
        for (String words :
                List.of("version -o short", "version --output=short", "--v 1 version -o=short")) {
            Run run = TestConsole.runAs(name, words.split(" "));
            assertEquals(0, run.status());
            assertEquals(release + "\n", run.out());
        }
    }

    /** kubeadm's own test of it, {@code cmd/kubeadm/test/cmd/version_test.go}. */
    @Test
    void asKubeadmItPrintsTheRecordOfGo() {
        Run run = TestConsole.runAs(ProgramName.KUBEADM, "version");
        assertTrue(
                run.out()
                        .matches("kubeadm version: &version\\.Info\\{Major:\".+\", Minor:\".+\", "
                                + "GitVersion:\".+\", GitCommit:\".+\", GitTreeState:\".+\", "
                                + "BuildDate:\".+\", GoVersion:\".+\", Compiler:\".+\", "
                                + "Platform:\".+\"}\n"),
                run.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml"})
    void theObjectHasEveryFieldThatKubeadmsHas(String format) {
        Run run = TestConsole.runAs(ProgramName.KUBEADM, "version", "-o", format);
        Map<?, ?> version = (Map<?, ?>) ManifestYaml.readObject(run.out()).get("clientVersion");
        for (String field : List.of(
                "major",
                "minor",
                "gitVersion",
                "gitCommit",
                "gitTreeState",
                "buildDate",
                "goVersion",
                "compiler",
                "platform")) {
            assertTrue(
                    version.get(field) instanceof String text && !text.isEmpty(),
                    field + ": " + run.all());
        }
        assertTrue(version.get("gitCommit").toString().matches("[0-9a-f]{40}"), run.all());
        assertEquals(format.equals("yaml"), run.out().endsWith("\n\n"), "as kubeadm ends it");
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
        assertEquals(
                "invalid output format \"xml\": version supports short, yaml and json",
                run.error(),
                run.all());
    }
}
