package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.EventLog;
import io.kjadm.cli.console.EventLog.Level;
import io.kjadm.cli.console.EventLogTest;
import io.kjadm.cli.console.EventReporter;
import io.kjadm.cli.console.Failure;
import io.kjadm.cli.console.Failures;
import io.kjadm.cli.console.LogFormat;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.cli.kube.RunListing;
import io.kjadm.cli.kube.RunOutputTest;
import io.kjadm.cli.kube.RunSubject;
import io.kjadm.cli.kube.RunSubject.JoinCommands;
import io.kjadm.cli.kube.RunSummary;
import io.kjadm.cli.output.JsonText;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.PreflightException.FailedCheck;
import io.kjadm.core.host.FileChanges.Action;
import io.kjadm.core.host.FileChanges.Change;
import io.kjadm.core.timing.Span;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.FailReason;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What is printed for programs, against the schemas that {@code docs/} promises. */
class OutputSchemaTest {

    private static final Pattern JSON_BLOCK = Pattern.compile("(?s)```json\n(.*?)```");

    private final JsonSchema result = new JsonSchema("run-result.schema.json");
    private final JsonSchema event = new JsonSchema("event.schema.json");

    OutputSchemaTest() throws IOException {
        // reading the schemas may fail
    }

    private static JsonNode tree(Object object) throws IOException {
        return new ObjectMapper().readTree(JsonText.write(object, 4));
    }

    private static Failure failure() {
        return new Failure(
                Failure.Kind.PREFLIGHT,
                Optional.of("preflight"),
                new Problem(CommonReason.NO_QUORUM, "failed", "why", "next"),
                List.of(new FailedCheck("NumCPU", "too few")));
    }

    private static RunSummary summary(Optional<Failure> failure) {
        return new RunSummary(
                "upgrade apply",
                Instant.parse("2026-11-27T08:00:00Z"),
                Duration.ofMillis(1500),
                List.of(
                        new Span(
                                Span.Kind.START, "start", "main", Duration.ZERO, Duration.ZERO, ""),
                        new Span(
                                Span.Kind.PHASE,
                                "preflight",
                                "main",
                                Duration.ZERO,
                                Duration.ofMillis(1200),
                                "")),
                Arrays.stream(Action.values())
                        .map(action -> new Change(
                                Path.of("/etc/" + action),
                                action,
                                action == Action.MOVED
                                        ? Optional.of(Path.of("/etc/old"))
                                        : Optional.empty()))
                        .toList(),
                failure);
    }

    private static RunSubject everything() {
        return RunSubject.node("cp-1", true, Optional.of("v1.37.0"))
                .upgradedFrom("v1.36.2")
                .withEtcd(() -> Optional.of(
                        new MemberIds("cdf818194e3a8c32", new MemberId(0x8e9e05c52164694dL))))
                .withJoinCommands(List.of(new JoinCommands("join", Optional.of("join --more"))));
    }

    /** One without what may be missing, one with everything: no field is only in one of the two. */
    @Test
    void everyFieldOfAResultIsInTheSchemaAndTheOtherWayRound() throws IOException {
        JsonNode least =
                tree(new RunListing(summary(Optional.empty()), true, RunSubject.UNKNOWN).object());
        JsonNode most =
                tree(new RunListing(summary(Optional.of(failure())), false, everything()).object());
        assertEquals(List.of(), result.errors(least));
        assertEquals(List.of(), result.errors(most));
        assertEquals(Set.of(), result.unseen());
        assertEquals("8e9e05c52164694d", most.path("etcd").path("memberID").asText());
        assertEquals(1, most.path("phases").size(), "waits and calls are none");
        assertEquals(1.2, most.path("phases").path(0).path("seconds").asDouble());
    }

    @Test
    void everyFieldOfAnEventIsInTheSchemaAndTheOtherWayRound() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        EventLog log = new EventLog(
                new PrintStream(bytes, true, StandardCharsets.UTF_8), InstantSource.system());
        Console console =
                new Console(PrintStream.nullOutputStream(), bytes, false).logging(LogFormat.JSON);
        Console quiet = console.withoutResults();
        new EventReporter(quiet, log, 0, System::nanoTime).checked("Swap", true, "is on");
        new EventReporter(quiet, log, 0, System::nanoTime).step("certs", "done");
        new Failures(quiet)
                .print(new ClusterException(FailReason.NO_START, "what", "why", "next"), 5);
        log.log(Level.DEBUG, Optional.empty(), "library", Map.of("logger", "io.netty"));
        for (JsonNode line : EventLogTest.events(bytes.toString(StandardCharsets.UTF_8))) {
            assertEquals(List.of(), event.errors(line), line.toString());
        }
        assertEquals(Set.of(), event.unseen());
    }

    @Test
    void allowedValuesAreThoseOfTheProgram() {
        List<String> kinds =
                Arrays.stream(Failure.Kind.values()).map(Failure.Kind::text).toList();
        assertEquals(kinds, result.allowed("problem/kind"));
        assertEquals(kinds, event.allowed("kind"));
        assertEquals(
                Arrays.stream(Level.values()).map(Level::text).toList(), event.allowed("level"));
        assertEquals(
                Arrays.stream(Action.values())
                        .map(action -> action.name().toLowerCase(java.util.Locale.ROOT))
                        .toList(),
                result.allowed("files/action"));
    }

    /** From the command line to the object: of a run that fails, as its checks are real. */
    @ParameterizedTest
    @EnumSource
    void realOutputFits(ProgramName name) throws IOException {
        for (String ignored : List.of("none", "all")) {
            Run run = TestConsole.runAs(
                    name,
                    "join",
                    "192.0.2.1:6443",
                    "-ojson",
                    "--log-format=json",
                    "--dry-run",
                    "--cri-socket=unix:///nowhere.sock",
                    "--node-name=node-1",
                    "--token=abcdef.0123456789abcdef",
                    "--discovery-token-unsafe-skip-ca-verification",
                    "--ignore-preflight-errors=" + ignored);
            assertEquals(List.of(), result.errors(RunOutputTest.object(run)), run.all());
            for (JsonNode line : EventLogTest.events(run.err())) {
                assertEquals(List.of(), event.errors(line), line.toString());
            }
        }
    }

    @Test
    void theSchemaRefusesWhatIsNotSo() throws IOException {
        JsonNode misspelt = new ObjectMapper().readTree("""
                {"kind": "RunResult", "apiVersion": "output.kjadm.io/v1alpha1", "comand": "init"}
                """);
        assertFalse(result.errors(misspelt).isEmpty());
    }

    /** The examples of the page. */
    @Test
    void theExamplesOfThePageFit() throws IOException {
        String page = Files.readString(Path.of("../docs/output-for-programs.md"));
        List<String> blocks =
                JSON_BLOCK.matcher(page).results().map(block -> block.group(1)).toList();
        assertFalse(blocks.isEmpty());
        for (String block : blocks) {
            if (block.contains("RunResult")) {
                assertEquals(List.of(), result.errors(new ObjectMapper().readTree(block)), block);
            } else {
                EventLogTest.events(block)
                        .forEach(line ->
                                assertEquals(List.of(), event.errors(line), line.toString()));
            }
        }
    }
}
