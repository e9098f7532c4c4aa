package io.kjadm.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The two streams of the program and whether the second is a terminal.
 *
 * @param out      results and steps
 * @param err      warnings, findings, failures and the live line
 * @param terminal whether {@code err} is a terminal
 */
record Console(PrintStream out, PrintStream err, boolean terminal) {

    /** The process's own streams, UTF-8, flushed line by line. */
    static Console ofProcess() {
        return new Console(
                stream(FileDescriptor.out), stream(FileDescriptor.err), System.getenv("TERM") != null && isTerminal());
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /** The JDK only knows whether standard input and output are terminals; Linux knows of each stream. */
    private static boolean isTerminal() {
        try {
            String target = java.nio.file.Files.readSymbolicLink(java.nio.file.Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (java.io.IOException e) {
            return false;
        }
    }
}
