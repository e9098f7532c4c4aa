package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A file or directory of the host inside a static pod. {@code pathType} is one of Kubernetes'
 * hostPath types or empty, which asks for no check.
 */
public record HostVolume(
        String name, String hostPath, String mountPath, boolean readOnly, String pathType) {

    static final String DIRECTORY_OR_CREATE = "DirectoryOrCreate";
    static final String FILE_OR_CREATE = "FileOrCreate";

    public HostVolume {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(hostPath, "hostPath");
        Objects.requireNonNull(mountPath, "mountPath");
        Objects.requireNonNull(pathType, "pathType");
    }

    static HostVolume directory(String name, Path path) {
        return new HostVolume(name, path.toString(), path.toString(), true, DIRECTORY_OR_CREATE);
    }

    static HostVolume writableDirectory(String name, Path path) {
        return new HostVolume(name, path.toString(), path.toString(), false, DIRECTORY_OR_CREATE);
    }

    static HostVolume file(String name, Path path) {
        return new HostVolume(name, path.toString(), path.toString(), true, FILE_OR_CREATE);
    }

    /** Both lists as one, sorted by name; of one name the last counts, so {@code extra} wins. */
    static List<HostVolume> merge(Collection<HostVolume> ours, Collection<HostVolume> extra) {
        var byName = new TreeMap<String, HostVolume>();
        Stream.concat(ours.stream(), extra.stream())
                .forEach(volume -> byName.put(volume.name(), volume));
        return List.copyOf(byName.values());
    }

    Volume volume() {
        return new VolumeBuilder()
                .withName(name)
                .withNewHostPath(hostPath, pathType)
                .build();
    }

    VolumeMount mount() {
        return new VolumeMountBuilder()
                .withName(name)
                .withMountPath(mountPath)
                .withReadOnly(readOnly ? Boolean.TRUE : null)
                .build();
    }
}
