package io.kjadm.core.phase;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;

/** Asks the operator before something is destroyed, as a port. */
@FunctionalInterface
public interface Confirmation {

    /** Nobody is asked: the answer was given beforehand, or nothing will be destroyed. */
    Confirmation GIVEN = (area, question) -> true;

    /**
     * Asks a question that is answered by yes or no; no answer at all is a no.
     *
     * @param area     as in {@link Reporter#step}
     * @param question without question mark options such as {@code [y/N]}
     */
    boolean confirm(String area, String question);

    /**
     * Goes on only if the answer is yes.
     *
     * @param subject what is asked about: {@code the upgrade}
     * @throws UsageException if the answer is no
     */
    default void require(String area, String question, String subject) {
        require(area, question, subject, Flag.YES);
    }

    /** @param skips the flag that answers beforehand */
    default void require(String area, String question, String subject, Flag skips) {
        if (!confirm(area, question)) {
            throw new UsageException(
                    subject + " was not confirmed",
                    "",
                    "answer y, or use --%s to skip the question".formatted(skips));
        }
    }
}
