package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Merges our arguments with the operator's, for static pods and kubelet flags alike: ours sorted,
 * without those the operator also names; then all of the operator's, in the order given,
 * repetitions kept.
 */
public final class PodArguments {

    private static final Comparator<Argument> BY_NAME_THEN_VALUE =
            Comparator.comparing(Argument::name).thenComparing(Argument::value);

    private PodArguments() {}

    /** The merged arguments as {@code --name=value}. */
    public static List<String> merge(Collection<Argument> ours, List<Argument> extra) {
        Set<String> replaced = extra.stream().map(Argument::name).collect(Collectors.toSet());
        Stream<Argument> kept = ours.stream()
                .filter(argument -> !replaced.contains(argument.name()))
                .sorted(BY_NAME_THEN_VALUE);
        return Stream.concat(kept, extra.stream()).map(Argument::text).toList();
    }

    static List<String> command(String program, Collection<Argument> ours, List<Argument> extra) {
        var command = new ArrayList<String>();
        command.add(program);
        command.addAll(merge(ours, extra));
        return List.copyOf(command);
    }
}
