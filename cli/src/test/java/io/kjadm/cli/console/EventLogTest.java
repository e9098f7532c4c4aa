package io.kjadm.cli.console;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.EventLog.Level;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** {@code --log-format json}. */
public class EventLogTest {

    private static final String TOKEN = "abcdef.0123456789abcdef";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicLong nanos = new AtomicLong();
    private final EventLog log = new EventLog(
            new PrintStream(err, true, StandardCharsets.UTF_8),
            InstantSource.fixed(Instant.parse("2026-11-27T08:00:00.123456Z")));
    private final EventReporter reporter = new EventReporter(
            new Console(out, err, false).logging(LogFormat.JSON), log, 0, nanos::get);

    /** Each line is an object, or this fails. */
    public static List<JsonNode> events(String lines) {
        ObjectMapper mapper =
                new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        List<JsonNode> events = new ArrayList<>();
        for (String line : lines.lines().toList()) {
            try {
                events.add(mapper.readTree(line));
            } catch (JsonProcessingException e) {
                throw new AssertionError(line, e);
            }
        }
        return events;
    }

    private List<JsonNode> events() {
        return events(err.toString(StandardCharsets.UTF_8));
    }

    private static String text(JsonNode event) {
        return "%s %s: %s"
                .formatted(
                        event.path("level").asText(),
                        event.path("area").asText("-"),
                        event.path("message").asText());
    }

    private static Run join(String... more) {
        List<String> words = new ArrayList<>(List.of(
                "join",
                "192.0.2.1:6443",
                "--dry-run",
                "--log-format=json",
                "--cri-socket=unix:///nowhere.sock",
                "--node-name=node-1",
                "--token=" + TOKEN,
                "--discovery-token-unsafe-skip-ca-verification"));
        words.addAll(List.of(more));
        return TestConsole.run(words.toArray(String[]::new));
    }

    @Test
    void anEventIsOneLine() {
        log.log(Level.WARNING, Optional.of("certs"), "one\n\"two\"\u001b[2J", Map.of("kind", "x"));
        assertEquals(
                "{\"time\":\"2026-11-27T08:00:00.123Z\",\"level\":\"warning\",\"area\":\"certs\","
                        + "\"message\":\"one\\n\\\"two\\\"\\\\u001b[2J\",\"kind\":\"x\"}\n",
                err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsSaidDuringAPhaseHasItsName() {
        reporter.during("certs/ca", "Make the CA", () -> {
            reporter.step("certs", "done");
            reporter.warn("weak");
            return true;
        });
        reporter.warn("outside");
        assertEquals(
                List.of(
                        "info certs/ca: Make the CA",
                        "info certs: done",
                        "warning certs/ca: weak",
                        "warning -: outside"),
                events().stream().map(EventLogTest::text).toList());
    }

    @Test
    void resultsStayTextOnStandardOutput() {
        reporter.print("the result");
        reporter.credentials("a token");
        assertEquals("the result\na token\n", out.toString(StandardCharsets.UTF_8));
        assertEquals(List.of(), events());
    }

    @Test
    void credentialsAreNoEventsWhereAProgramReadsTheResult() {
        EventReporter alone = new EventReporter(
                new Console(out, err, false).logging(LogFormat.JSON).withoutResults(),
                log,
                0,
                nanos::get);
        alone.print("the result");
        alone.credentials("a token");
        assertEquals(
                List.of("info -: the result"),
                events().stream().map(EventLogTest::text).toList());
        assertEquals("", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aWaitIsToldEveryTenSeconds() {
        for (int second = 0; second <= 25; second++) {
            reporter.waiting("etcd", "second " + second);
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        assertEquals(
                List.of("info etcd: second 0", "info etcd: second 10", "info etcd: second 20"),
                events().stream().map(EventLogTest::text).toList());
    }

    @Test
    void detailsAreForTheVerbose() {
        reporter.detail("not shown");
        new EventReporter(new Console(out, err, false), log, 1, nanos::get).detail("shown");
        assertEquals(
                List.of("debug -: shown"),
                events().stream().map(EventLogTest::text).toList());
    }

    @Test
    void linesOfOthersAreEvents() {
        PrintStream lines = log.lines();
        lines.print("a ü");
        lines.println(" table\n\nmore");
        assertEquals(
                List.of("info -: a ü table", "info -: more"),
                events().stream().map(EventLogTest::text).toList());
    }

    @Test
    void aWholeRunIsEventsAndItsResultText() {
        Run run = join("--ignore-preflight-errors=all");
        assertEquals(0, run.status(), run.all());
        List<JsonNode> events = events(run.err());
        assertTrue(
                events.stream()
                        .anyMatch(event -> event.path("area").asText().equals("kubelet-start")),
                run.all());
        assertTrue(
                events.stream()
                        .anyMatch(event -> event.path("check").asText().equals("CRI")
                                && event.path("level").asText().equals("warning")
                                && event.path("area").asText().equals("preflight")),
                run.all());
        assertHasLine("This node has joined the cluster:", run.out());
        assertFalse(run.outLines().stream().anyMatch(line -> line.startsWith("[")), run.all());
        assertFalse(run.all().contains("0123456789abcdef"), "the token is not shown");
    }

    @Test
    void withAnObjectEverythingElseIsEvents() {
        Run run = join("--ignore-preflight-errors=all", "-o", "json");
        assertEquals(0, run.status(), run.all());
        assertEquals(
                "RunResult",
                events(run.out().replace("\n", "")).getFirst().path("kind").asText());
        assertFalse(events(run.err()).isEmpty(), run.all());
    }

    @Test
    void aFailureIsTheLastEvent() {
        Run run = join();
        assertEquals(1, run.status(), run.all());
        List<JsonNode> events = events(run.err());
        assertTrue(
                events.stream()
                        .anyMatch(event -> event.path("check").asText().equals("CRI")
                                && event.path("level").asText().equals("error")),
                run.all());
        JsonNode last = events.getLast();
        assertEquals("error preflight: preflight checks failed", text(last));
        assertEquals("Preflight", last.path("kind").asText());
    }

    @Test
    void aCommandLineThatIsNotUnderstoodIsAnEvent() {
        Run run = TestConsole.run("--log_format", "json", "inti");
        assertEquals(1, run.status(), run.all());
        JsonNode event = events(run.err()).getLast();
        assertEquals("Usage", event.path("kind").asText(), run.all());
        assertEquals(
                "unknown command \"inti\" for \"kjadm\"; did you mean init?",
                event.path("message").asText());
        assertEquals("See 'kjadm --help' for usage.", event.path("next").asText());
        assertEquals("", run.out());
    }

    @Test
    void anUnknownFormatIsRefused() {
        Run run = TestConsole.run("config", "print", "init-defaults", "--log-format=xml");
        assertEquals(1, run.status(), run.all());
        assertTrue(run.err().startsWith("error: unknown log format \"xml\""), run.all());
        assertEquals("", run.out());
    }

    @Test
    void resultsOfOtherCommandsAreTheSame() {
        String text = TestConsole.run("config", "print", "init-defaults").out();
        Run run = TestConsole.run("config", "print", "init-defaults", "--log-format=json");
        assertEquals(0, run.status(), run.all());
        assertEquals(text, run.out());
        assertEquals("", run.err());
    }

    @Test
    void aStackTraceIsAField() {
        Run run = TestConsole.run("config", "validate", "--log-format=json", "-v=5");
        assertEquals(1, run.status(), run.all());
        assertLinesMatch(
                List.of(
                        "io.kjadm.core.error.UsageException: --config is missing: .*",
                        "\tat io.kjadm.cli.kube.ConfigCommand.*",
                        ">> rest of the stack trace >>"),
                events(run.err()).getLast().path("stackTrace").asText().lines().toList());
    }
}
