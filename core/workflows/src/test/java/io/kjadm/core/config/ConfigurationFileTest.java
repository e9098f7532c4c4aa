package io.kjadm.core.config;

import static io.kjadm.core.config.KubeadmYaml.head;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is read from a file, whatever it configures. */
class ConfigurationFileTest {

    /** And without its text, which may have secrets. */
    @Test
    void brokenYamlIsRefusedWithItsPlace() {
        assertBroken("expected ',' or ']', but got : in line 2, column 2", "a: [1\nb: 2");
        assertBroken(
                "expected ',' or ']', but got <scalar> in line 3, column 1",
                "kind: x\nbootstrapTokens: [{token: abcdef.0123456789abcdef}\nb: 2");
    }

    private static void assertBroken(String why, String text) {
        UsageException refused =
                assertThrows(UsageException.class, () -> ConfigurationFile.of("f.yaml", text));
        assertEquals("document 1 of f.yaml cannot be read as YAML: " + why, refused.getMessage());
    }

    @Test
    void aFileThatNeverEndsIsRefused() {
        UsageException refused = assertThrows(
                UsageException.class, () -> ConfigurationFile.read(Path.of("/dev/zero")));
        assertEquals("it has more than 3 MiB", refused.why());
    }

    @Test
    void aFileThatIsNotUtf8IsRefusedWithItsLine(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("latin1.yaml");
        Files.writeString(
                file,
                head("v1beta4", "InitConfiguration") + "# \u00e9\n",
                StandardCharsets.ISO_8859_1);
        UsageException refused =
                assertThrows(UsageException.class, () -> ConfigurationFile.read(file));
        assertEquals("line 3 is not UTF-8", refused.why());
    }

    @Test
    void aliasesThatStandForTooMuchAreRefused() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 17; i++) {
            bomb.append("a%1$d: &a%1$d [*a%2$d, *a%2$d, *a%2$d]\n".formatted(i, i - 1));
        }
        UsageException refused = assertThrows(
                UsageException.class,
                () -> ConfigurationFile.of("it", head("v1beta4", "InitConfiguration") + bomb));
        assertEquals(
                "excessive aliasing: the aliases stand for more than 10000 values", refused.why());
    }

    @Test
    void anchorsMayBeUsedAgain() {
        assertEquals(
                1,
                ConfigurationFile.of(
                                "it",
                                head("v1beta4", "InitConfiguration") + "x: &x {a: 1}\ny: ["
                                        + "*x, ".repeat(100) + "*x]\n")
                        .documents()
                        .size());
    }
}
