package io.kjadm.e2e.sandbox;

import java.util.List;

/** Who sends a request. */
record Caller(String user, List<String> groups) {
    static final Caller ANONYMOUS =
            new Caller("system:anonymous", List.of("system:unauthenticated"));

    boolean in(String group) {
        return groups.contains(group);
    }
}
