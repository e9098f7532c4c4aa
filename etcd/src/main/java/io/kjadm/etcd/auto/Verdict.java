package io.kjadm.etcd.auto;

import java.time.Duration;
import java.util.Objects;

/** What one rule says of the facts. */
public sealed interface Verdict {

    /** Its conditions hold. */
    record Applies(Decision decision) implements Verdict {

        public Applies {
            Objects.requireNonNull(decision, "decision");
        }
    }

    /**
     * Its conditions hold, and they have to hold for a while, as other machines go first. That keeps
     * machines out of each other's way; safety does not depend on it.
     *
     * @param after how long they have to hold
     */
    record Later(Duration after, Decision decision) implements Verdict {

        public Later {
            Objects.requireNonNull(after, "after");
            Objects.requireNonNull(decision, "decision");
        }
    }

    /** They do not. */
    record No(String why) implements Verdict {

        public No {
            Objects.requireNonNull(why, "why");
        }
    }
}
