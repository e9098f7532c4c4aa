package io.kjadm.e2e.lab;

import java.util.HashMap;
import java.util.Map;

/**
 * The image of the nodes, built by {@code e2e/node/build} where its inputs changed since the last
 * time.
 */
final class NodeImage {
    private static final Map<KubeVersions, String> NAMES = new HashMap<>();

    private NodeImage() {}

    /** The image's name; the first call may take minutes. */
    static synchronized String name(KubeVersions versions) {
        return NAMES.computeIfAbsent(versions, NodeImage::build);
    }

    private static String build(KubeVersions versions) {
        var built = versions.on(HostCommand.script("e2e/node/build")).run();
        var printed = built.stdout().strip();
        if (!built.succeeded() || printed.isEmpty()) {
            throw new IllegalStateException("e2e/node/build failed; its messages are above");
        }
        return printed;
    }
}
