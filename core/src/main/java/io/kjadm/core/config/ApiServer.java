package io.kjadm.core.config;

import io.kjadm.manifests.Argument;
import io.kjadm.manifests.EnvVariable;
import io.kjadm.manifests.HostVolume;

import java.util.List;

/**
 * What an operator adds to the API server's pod and certificate.
 *
 * @param certSans more names and addresses for the serving certificate, in lower case
 */
public record ApiServer(
        List<Argument> extraArgs,
        List<HostVolume> extraVolumes,
        List<EnvVariable> extraEnvs,
        List<String> certSans) {

    public static final ApiServer EMPTY = new ApiServer(List.of(), List.of(), List.of(), List.of());

    public ApiServer {
        extraArgs = List.copyOf(extraArgs);
        extraVolumes = List.copyOf(extraVolumes);
        extraEnvs = List.copyOf(extraEnvs);
        certSans = List.copyOf(certSans);
    }

    /** The part it has in common with the other components. */
    public ControlPlaneComponent component() {
        return new ControlPlaneComponent(extraArgs, extraVolumes, extraEnvs);
    }
}
