package io.kjadm.core.check;

import java.util.List;

/**
 * One answer of a check that the operator should read.
 *
 * @param level whether the run can go on
 * @param text  what was found, in one sentence
 */
public record Finding(Level level, String text) {

    /** How bad a finding is. */
    public enum Level {
        WARNING,
        ERROR
    }

    /** Something to know. */
    public static Finding warning(String text) {
        return new Finding(Level.WARNING, text);
    }

    /** Something that stops the run unless the check is ignored. */
    public static Finding error(String text) {
        return new Finding(Level.ERROR, text);
    }

    public static List<Finding> none() {
        return List.of();
    }

    public static List<Finding> errorIf(boolean bad, String text) {
        return bad ? List.of(error(text)) : none();
    }

    public static List<Finding> warningIf(boolean bad, String text) {
        return bad ? List.of(warning(text)) : none();
    }
}
