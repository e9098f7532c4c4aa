package io.kjadm.pki;

import java.util.List;

/**
 * The outcome of a rule for subject alternative names.
 *
 * @param dropped extra names as they were configured that are neither address nor DNS name; worth a
 * warning
 */
public record NameSelection(SubjectNames names, List<String> dropped) {

    public NameSelection {
        dropped = List.copyOf(dropped);
    }
}
