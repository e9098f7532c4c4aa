package io.kjadm.core.upgrade.check;

import io.kjadm.core.upgrade.ManifestChanges;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.PatchTarget;

import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * This node as its files and its container runtime tell it.
 *
 * @param arguments what was configured for each component, also {@code kubelet}; gates of a
 *                  configuration file as {@code feature-gates}
 */
public record NodeState(
        Map<PatchTarget, Manifest> manifests,
        List<Certificate> certificates,
        List<Disk> disks,
        Images images,
        Map<String, List<Argument>> arguments) {

    public NodeState {
        manifests = manifests.isEmpty() ? Map.of() : new EnumMap<>(manifests);
        certificates = List.copyOf(certificates);
        disks = List.copyOf(disks);
        arguments = Map.copyOf(arguments);
    }

    /** The manifest of a static pod. */
    public sealed interface Manifest {

        /** There is none. */
        record Missing(Path path) implements Manifest {}

        /** It cannot be compared with what is generated. */
        record Unreadable(Path path, String why) implements Manifest {}

        /**
         * What was changed in it by hand.
         *
         * @param references the API objects that its successor refers to, though a static pod may
         *     not
         */
        record Compared(ManifestChanges changes, List<String> references) implements Manifest {

            public Compared {
                references = List.copyOf(references);
            }
        }
    }

    /**
     * A certificate.
     *
     * @param name  its file
     * @param ca    whether others depend on it
     * @param end   when it ends; empty if it cannot be read
     */
    public record Certificate(String name, boolean ca, Optional<Instant> end) {}

    /** A disk by a directory on it; the bytes are empty if it does not tell. */
    public record Disk(Path directory, OptionalLong freeBytes) {}

    /**
     * The images of the target.
     *
     * @param missing those that have to be pulled
     * @param unknown why it is not known which are there
     */
    public record Images(List<String> missing, Optional<String> unknown) {

        public Images {
            missing = List.copyOf(missing);
        }
    }
}
