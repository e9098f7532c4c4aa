package io.kjadm.etcd.auto;

import java.util.Objects;

/** What a machine does next. */
public sealed interface Decision {

    /** The facts that it was decided by, in words. */
    String why();

    /**
     * Nothing, until something else changes.
     *
     * @param next what a person can do about it; empty if nothing is needed
     */
    record Wait(WaitCode code, String why, String next) implements Decision {

        public Wait {
            Objects.requireNonNull(code, "code");
            Objects.requireNonNull(why, "why");
            Objects.requireNonNull(next, "next");
        }
    }

    /**
     * Write an entry to the log.
     *
     * @param command that an operator would run to do what the entry announces; may be empty
     */
    record Append(EntryBody body, String why, String command) implements Decision {

        public Append {
            Objects.requireNonNull(body, "body");
            Objects.requireNonNull(why, "why");
            Objects.requireNonNull(command, "command");
        }
    }

    /** Run a command on this machine. */
    record Act(Step step, String why) implements Decision {

        public Act {
            Objects.requireNonNull(step, "step");
            Objects.requireNonNull(why, "why");
        }
    }

    /** Nothing is left to be done. */
    record Idle(String why) implements Decision {}
}
