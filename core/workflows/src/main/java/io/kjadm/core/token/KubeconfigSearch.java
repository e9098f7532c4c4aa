package io.kjadm.core.token;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the kubeconfig of who runs a command that works from anywhere, as kubectl's users know it.
 */
public final class KubeconfigSearch {

    private final HostFiles files;
    private final Map<String, String> environment;

    public KubeconfigSearch(HostFiles files, Map<String, String> environment) {
        this.files = files;
        this.environment = Map.copyOf(environment);
    }

    /**
     * The file given; else the first that exists of those in {@code $KUBECONFIG}, or, where that is
     * not set, {@code $HOME/.kube/config}; else the administrator's, whether it exists or not.
     */
    public Path find(Optional<String> given) {
        return given.filter(name -> !name.isEmpty())
                .map(Path::of)
                .or(() -> usual().stream().filter(files::exists).findFirst())
                .orElseGet(() -> KubernetesPaths.standard().adminConf());
    }

    private List<Path> usual() {
        String listed = environment.getOrDefault("KUBECONFIG", "");
        if (!listed.isEmpty()) {
            return Stream.of(listed.split(":"))
                    .filter(name -> !name.isEmpty())
                    .map(Path::of)
                    .toList();
        }
        String home = environment.getOrDefault("HOME", "");
        return home.isEmpty() ? List.of() : List.of(Path.of(home, ".kube", "config"));
    }
}
