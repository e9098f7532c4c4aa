package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.fail;

/** Asserts lines of a text whose other lines are tested elsewhere. */
public final class Lines {

    private Lines() {}

    /** Expects a line of the text to be this one from end to end, however far it is indented. */
    public static void assertHasLine(String line, String text) {
        if (text.lines().map(String::strip).noneMatch(line::equals)) {
            fail("no line <%s> in <%s>".formatted(line, text));
        }
    }
}
