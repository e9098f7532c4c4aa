package io.kjadm.core.phase;

import io.kjadm.core.error.UsageException;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * An ordered tree of phases and the rules by which it runs.
 *
 * @param name   of the command, {@code init} for example
 * @param phases top-level phases in order
 * @param <R>    the run record
 */
public record Workflow<R>(String name, List<Phase<R>> phases) {

    /** Name of the child that stands for a whole group; it may be skipped by name, to no effect. */
    public static final String ALL = "all";

    public Workflow {
        phases = List.copyOf(phases);
    }

    /** A phase with its full name, parents joined by {@code /}. */
    public record Named<R>(String fullName, Phase<R> phase) {}

    /** Every phase, depth-first, parents before their children. */
    public List<Named<R>> all() {
        List<Named<R>> found = new ArrayList<>();
        phases.forEach(phase -> collect("", phase, found));
        return found;
    }

    private static <R> void collect(String prefix, Phase<R> phase, List<Named<R>> found) {
        String fullName = prefix + phase.info().name();
        found.add(new Named<>(fullName, phase));
        phase.children().forEach(child -> collect(fullName + "/", child, found));
    }

    /**
     * The phases that a selection runs, in order, before anything is done.
     *
     * @throws UsageException if a name is unknown, or a phase needs one that does not run
     */
    public List<Named<R>> selected(Selection selection) {
        requireKnown(selection);
        List<Named<R>> chosen = all().stream()
                .filter(named -> runs(named.fullName(), selection))
                .toList();
        Set<String> earlier = new HashSet<>();
        for (Named<R> named : chosen) {
            for (String required : named.phase().info().requires()) {
                if (!earlier.contains(required)) {
                    throw new UsageException(
                            "phase %s cannot run without phase %s"
                                    .formatted(named.fullName(), required),
                            "it needs what that phase prepares",
                            "run the whole workflow, or also skip phase " + named.fullName());
                }
            }
            earlier.add(named.fullName());
        }
        return chosen;
    }

    private void requireKnown(Selection selection) {
        List<String> known = all().stream().map(Named::fullName).toList();
        for (String skipped : selection.skip()) {
            boolean group = skipped.endsWith("/" + ALL)
                    && known.contains(skipped.substring(0, skipped.length() - ALL.length() - 1));
            if (!known.contains(skipped) && !group) {
                throw new UsageException(
                        "invalid phase name \"%s\"".formatted(skipped),
                        "%s has no such phase to skip%s"
                                .formatted(name, SimilarNames.guess(skipped, known)),
                        "use one of: " + String.join(", ", known));
            }
        }
        selection.only().filter(only -> !known.contains(only)).ifPresent(only -> {
            throw new IllegalStateException("no phase " + only + " in " + name);
        });
    }

    private static boolean runs(String fullName, Selection selection) {
        boolean wanted =
                selection.only().map(only -> isOrIsBelow(fullName, only)).orElse(true);
        return wanted
                && selection.skip().stream().noneMatch(skipped -> isOrIsBelow(fullName, skipped));
    }

    private static boolean isOrIsBelow(String fullName, String ancestor) {
        return fullName.equals(ancestor) || fullName.startsWith(ancestor + "/");
    }

    /**
     * Runs the selected phases one after the other.
     *
     * @return the run record of the last phase
     * @throws PhaseFailure naming the phase that failed
     */
    public R run(R start, Selection selection, Reporter out) {
        R run = start;
        for (Named<R> named : selected(selection)) {
            R before = run;
            if (!named.phase().applies(before)) {
                continue;
            }
            try {
                run = out.during(
                        named.fullName(),
                        named.phase().info().description(),
                        () -> named.phase().run(before, out));
            } catch (RuntimeException e) {
                throw new PhaseFailure(named.fullName(), e);
            }
        }
        return run;
    }
}
