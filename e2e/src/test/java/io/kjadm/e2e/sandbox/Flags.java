package io.kjadm.e2e.sandbox;

import java.util.List;
import java.util.Optional;

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

    String get(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException("--" + name + " is missing"));
    }
}
