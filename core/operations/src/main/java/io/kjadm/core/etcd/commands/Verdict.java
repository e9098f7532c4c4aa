package io.kjadm.core.etcd.commands;

import io.kjadm.etcd.Problem;

/** Whether a change of the membership may be made. */
public sealed interface Verdict {

    /** It may. */
    record Allowed(String why) implements Verdict {}

    /** It is as wanted already. */
    record Needless(String why) implements Verdict {}

    /** It must not. */
    record Refused(Problem problem) implements Verdict {}
}
