package io.kjadm.core.preflight;

import java.nio.file.Path;

/** How paths appear in names of checks. */
final class PathNames {

    private PathNames() {}

    /** An absolute path begins with a dash of its own, so the name has two. */
    static String of(String kind, Path path) {
        return kind + "-" + path.toString().replace('/', '-');
    }
}
