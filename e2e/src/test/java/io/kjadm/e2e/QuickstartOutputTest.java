package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Checkout;
import io.kjadm.e2e.lab.HostCommand;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * What the quickstart prints into a pipe while it builds. A copy of the script runs beside programs
 * that stand in for the machine and for Maven, which ends after the script has waited sixty times.
 */
final class QuickstartOutputTest {
    /** As Maven prints it: a warning of several lines, and an escape sequence at the very end. */
    private static final String MAVEN = """
            #!/bin/sh
            echo '[INFO] Building kjadm core 1.37.0 [5/8]'
            echo '[WARNING] the root certificates of the JDK are from 2024'
            echo 'Next: build with a JDK that has them'
            while [ "$(cat "$PAUSES" | wc -c)" -lt 60 ]; do /bin/sleep 0.05; done
            echo '[ERROR] there is no more room on the disk'
            printf '\\033[0m'
            exit 1
            """;

    @TempDir
    private Path folder;

    @BeforeEach
    void copiesTheScript() throws IOException {
        for (var script : new String[] {"quickstart", "common.sh"}) {
            program(
                    folder.resolve("e2e/" + script),
                    Files.readString(Checkout.folder("e2e/" + script)));
        }
        program(folder.resolve("e2e/machine"), "#!/bin/sh\n[ $1 != components ] || echo sandbox\n");
        program(folder.resolve("bin/mvn"), MAVEN);
        program(folder.resolve("bin/sleep"), "#!/bin/sh\nprintf . >> \"$PAUSES\"\n");
        Files.createFile(folder.resolve("pauses"));
    }

    @Test
    void namesTheModuleThatIsBuiltAndNoPartOfAWarning() {
        var output = quickstart().stdout();

        assertTrue(
                output.lines()
                        .anyMatch(
                                line -> line.matches(
                                        " +still running, \\d+ s  Building kjadm core 1\\.37\\.0 \\[5/8\\]")),
                output);
        assertTrue(
                output.lines()
                        .filter(line -> line.contains("still running"))
                        .noneMatch(line -> line.contains("Next:") || line.contains("WARNING")),
                output);
    }

    @Test
    void showsTheEndOfTheLogWithoutEscapeSequences() {
        var run = quickstart();

        assertEquals(1, run.status());
        List<String> lines = run.stdout().lines().toList();
        int end = lines.lastIndexOf("    [ERROR] there is no more room on the disk");
        assertTrue(end >= 0 && lines.get(end + 1).startsWith("All of"), run.stdout());
        assertFalse(run.stdout().contains("\033"), run.stdout());
    }

    private Outcome quickstart() {
        return HostCommand.script(folder.resolve("e2e/quickstart").toString())
                .mergingErrors()
                .with("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"))
                .with("XDG_CACHE_HOME", folder.resolve("cache"))
                .with("KJADM_DIST", "")
                .with("PAUSES", folder.resolve("pauses"))
                .run();
    }

    private static void program(Path path, String text) throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
