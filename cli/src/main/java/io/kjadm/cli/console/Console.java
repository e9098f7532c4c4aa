package io.kjadm.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * The two streams of the program and what can be shown on them.
 *
 * @param out         results
 * @param steps       what is done on the way to them: {@code out} for people, {@code err} where a
 *                    program reads the results
 * @param err         warnings, findings and failures
 * @param terminal what can be shown
 * @param name     that the program is called by
 * @param events   the log that gets what is not a result, where that is no text
 */
public record Console(
        PrintStream out,
        PrintStream steps,
        PrintStream err,
        Terminal terminal,
        ProgramName name,
        Optional<EventLog> events) {

    /**
     * What can be shown besides text.
     *
     * @param live the line on {@code err} that tells what goes on
     * @param out  whether results go to a terminal
     * @param help what the help looks like
     */
    public record Terminal(LiveLine live, boolean out, HelpStyle help) {}

    /** Steps stand among the results. */
    private Console(PrintStream out, PrintStream err, Terminal terminal, ProgramName name) {
        this(out, out, err, terminal, name, Optional.empty());
    }

    /** Results go to a file or a pipe. */
    public Console(OutputStream out, OutputStream err, boolean terminal) {
        this(out, err, terminal, ProgramName.KJADM);
    }

    /** Results go to a file or a pipe, in a program of that name. */
    public Console(OutputStream out, OutputStream err, boolean terminal, ProgramName name) {
        this(
                out,
                err,
                terminal ? LiveLine.on(err, () -> TerminalWidth.UNKNOWN) : LiveLine.none(),
                HelpStyle.PLAIN,
                name);
    }

    /** Streams that know nothing of the live line yet, and are no terminals but for it. */
    public Console(OutputStream out, OutputStream err, LiveLine live, HelpStyle help) {
        this(out, err, live, help, ProgramName.KJADM);
    }

    private Console(
            OutputStream out, OutputStream err, LiveLine live, HelpStyle help, ProgramName name) {
        this(
                new NamingStream(live.guarding(out), name),
                new NamingStream(live.guarding(err), name),
                new Terminal(live, false, help),
                name);
    }

    /** The line on {@code err} that tells what goes on. */
    public LiveLine live() {
        return terminal.live;
    }

    /** The process's own streams, UTF-8, flushed line by line. */
    public static Console ofProcess() {
        return ofProcess(System.getenv(), ProgramName.ofProcess());
    }

    private static Console ofProcess(Map<String, String> environment, ProgramName name) {
        boolean capable = canErase(environment);
        boolean outTerminal = isTerminal(1);
        boolean errTerminal = isTerminal(2);
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        OutputStream err = new FileOutputStream(FileDescriptor.err);
        LiveLine live = capable && errTerminal
                ? LiveLine.on(err, TerminalWidth.ofDescriptor(2))
                : LiveLine.none();
        return new Console(
                new NamingStream(outTerminal ? live.guarding(out) : out, name),
                new NamingStream(live.guarding(err), name),
                new Terminal(live, capable && outTerminal, HelpStyle.of(environment, outTerminal)),
                name);
    }

    /** The same with nothing but results on {@code out}. */
    public Console withResultsAlone() {
        return new Console(out, err, err, terminal, name, events);
    }

    /** The same where a program gets another result: all that people read goes to {@code err}. */
    public Console withoutResults() {
        return new Console(
                err, err, err, new Terminal(terminal.live, false, terminal.help), name, events);
    }

    /** The same whose log has a format. */
    public Console logging(LogFormat format) {
        if (format == LogFormat.TEXT || events.isPresent()) {
            return this;
        }
        EventLog log = new EventLog(err, InstantSource.system());
        return new Console(
                out,
                out,
                log.lines(),
                new Terminal(LiveLine.none(), terminal.out, terminal.help),
                name,
                Optional.of(log));
    }

    /** Whether people read the results. */
    boolean showsResults() {
        return out != err;
    }

    /** Prints a result, without a line end of its own and without control characters. */
    public void print(String text) {
        out.print(PlainText.of(text));
        out.flush();
        if (out instanceof NamingStream stream) {
            stream.results = true;
        }
    }

    /**
     * Why results did not arrive where they were sent, as on a full disk. Who stops reading them, as
     * {@code head} does, misses nothing; and what is told on the way may be lost.
     */
    public Optional<IOException> lostResults() {
        return out instanceof NamingStream stream && stream.results
                ? Optional.ofNullable(stream.target.failure)
                        .filter(failure ->
                                !String.valueOf(failure.getMessage()).contains("Broken pipe"))
                : Optional.empty();
    }

    /** Whether there is a terminal that does more than print one character after the other. */
    static boolean canErase(Map<String, String> environment) {
        String kind = environment.getOrDefault("TERM", "");
        return !kind.isEmpty() && !kind.equals("dumb");
    }

    /**
     * The JDK only knows whether standard input and output are terminals; Linux knows of each
     * stream.
     */
    static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    /** UTF-8, flushed line by line, with the commands in texts as they are called by a name. */
    private static final class NamingStream extends PrintStream {

        private final RememberingStream target;
        private final ProgramName name;
        private volatile boolean results;

        NamingStream(OutputStream stream, ProgramName name) {
            this(new RememberingStream(stream), name);
        }

        private NamingStream(RememberingStream target, ProgramName name) {
            super(target, true, StandardCharsets.UTF_8);
            this.target = target;
            this.name = name;
        }

        /** Here every text comes by; {@code println} and {@code append} of a subclass call it. */
        @Override
        public void print(String text) {
            super.print(text == null ? "null" : name.inCommands(text));
        }
    }

    /** Remembers why something could not be written, which a {@link PrintStream} does not tell. */
    private static final class RememberingStream extends FilterOutputStream {

        private volatile IOException failure;

        RememberingStream(OutputStream stream) {
            super(stream);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }
}
