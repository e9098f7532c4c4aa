package io.kjadm.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The two streams of the program and whether they are terminals.
 *
 * @param out         results and steps
 * @param err         warnings, findings, failures and the live line
 * @param terminal    whether {@code err} is a terminal
 * @param outTerminal whether {@code out} is one
 */
record Console(PrintStream out, PrintStream err, boolean terminal, boolean outTerminal) {

    /** Results go to a file or a pipe. */
    Console(PrintStream out, PrintStream err, boolean terminal) {
        this(out, err, terminal, false);
    }

    /** The process's own streams, UTF-8, flushed line by line. */
    static Console ofProcess() {
        boolean capable = System.getenv("TERM") != null;
        return new Console(stream(FileDescriptor.out), stream(FileDescriptor.err),
                capable && isTerminal(2), capable && isTerminal(1));
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /**
     * The JDK only knows whether standard input and output are terminals; Linux knows of each
     * stream.
     */
    private static boolean isTerminal(int descriptor) {
        try {
            String target =
                    java.nio.file.Files.readSymbolicLink(
                            java.nio.file.Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (java.io.IOException e) {
            return false;
        }
    }
}
