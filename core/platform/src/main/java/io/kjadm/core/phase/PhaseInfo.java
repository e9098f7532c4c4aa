package io.kjadm.core.phase;

import io.kjadm.core.flag.Flag;

import java.util.List;

/**
 * What a phase is called and how it may be invoked: data for the runner, {@code --skip-phases}, the
 * help and {@code <workflow> phase …} alike.
 *
 * @param name        the last part of the full name, {@code etcd-join} for example
 * @param description one line for the help
 * @param aliases     other names accepted on the command line
 * @param requires    full names of phases that must run before it in the same run
 * @param flags       those that its own command takes
 * @param hidden      runs in the workflow, but has no command of its own
 */
public record PhaseInfo(
        String name,
        String description,
        List<String> aliases,
        List<String> requires,
        List<Flag> flags,
        boolean hidden) {

    public PhaseInfo {
        aliases = List.copyOf(aliases);
        requires = List.copyOf(requires);
        flags = List.copyOf(flags);
    }

    /** A phase without aliases or requirements. */
    public static PhaseInfo of(String name, String description, Flag... flags) {
        return new PhaseInfo(name, description, List.of(), List.of(), List.of(flags), false);
    }

    /** The same with another name beside the first. */
    public PhaseInfo alias(String alias) {
        return new PhaseInfo(name, description, List.of(alias), requires, flags, hidden);
    }

    /** The same, run only after those phases. */
    public PhaseInfo after(String... required) {
        return new PhaseInfo(name, description, aliases, List.of(required), flags, hidden);
    }

    /** The same without a command of its own. */
    public PhaseInfo asHidden() {
        return new PhaseInfo(name, description, aliases, requires, flags, true);
    }
}
