package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The flags about the node that may stand beside a configuration file. */
final class NodeFlags {

    private NodeFlags() {}

    static NodeRegistration override(NodeRegistration node, CommandFlags flags) {
        return node.withName(flags.text(Flag.NODE_NAME)
                        .filter(name -> !name.isBlank())
                        .map(name -> name.strip().toLowerCase(Locale.ROOT))
                        .orElse(node.name()))
                .withIgnorePreflightErrors(ignoredChecks(flags, node.ignorePreflightErrors()));
    }

    /**
     * The checks whose errors are to be warnings, those of the flag and those of the file: lower
     * case, sorted, each name once.
     */
    static List<String> ignoredChecks(CommandFlags flags, List<String> configured) {
        List<String> all = Stream.concat(
                        flags.list(Flag.IGNORE_PREFLIGHT_ERRORS).stream(), configured.stream())
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .distinct()
                .sorted()
                .toList();
        if (all.contains("all") && all.size() > 1) {
            throw new UsageException(
                    "ignorePreflightErrors (--ignore-preflight-errors) is invalid",
                    "\"all\" is combined with others: " + String.join(", ", all),
                    "give either all or the single checks");
        }
        return all;
    }
}
