package io.kjadm.cli.console;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** UTF-8, flushed line by line, with the commands in texts as they are called by a name. */
final class NamingStream extends PrintStream {

    private final ProgramName name;

    NamingStream(OutputStream stream, ProgramName name) {
        super(stream, true, StandardCharsets.UTF_8);
        this.name = name;
    }

    /** Here every text comes by; {@code println} and {@code append} of a subclass call it. */
    @Override
    public void print(String text) {
        super.print(text == null ? "null" : name.inCommands(text));
    }
}
