package io.kjadm.etcd.check;

/**
 * One thing the operator should know before a join.
 *
 * @param text what, of which member, by which rule, and what to do
 */
public record EtcdFinding(EtcdRule rule, Level level, String text) {

    /** How bad it is. */
    public enum Level {
        /** Nothing bad: shown as a step. */
        NOTE,
        WARNING,
        ERROR
    }

    public static EtcdFinding note(EtcdRule rule, String text) {
        return new EtcdFinding(rule, Level.NOTE, text);
    }

    public static EtcdFinding warning(EtcdRule rule, String text) {
        return new EtcdFinding(rule, Level.WARNING, text);
    }

    public static EtcdFinding error(EtcdRule rule, String text) {
        return new EtcdFinding(rule, Level.ERROR, text);
    }

    /** A question that got no answer; not knowing is no reason to refuse. */
    public static EtcdFinding unknown(EtcdRule rule, String what, String why) {
        return warning(rule, "%s could not be checked: %s".formatted(what, why));
    }
}
