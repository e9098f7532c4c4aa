package io.kjadm.core.config;

import io.kjadm.manifests.Argument;
import io.kjadm.manifests.EnvVariable;
import io.kjadm.manifests.HostVolume;

import java.util.List;
import java.util.Optional;

/** What an operator adds to the pod of a control-plane component. */
public record ControlPlaneComponent(
        List<Argument> extraArgs, List<HostVolume> extraVolumes, List<EnvVariable> extraEnvs) {

    public static final ControlPlaneComponent EMPTY =
            new ControlPlaneComponent(List.of(), List.of(), List.of());

    public ControlPlaneComponent {
        extraArgs = List.copyOf(extraArgs);
        extraVolumes = List.copyOf(extraVolumes);
        extraEnvs = List.copyOf(extraEnvs);
    }

    /** The value that counts for one argument: the last one given. */
    public Optional<String> extraArg(String name) {
        return Argument.lastValue(extraArgs, name);
    }
}
