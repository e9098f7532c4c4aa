package io.kjadm.core.config;

import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.EnvVariable;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Stacked etcd: a static pod on every control-plane node. */
public record LocalEtcd(
        Path dataDir,
        Optional<String> imageRepository,
        Optional<String> imageTag,
        List<Argument> extraArgs,
        List<EnvVariable> extraEnvs,
        List<String> serverCertSans,
        List<String> peerCertSans)
        implements Etcd {

    public static final LocalEtcd DEFAULTS = new LocalEtcd(
            KubernetesPaths.ETCD_DATA_DIR,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            List.of(),
            List.of());

    public LocalEtcd {
        extraArgs = List.copyOf(extraArgs);
        extraEnvs = List.copyOf(extraEnvs);
        serverCertSans = List.copyOf(serverCertSans);
        peerCertSans = List.copyOf(peerCertSans);
    }

    /** The same with another image tag; empty for the one that belongs to Kubernetes' version. */
    public LocalEtcd withImageTag(Optional<String> tag) {
        return new LocalEtcd(
                dataDir, imageRepository, tag, extraArgs, extraEnvs, serverCertSans, peerCertSans);
    }

    /** The same with other arguments. */
    public LocalEtcd withExtraArgs(List<Argument> arguments) {
        return new LocalEtcd(
                dataDir,
                imageRepository,
                imageTag,
                arguments,
                extraEnvs,
                serverCertSans,
                peerCertSans);
    }

    /** The value that counts for one argument: the last one given. */
    public Optional<String> extraArg(String name) {
        return Argument.lastValue(extraArgs, name);
    }
}
