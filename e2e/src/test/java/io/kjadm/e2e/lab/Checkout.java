package io.kjadm.e2e.lab;

import java.nio.file.Files;
import java.nio.file.Path;

/** The source tree the tests run in. */
public final class Checkout {
    private Checkout() {}

    /** A path of the tree, given from its top. */
    public static Path folder(String path) {
        return top().resolve(path);
    }

    private static Path top() {
        var here = Path.of("").toAbsolutePath();
        while (here != null && !Files.isDirectory(here.resolve("e2e/node"))) {
            here = here.getParent();
        }
        if (here == null) {
            throw new IllegalStateException("the tests have to run inside the source tree");
        }
        return here;
    }
}
