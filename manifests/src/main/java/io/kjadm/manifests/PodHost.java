package io.kjadm.manifests;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What the static pods of a node have in common.
 *
 * @param certificatesDir where the certificates lie, by default {@code /etc/kubernetes/pki}
 * @param kubeconfigDir where the kubeconfig files of the components lie, {@code /etc/kubernetes}
 * @param caDirectories those of {@link HostCaDirectories#CANDIDATES} that exist on this host
 * @param proxyVariables the {@code *_proxy} variables of this process that have a value
 * @param startupLimit how long a component may take to come up before the kubelet restarts it
 */
public record PodHost(
        Path certificatesDir,
        Path kubeconfigDir,
        List<Path> caDirectories,
        List<EnvVariable> proxyVariables,
        Duration startupLimit) {

    public PodHost {
        certificatesDir = certificatesDir.normalize();
        kubeconfigDir = kubeconfigDir.normalize();
        caDirectories = List.copyOf(caDirectories);
        proxyVariables = List.copyOf(proxyVariables);
        Objects.requireNonNull(startupLimit, "startupLimit");
    }

    String certificate(String name) {
        return certificatesDir.resolve(name).toString();
    }
}
