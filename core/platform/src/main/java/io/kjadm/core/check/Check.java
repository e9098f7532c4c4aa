package io.kjadm.core.check;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One question to the machine. Asking changes nothing, but for the images that {@code ImagePull}
 * fetches.
 *
 * @param name by which the operator can make its errors warnings if it is ignorable,
 *         {@code NumCPU} for example
 * @param otherNames by which it can be ignored as well
 * @param ignorable whether the operator may go on in spite of an error; not where others than this
 *         machine would pay for it
 * @param aboutLeftovers whether it looks for what a run leaves behind; one that goes on with its
 *         own work does not ask
 * @param question what was found wrong; empty if all is well. A
 *         {@link io.kjadm.core.error.HostException} counts as an error finding.
 */
public record Check(
        String name,
        Set<String> otherNames,
        boolean ignorable,
        boolean aboutLeftovers,
        Supplier<List<Finding>> question) {

    public Check {
        otherNames = Set.copyOf(otherNames);
    }

    /** A check that the operator may ignore. */
    public static Check of(String name, Supplier<List<Finding>> question) {
        return new Check(name, Set.of(), true, false, question);
    }

    /** One that only a first run asks. */
    public static Check ofLeftovers(String name, Supplier<List<Finding>> question) {
        return new Check(name, Set.of(), true, true, question);
    }

    /** One that protects the cluster, so that nobody may ignore its errors. */
    public static Check required(String name, Supplier<List<Finding>> question) {
        return new Check(name, Set.of(), false, false, question);
    }

    /** The same, to be ignored by other names as well. */
    public Check alsoNamed(String... names) {
        return new Check(name, Set.of(names), ignorable, aboutLeftovers, question);
    }

    /** Its name and the others. */
    Stream<String> names() {
        return Stream.concat(Stream.of(name), otherNames.stream());
    }

    /** Asks. */
    public List<Finding> run() {
        return question.get();
    }
}
