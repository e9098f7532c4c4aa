package io.kjadm.core.host;

import java.nio.file.Path;
import java.util.List;

/** Paths that one change may see: those above, beside and below its files. */
record FileArea(List<Path> places) {

    boolean has(Path path) {
        return places.stream()
                .anyMatch(place -> place.startsWith(path)
                        || path.startsWith(place)
                        || path.getParent() != null && path.getParent().equals(place.getParent()));
    }
}
