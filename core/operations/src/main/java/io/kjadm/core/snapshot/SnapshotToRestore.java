package io.kjadm.core.snapshot;

import io.kjadm.core.snapshot.sign.SignatureState;

import java.util.List;

/**
 * A snapshot that was chosen.
 *
 * @param reader    reads it from where it is
 * @param signature of its manifest
 */
public record SnapshotToRestore(
        SnapshotManifest manifest, SnapshotReader reader, SignatureState signature) {

    /** One without a signature. */
    public SnapshotToRestore(SnapshotManifest manifest, SnapshotReader reader) {
        this(manifest, reader, SignatureState.UNSIGNED);
    }

    /** What is told of it, with what is known of who wrote it. */
    public List<String> described(String sentence) {
        boolean encrypted = manifest.stored().encoding().encrypted();
        String signed = switch (signature) {
            case VALID -> "signed with an accepted key";
            case UNSIGNED -> "not signed: nothing proves who wrote it";
            case UNCHECKED ->
                "signed, and there is no key to check that with: nothing proves who wrote it (--verify-key)";
            case INVALID -> "signed with another key, or changed: nothing proves who wrote it";
        };
        return List.of(
                sentence,
                "It is %s, and %s".formatted(encrypted ? "encrypted" : "not encrypted", signed));
    }
}
