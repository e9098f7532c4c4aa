package io.kjadm.e2e.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

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
        try {
            var process = new ProcessBuilder(Checkout.folder("e2e/node/build").toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            var printed = new String(process.getInputStream().readAllBytes(),
                    StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0 || printed.isEmpty()) {
                throw new IllegalStateException("e2e/node/build failed; its messages are above");
            }
            return printed;
        } catch (IOException e) {
            throw new IllegalStateException("could not run e2e/node/build", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the node image was built", e);
        }
    }
}
