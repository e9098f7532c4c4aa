package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.lab.Checkout;
import io.kjadm.e2e.lab.HostCommand;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/**
 * How the packed program starts its JVM. It needs no nodes, but is no test of the whole program
 * either, so it runs only along with those that are.
 */
@NeedsLab
final class LauncherIT {

    private static final String RUNTIME = "cli/target/kjadm/runtime";

    private static HostCommand kjadm(String... words) {
        return HostCommand.script("cli/target/kjadm/bin/kjadm", words)
                .mergingErrors()
                .with("LANG", "C")
                .with("LC_ALL", "C");
    }

    @Test
    void pathsHaveAnyLettersInThePlainLocale() {
        assumeTrue(
                "UTF-8".equals(System.getProperty("sun.jnu.encoding")),
                "this JVM cannot hand over such a name");
        Outcome outcome =
                kjadm("config", "validate", "--config", "/nowhere/\u00e9").run();
        assertEquals(1, outcome.status());
        assertTrue(outcome.stdout().contains("NoSuchFileException"), outcome::stdout);
    }

    @Test
    void optionsForOtherProgramsDoNotCount() {
        Outcome outcome = kjadm("version", "-o", "short")
                .with("JAVA_TOOL_OPTIONS", "-Dx=y")
                .with("JDK_JAVA_OPTIONS", "-Dx=y")
                .run()
                .orFail();
        assertEquals(1, outcome.stdout().lines().count(), outcome::stdout);
    }

    @Test
    void lackOfMemoryIsAMessageAtOnce() {
        Outcome outcome = kjadm(
                        "config",
                        "images",
                        "list",
                        "--kubernetes-version=v1.36.2",
                        "-o=go-template={{printf \"%999999999d\" 1}}")
                .run();
        assertEquals(1, outcome.status());
        assertTrue(
                outcome.stdout().startsWith("error: the program needs more memory"),
                outcome::stdout);
        assertFalse(outcome.stdout().contains("Interrupted"), outcome::stdout);
    }

    /** For one that is not there the JDK searches all jars, when TLS is first used. */
    @Test
    void everySecurityProviderThatIsListedIsThere() throws IOException {
        List<String> listed =
                Files.readAllLines(Checkout.folder(RUNTIME + "/conf/security/java.security"))
                        .stream()
                        .filter(line -> line.startsWith("security.provider."))
                        .map(line -> line.substring(line.indexOf('=') + 1))
                        .toList();
        Outcome known = HostCommand.script(
                        RUNTIME + "/bin/java", "-XshowSettings:security:providers", "-version")
                .mergingErrors()
                .run()
                .orFail();
        assertFalse(listed.isEmpty());
        assertEquals(
                listed,
                known.stdout()
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.startsWith("Provider name: "))
                        .map(line -> line.substring("Provider name: ".length()))
                        .toList());
    }
}
