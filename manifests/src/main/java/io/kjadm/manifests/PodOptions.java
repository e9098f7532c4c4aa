package io.kjadm.manifests;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What may be chosen for one static pod: its image, the operator's additions, and the user it runs
 * as (root if empty). The pod of etcd takes no extra volumes.
 */
public record PodOptions(
        String image,
        List<Argument> extraArgs,
        List<HostVolume> extraVolumes,
        List<EnvVariable> extraEnvs,
        Optional<RunAsIds> runAs) {

    public PodOptions {
        Objects.requireNonNull(image, "image");
        extraArgs = List.copyOf(extraArgs);
        extraVolumes = List.copyOf(extraVolumes);
        extraEnvs = List.copyOf(extraEnvs);
        Objects.requireNonNull(runAs, "runAs");
    }

    /** The image with nothing added. */
    public static PodOptions of(String image) {
        return new PodOptions(image, List.of(), List.of(), List.of(), Optional.empty());
    }
}
