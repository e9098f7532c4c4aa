package io.kjadm.etcd;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Why something was refused or failed, for programs: the constants of the enums that implement it
 * keep their names when a message is worded differently. {@link CommonReason} holds those that
 * belong to no one subject.
 */
public interface ProblemReason {

    /** Name of the constant. */
    String name();

    /** As {@code -o json} shows it: {@code NO_QUORUM} as {@code NoQuorum}. */
    default String text() {
        return Arrays.stream(name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }
}
