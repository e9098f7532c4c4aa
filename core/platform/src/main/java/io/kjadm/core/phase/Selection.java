package io.kjadm.core.phase;

import java.util.List;
import java.util.Optional;

/**
 * Which phases of a workflow run.
 *
 * @param only full name of the one phase (and what is below it) to run, or empty for the workflow
 * @param skip full names of phases left out, with what is below them
 */
public record Selection(Optional<String> only, List<String> skip) {

    public Selection {
        skip = List.copyOf(skip);
    }

    /** The whole workflow but for some phases. */
    public static Selection allBut(List<String> skip) {
        return new Selection(Optional.empty(), skip);
    }

    /** One phase and what is below it. */
    public static Selection only(String fullName) {
        return new Selection(Optional.of(fullName), List.of());
    }
}
