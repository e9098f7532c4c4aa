package io.kjadm.core.config;

import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.value.Timeouts;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What {@code init} and {@code join} are told of one run. */
public record RunSettings(
        boolean dryRun,
        List<String> skipPhases,
        Optional<Path> patchesDirectory,
        Timeouts timeouts) {

    /** Those of a run in which nothing was chosen. */
    public static final RunSettings DEFAULTS =
            new RunSettings(false, List.of(), Optional.empty(), Timeouts.DEFAULTS);

    public RunSettings {
        skipPhases = List.copyOf(skipPhases);
    }

    static RunSettings read(TreeView view, Timeouts timeouts) {
        return new RunSettings(
                view.flag("dryRun", false),
                CommonReader.skipPhases(view),
                CommonReader.patches(view),
                timeouts);
    }

    RunSettings overriddenBy(CommandFlags flags) {
        List<String> phases = flags.list(Flag.SKIP_PHASES);
        return new RunSettings(
                flags.bool(Flag.DRY_RUN).orElse(dryRun),
                phases.isEmpty() ? skipPhases : phases,
                patchesDirectory,
                timeouts);
    }

    RunSettings withSkipPhases(List<String> phases) {
        return new RunSettings(dryRun, phases, patchesDirectory, timeouts);
    }

    RunSettings withTimeouts(Timeouts limits) {
        return new RunSettings(dryRun, skipPhases, patchesDirectory, limits);
    }

    /** A configuration that has them. */
    public interface Holder {

        /** All of them. */
        RunSettings settings();

        /** Whether changes are only reported. */
        default boolean dryRun() {
            return settings().dryRun();
        }

        /** Names of phases that are left out. */
        default List<String> skipPhases() {
            return settings().skipPhases();
        }

        /** The directory with patches, if any. */
        default Optional<Path> patchesDirectory() {
            return settings().patchesDirectory();
        }

        /** Limits of waits. */
        default Timeouts timeouts() {
            return settings().timeouts();
        }
    }
}
