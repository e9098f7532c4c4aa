package io.kjadm.e2e.sandbox;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code --name=value} arguments, as all Kubernetes programs take them. */
record Flags(List<String> words) {
    Flags(String... words) {
        this(List.of(words));
    }

    Optional<String> find(String name) {
        return words.stream()
                .filter(word -> word.startsWith("--" + name + "="))
                .map(word -> word.substring(name.length() + 3))
                .reduce((first, last) -> last);
    }

    /** The first that is none of these. */
    Optional<String> unknown(Set<String> known) {
        return words.stream()
                .map(word -> word.replaceFirst("=.*", ""))
                .filter(word -> !known.contains(word.replaceFirst("^--", "")))
                .findFirst();
    }

    /** That of {@code --secure-port}, or the component's own. */
    int port(int usual) {
        return find("secure-port").map(Integer::parseInt).orElse(usual);
    }

    String get(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException("--" + name + " is missing"));
    }
}
