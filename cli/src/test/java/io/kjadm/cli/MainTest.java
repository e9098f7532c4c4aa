package io.kjadm.cli;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

class MainTest {

    private static final String STACK_TRACE_HINT =
            "To see the stack trace of this error execute with --v=5 or higher";

    private static final List<String> COMMANDS = List.of(
            "init",
            "join",
            "reset",
            "token",
            "etcd",
            "certs",
            "kubeconfig",
            "config",
            "completion",
            "help",
            "alpha",
            "version");

    @Test
    void withoutArgumentsTheHelpIsPrintedAndThatIsNoFailure() {
        Run run = TestConsole.run();
        assertEquals(0, run.status());
        assertEquals("", run.err());
        COMMANDS.forEach(command -> assertTrue(
                run.outLines().stream()
                        .anyMatch(line -> line.matches("  %s[ ,].*".formatted(command))),
                run.all()));
    }

    /** Who keeps what a command prints in a file must learn that it is not there. */
    @ParameterizedTest
    @CsvSource({
        "No space left on device, token generate, 1",
        "No space left on device, version, 1",
        "No space left on device, config print init-defaults, 1",
        "Bad file descriptor, config images list --kubernetes-version v1.37.0, 1",
        "Broken pipe, token generate, 0",
    })
    void aResultThatCannotBeWrittenIsAFailure(String why, String line, int status) {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                throw new IOException(why);
            }
        };
        var err = new ByteArrayOutputStream();
        assertEquals(
                status,
                new Main(new Console(full, err, false, ProgramName.KJADM)).run(line.split(" ")));
        assertEquals(
                status == 1, err.toString(StandardCharsets.UTF_8).contains(why), err::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help"})
    void helpHasManyForms(String form) {
        Run run = TestConsole.run(form);
        assertEquals(0, run.status());
        assertEquals(TestConsole.run().out(), run.out());
    }

    @Test
    void helpBeforeACommandStillListsAllOfThem() {
        assertHasLine(
                "config               Print, validate and convert configuration files, and",
                TestConsole.run("--help", "token").out());
    }

    @Test
    void helpNamesACommandAndWhatIsBelowIt() {
        Run init = TestConsole.run("help", "init");
        assertEquals(0, init.status());
        assertTrue(init.out().startsWith("Usage: kjadm init "), init.all());
        assertTrue(
                Named.flags(init.out()).containsAll(Set.of("--control-plane-endpoint")),
                init.all());
        assertHasLine("Phases:", init.out());
        assertTrue(
                Named.flags(TestConsole.run("help", "config", "images", "list").out())
                        .containsAll(Set.of("--image-repository")));
        assertTrue(TestConsole.run("help", "init", "phase", "certs", "ca")
                .out()
                .startsWith("Usage: kjadm init phase certs ca "));
    }

    @Test
    void helpOfACommandIsTheSameEitherWay() {
        assertEquals(
                TestConsole.run("help", "token", "create").out(),
                TestConsole.run("token", "create", "--help").out());
    }

    @Test
    void helpOfWhatDoesNotExistFails() {
        Run run = TestConsole.run("help", "init", "nothing");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals(
                "there is no help for \"init nothing\": kjadm init has no command \"nothing\"",
                run.error(),
                run.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"alpha", "alpha anything"})
    void thereIsNothingExperimentalAndThatIsNoFailure(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(0, run.status(), run.all());
        assertTrue(run.out().startsWith("Usage: kjadm alpha"), run.all());
        assertEquals("", run.err());
    }

    @Test
    void anUnknownCommandGetsAGuess() {
        Run run = TestConsole.run("tokn", "list");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(
                run.err()
                        .startsWith(
                                "error: unknown command \"tokn\" for \"kjadm\"; did you mean token?"),
                run.all());
        assertEquals(
                "unknown command \"lst\" for \"kjadm token\"; did you mean list?",
                TestConsole.run("token", "lst").error());
        assertEquals(
                "unknown command \"xyzzy\" for \"kjadm\"",
                TestConsole.run("xyzzy").error());
    }

    @ParameterizedTest
    @CsvSource({
        "inti, init",
        "jion, join",
        "rseet, reset",
        "cofnig print, config",
        "config pirnt, print",
        "init phse certs, phase",
        "init phase crets, certs",
        "init phase certs cs, ca",
        "init phase kubeconfig amdin, admin",
        "help inti, init",
        "token lits, list"
    })
    void lettersThatChangedPlacesAreSeenThrough(String words, String meant) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertTrue(run.error().endsWith("; did you mean %s?".formatted(meant)), run.all());
    }

    @ParameterizedTest
    @CsvSource({
        "init --skip-phases=perflight --kubernetes-version=1.36.2, preflight",
        "init --dry-run --skip-phases=kube-prxoy --kubernetes-version=1.36.2, addon/kube-proxy",
        "reset --dry-run --skip-phases=cleanup-ndoe, cleanup-node"
    })
    void aMistypedPhaseToSkipGetsAGuess(String words, String meant) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertTrue(run.error().endsWith("; did you mean %s?".formatted(meant)), run.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"init", "config images list"})
    void aMistypedFeatureGateGetsAGuess(String words) {
        Run run = TestConsole.run((words + " --kubernetes-version=1.36.2"
                        + " --feature-gates=RootlessControlPlane=false,EtcdLaernerMode=true")
                .split(" "));
        assertEquals(1, run.status());
        assertEquals(
                "feature gate \"EtcdLaernerMode\" cannot be set: there is no such gate; did you mean EtcdLearnerMode?",
                run.error(),
                run.all());
    }

    @Test
    void anUnknownFlagGetsAGuess() {
        Run run = TestConsole.run("token", "list", "--outptu", "json");
        assertEquals(1, run.status());
        assertEquals(
                "unknown flag \"--outptu\" for \"kjadm token list\"; did you mean --output?",
                run.error(),
                run.all());
    }

    @Test
    void theValueOfAnUnknownFlagIsNotRepeated() {
        Run run = TestConsole.run("token", "list", "--tokn=abcdef.0123456789abcdef");
        assertEquals(
                List.of(
                        "error: unknown flag \"--tokn\" for \"kjadm token list\"",
                        "See 'kjadm token list --help' for usage."),
                run.err().lines().toList());
    }

    @Test
    void anErrorOfTheJvmIsPrintedAsAnyOtherFailure() {
        Run run = TestConsole.run(
                "config",
                "images",
                "list",
                "--kubernetes-version=v1.36.2",
                "-o=go-template={{" + "(".repeat(200_000) + "1" + ")".repeat(200_000) + "}}");
        assertEquals(1, run.status());
        assertEquals(
                List.of("error: internal error: java.lang.StackOverflowError", STACK_TRACE_HINT),
                run.err().lines().toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token generate more",
                "version more",
                "config print init-defaults more",
                "config validate more"
            })
    void aWordTooManyIsRefused(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertTrue(run.error().startsWith("unexpected argument \"more\" for "), run.all());
        assertEquals("", run.out());
    }

    @Test
    void resetPassesOverWords() {
        Run run = TestConsole.run("reset", "more", "--config", "/nonexistent/reset.yaml");
        assertEquals(1, run.status());
        assertTrue(run.err().startsWith("W argument \"more\" is ignored"), run.all());
        assertEquals(
                "configuration file /nonexistent/reset.yaml cannot be read: NoSuchFileException",
                run.error(),
                run.all());
        Run phase = TestConsole.run("reset", "phase", "cleanup-node", "more", "--help");
        assertEquals(0, phase.status(), phase.all());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token",
                "config",
                "config print",
                "config images",
                "init phase",
                "join phase",
                "reset phase"
            })
    void aGroupAlonePrintsItsHelpAndFails(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertTrue(run.out().startsWith("Usage: kjadm " + words), run.all());
        assertTrue(run.err().startsWith("error: a subcommand is required"), run.all());
    }

    @Test
    void theHelpOfAJoinNamesWhatMayBeDegraded() {
        Run run = TestConsole.run("join", "--help");
        assertEquals(0, run.status());
        assertTrue(Named.flags(run.out()).containsAll(Set.of("--allow-degraded")), run.all());
    }

    @Test
    void theHelpOfAResetNamesWhatEndsACluster() {
        Run run = TestConsole.run("reset", "--help");
        assertEquals(0, run.status());
        assertTrue(Named.flags(run.out()).containsAll(Set.of("--force-last-member")), run.all());
    }

    @Test
    void theFlagThatEndsAClusterBelongsToResetAlone() {
        Run run = TestConsole.run("join", "--force-last-member");
        assertEquals(1, run.status());
        assertEquals(
                "unknown flag \"--force-last-member\" for \"kjadm join\"", run.error(), run.all());
    }

    @Test
    void aFlagWithoutItsValueIsRefused() {
        Run run = TestConsole.run("token", "create", "--ttl");
        assertEquals(1, run.status());
        assertEquals(
                "Missing required parameter for option '--ttl' (duration)", run.error(), run.all());
    }

    @Test
    void aSwitchIsOnOrOff() {
        Run run = TestConsole.run("token", "list", "--dry-run=maybe");
        assertEquals(1, run.status());
        assertEquals(
                "Invalid value for option '--dry-run': \"maybe\" is not a boolean",
                run.error(),
                run.all());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1", "t", "T", "TRUE", "True", "true", "0", "f", "F", "FALSE", "False", "false"
            })
    void aSwitchTakesTheBooleansOfGo(String value) {
        Run run = TestConsole.run("config", "validate", "--allow-deprecated-api=" + value);
        assertEquals(
                "--config is missing: there is nothing to read without it",
                run.error(),
                "it gets as far as the missing file: " + run.all());
    }

    @Test
    void aSwitchThatIsOffIsOff() {
        String list = "config images list --kubernetes-version v1.36.2 -o jsonpath={.none}"
                + " --allow-missing-template-keys";
        assertEquals(0, TestConsole.run((list + "=T").split(" ")).status());
        assertEquals(0, TestConsole.run(list.split(" ")).status());
        assertEquals(1, TestConsole.run((list + "=f").split(" ")).status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void theWordAfterASwitchIsAWordOfTheCommand(String word) {
        Run run = TestConsole.run("config", "validate", "--allow-deprecated-api", word);
        assertEquals(1, run.status());
        assertEquals(
                "unexpected argument \"%s\" for \"kjadm config validate\"".formatted(word),
                run.error(),
                run.all());
    }

    @Test
    void theLastOfSeveralValuesCounts() {
        Run run = TestConsole.run("version", "-o", "json", "--output=short");
        assertEquals(0, run.status());
        assertEquals(1, run.outLines().size());
    }

    @Test
    void theRootIsChangedByTheLauncherOnly() {
        Run run = TestConsole.run("version", "--rootfs", "/host");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals("--rootfs only works with the launcher, bin/kjadm", run.error(), run.all());
        assertEquals(0, TestConsole.run("--rootfs", "", "version").status());
    }

    @Test
    void verbosityMayStandAnywhere() {
        String plain = TestConsole.run("version", "-o", "short").out();
        assertEquals(plain, TestConsole.run("-v", "2", "version", "-o", "short").out());
        assertEquals(plain, TestConsole.run("--v=2", "version", "-o", "short").out());
        assertEquals(plain, TestConsole.run("version", "-o", "short", "-v2").out());
    }

    @Test
    void theStackTraceComesWithVerbosityFive() {
        List<String> message = List.of(
                "error: --config is missing: there is nothing to read without it",
                "Next: name a file: --config FILE");
        Run brief = TestConsole.run("config", "validate");
        assertEquals(
                Stream.concat(message.stream(), Stream.of(STACK_TRACE_HINT)).toList(),
                brief.err().lines().toList());
        Run detailed = TestConsole.run("config", "validate", "--v=5");
        assertLinesMatch(
                Stream.concat(
                                message.stream(),
                                Stream.of(
                                        "io.kjadm.core.error.UsageException: --config is missing: .*",
                                        "\tat io.kjadm.cli.kube.ConfigCommand.*",
                                        ">> rest of the stack trace >>"))
                        .toList(),
                detailed.err().lines().toList());
        assertFalse(detailed.err().lines().anyMatch(STACK_TRACE_HINT::equals), detailed.all());
    }
}
