package io.kjadm.core.config;

import io.kjadm.core.flag.Flag;

import java.util.Locale;

/** The flags about the node that may stand beside a configuration file. */
final class NodeFlags {

    private NodeFlags() {}

    static NodeRegistration override(NodeRegistration node, CommandFlags flags) {
        return node.withName(flags.text(Flag.NODE_NAME)
                        .filter(name -> !name.isBlank())
                        .map(name -> name.strip().toLowerCase(Locale.ROOT))
                        .orElse(node.name()))
                .withIgnorePreflightErrors(
                        PreflightIgnores.union(flags, node.ignorePreflightErrors()));
    }
}
