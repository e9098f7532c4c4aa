package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.HasMetadata;

import java.util.List;

/**
 * The objects of an addon.
 *
 * @param inWriteOrder as they are sent to the API server
 * @param inPrintOrder the same objects as they are printed
 */
public record Addon(List<HasMetadata> inWriteOrder, List<HasMetadata> inPrintOrder) {

    public Addon {
        inWriteOrder = List.copyOf(inWriteOrder);
        inPrintOrder = List.copyOf(inPrintOrder);
    }

    /** All objects as one text, a {@code ---} line between neighbours. */
    public String print() {
        return ManifestYaml.writeAll(inPrintOrder);
    }
}
