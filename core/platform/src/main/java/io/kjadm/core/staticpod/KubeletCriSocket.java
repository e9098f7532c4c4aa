package io.kjadm.core.staticpod;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The container runtime's socket as the node's own kubelet was told. */
public final class KubeletCriSocket {

    private static final Pattern FLAG = Pattern.compile("--container-runtime-endpoint=([^\\s\"]+)");

    private KubeletCriSocket() {}

    /** The socket; empty if no file of the kubelet names one. */
    public static Optional<String> find(HostFiles files, KubernetesPaths paths) {
        return Stream.of(paths.kubeletInstanceConfig(), paths.kubeletConfig())
                .flatMap(file -> inConfig(files, file).stream())
                .findFirst()
                .or(() -> files.read(paths.kubeletFlags())
                        .flatMap(text -> FLAG.matcher(text)
                                .results()
                                .findFirst()
                                .map((MatchResult found) -> found.group(1))))
                .map(socket -> socket.startsWith("/") ? "unix://" + socket : socket);
    }

    /**
     * The socket.
     *
     * @throws HostException if no file of the kubelet names one
     */
    public static String require(HostFiles files, KubernetesPaths paths) {
        return find(files, paths)
                .orElseThrow(() -> new HostException(
                        "the container runtime of this node is not known",
                        "no file of the kubelet names its socket",
                        "check that %s has containerRuntimeEndpoint"
                                .formatted(paths.kubeletConfig())));
    }

    private static Optional<String> inConfig(HostFiles files, Path file) {
        try {
            return files.read(file)
                    .map(ManifestYaml::readObject)
                    .map((Map<String, Object> tree) -> tree.get("containerRuntimeEndpoint"))
                    .map(String::valueOf)
                    .filter(socket -> !socket.isBlank());
        } catch (ManifestException e) {
            return Optional.empty();
        }
    }
}
