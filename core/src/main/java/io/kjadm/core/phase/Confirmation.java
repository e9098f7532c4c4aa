package io.kjadm.core.phase;

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
}
