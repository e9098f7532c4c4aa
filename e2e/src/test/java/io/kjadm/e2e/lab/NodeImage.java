package io.kjadm.e2e.lab;

/**
 * The image of the nodes, built by {@code e2e/node/build} where its inputs changed since the last
 * time.
 */
final class NodeImage {
    private static String name;

    private NodeImage() {}

    /** The image's name; the first call may take minutes. */
    static synchronized String name() {
        if (name == null) {
            name = build();
        }
        return name;
    }

    private static String build() {
        var built = HostCommand.script("e2e/node/build").run();
        var printed = built.stdout().strip();
        if (!built.succeeded() || printed.isEmpty()) {
            throw new IllegalStateException("e2e/node/build failed; its messages are above");
        }
        return printed;
    }
}
