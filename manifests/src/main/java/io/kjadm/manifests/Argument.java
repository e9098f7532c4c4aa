package io.kjadm.manifests;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One command line argument, {@code --name=value}; the name carries no dashes and the value may be
 * empty.
 */
public record Argument(String name, String value) {

    private static final Comparator<Argument> BY_NAME_THEN_VALUE =
            Comparator.comparing(Argument::name).thenComparing(Argument::value);

    public Argument {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
    }

    /** The argument as a process receives it. */
    public String text() {
        return "--" + name + "=" + value;
    }

    /** The value that counts if a name is given several times: the last one. */
    public static Optional<String> lastValue(List<Argument> arguments, String name) {
        return arguments.stream()
                .filter(argument -> argument.name().equals(name))
                .map(Argument::value)
                .reduce((earlier, later) -> later);
    }

    /**
     * Our arguments and the operator's as {@code --name=value}, for static pods and kubelet flags
     * alike: ours sorted, without those the operator also names; then all of the operator's, in
     * the order given, repetitions included.
     */
    public static List<String> merge(Collection<Argument> ours, List<Argument> extra) {
        Set<String> replaced = extra.stream().map(Argument::name).collect(Collectors.toSet());
        Stream<Argument> remaining = ours.stream()
                .filter(argument -> !replaced.contains(argument.name()))
                .sorted(BY_NAME_THEN_VALUE);
        return Stream.concat(remaining, extra.stream()).map(Argument::text).toList();
    }
}
