package io.kjadm.core.snapshot;

import io.kjadm.core.snapshot.sign.SignatureState;

import java.util.List;

/**
 * A snapshot that was found.
 *
 * @param remarks what the operator has to know of how it was chosen, a sentence each
 */
public record SelectedSnapshot(
        SnapshotManifest manifest, SignatureState signature, List<String> remarks) {

    public SelectedSnapshot {
        remarks = List.copyOf(remarks);
    }
}
