package io.kjadm.manifests;

import java.util.Optional;

/**
 * A place of a manifest that somebody changed after it was generated, and that the manifest which
 * is to take its place does not have so.
 *
 * @param path such as {@code spec.containers[etcd].command[--max-wals]}: items of lists are named by
 *     their merge key, arguments by their flag
 * @param generated what was generated there; empty if nothing
 * @param found what stands there now; empty if it was removed
 * @param conflicts whether what is generated has changed there, too, so that only one of both can
 *     stay
 */
public record HandMadeChange(
        String path, Optional<Object> generated, Optional<Object> found, boolean conflicts) {

    /** {@code path: old → new}, in one line. */
    @Override
    public String toString() {
        return "%s: %s → %s".formatted(path, text(generated), text(found));
    }

    private static String text(Optional<Object> value) {
        return value.map(ManifestYaml::inOneLine).orElse("(nothing)");
    }
}
