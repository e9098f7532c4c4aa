package io.kjadm.core.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.timing.Span.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

class TimingsTest {

    /** A server of some kind. */
    interface Server {
        String read(String secret);
    }

    private static final class Down extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Seconds clock = new Seconds();
    private final Timings timings = Timings.begun(clock, Duration.ofSeconds(2));

    private List<Span> noted() {
        List<Span> spans = timings.spans();
        return spans.subList(1, spans.size());
    }

    private static Span span(Kind kind, String name, int begin, int end, String answer) {
        return new Span(
                kind,
                name,
                Thread.currentThread().getName(),
                Duration.ofSeconds(begin),
                Duration.ofSeconds(end),
                answer);
    }

    @Test
    void whatPassedBeforeItBeganIsTheStartOfTheProgram() {
        assertEquals(List.of(span(Kind.START, "start of the program", 0, 2, "")), timings.spans());
    }

    @Test
    void whatLiesWithinAnotherEndsFirst() {
        int result = timings.measured(Kind.PHASE, "etcd-join", () -> {
            clock.pass(1);
            return timings.measured(Kind.WAIT, "a turn", () -> {
                clock.pass(3);
                return 7;
            });
        });
        assertEquals(7, result);
        assertEquals(
                List.of(
                        span(Kind.WAIT, "a turn", 3, 6, ""),
                        span(Kind.PHASE, "etcd-join", 2, 6, "")),
                noted());
    }

    @Test
    void whatFailsIsNotedAsSuch() {
        assertThrows(
                Down.class,
                () -> timings.measured(Kind.PHASE, "preflight", () -> {
                    clock.pass(1);
                    throw new Down();
                }));
        assertEquals(List.of(span(Kind.PHASE, "preflight", 2, 3, "failed")), noted());
    }

    @Test
    void callOfAServerIsNotedWithoutItsArguments() {
        Server server = timings.measuring(Server.class, "API server", secret -> {
            clock.pass(1);
            return "read " + secret;
        });
        assertEquals("read abc", server.read("abc"));
        assertEquals(List.of(span(Kind.CALL, "API server read", 2, 3, "")), noted());
    }

    @Test
    void callThatFailsThrowsWhatTheServerThrew() {
        Server server = timings.measuring(Server.class, "API server", secret -> {
            throw new Down();
        });
        assertThrows(Down.class, () -> server.read("abc"));
        assertEquals(List.of(span(Kind.CALL, "API server read", 2, 2, "failed")), noted());
    }

    @Test
    void programIsNotedWithItsArguments() {
        CommandRunner runner = new TimedRunner(
                new CommandRunner() {
                    @Override
                    public Output run(List<String> command, Duration limit) {
                        clock.pass(1);
                        return new Output(3, command.getLast(), limit.toString());
                    }

                    @Override
                    public boolean isInstalled(String program) {
                        return program.equals("systemctl");
                    }
                },
                timings);
        assertEquals(
                new CommandRunner.Output(3, "kubelet", "PT9S"),
                runner.run(List.of("systemctl", "start", "kubelet"), Duration.ofSeconds(9)));
        assertEquals(
                List.of(true, false),
                List.of(runner.isInstalled("systemctl"), runner.isInstalled("crictl")));
        assertEquals(List.of(span(Kind.CALL, "systemctl start kubelet", 2, 3, "")), noted());
    }

    @Test
    void threadWithoutANameIsInTheBackground() throws InterruptedException {
        Thread thread = Thread.ofVirtual()
                .unstarted(() -> timings.measured(Kind.CALL, "etcd members", () -> 1));
        thread.start();
        thread.join();
        assertEquals(List.of("background"), noted().stream().map(Span::thread).toList());
    }

    @Test
    void withoutTheFlagNothingStandsInBetween() {
        Server server = secret -> secret;
        assertSame(server, Timings.none().measuring(Server.class, "API server", server));
        assertEquals(5, Timings.none().measured(Kind.PHASE, "preflight", () -> 5));
        Timings.none().note(Kind.WAIT, "a turn", 0, "");
        assertEquals(List.of(), Timings.none().spans());
    }
}
