package io.kjadm.core.restore;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ContainerLog;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.staticpod.StaticPods;
import io.kjadm.manifests.EtcdRestorePod;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The container that makes the data of a snapshot, as the container runtime sees it. Those that are
 * there when this is made are an earlier run's.
 */
final class RestoreContainer {

    private final RuntimeConnector runtimes;
    private final String criSocket;
    private final HostFiles files;
    private final Set<String> earlier;

    RestoreContainer(RuntimeConnector runtimes, String criSocket, HostFiles files) {
        this.runtimes = runtimes;
        this.criSocket = criSocket;
        this.files = files;
        this.earlier = all(runtimes.connect(criSocket)).stream()
                .map(Container::id)
                .collect(Collectors.toSet());
    }

    private static List<Container> all(ContainerRuntime runtime) {
        return new StaticPods(runtime).of(EtcdRestorePod.NAME);
    }

    /**
     * Whether it has ended well.
     *
     * @throws ClusterException if it has failed, with its last words
     */
    boolean ended() {
        ContainerRuntime runtime;
        List<Container> containers;
        try {
            runtime = runtimes.connect(criSocket);
            containers = all(runtime);
        } catch (HostException e) {
            return false;
        }
        return containers.stream()
                .filter(container -> !earlier.contains(container.id()) && !container.running())
                .flatMap(container -> runtime.exitOf(container.id()).stream())
                .filter(exit -> exit.finishedAt().isPresent())
                .findFirst()
                .map(this::endedWell)
                .orElse(false);
    }

    private boolean endedWell(Exit exit) {
        if (exit.exitCode() == 0) {
            return true;
        }
        throw new ClusterException(
                "etcdutl could not restore the snapshot: it exited with status %d"
                        .formatted(exit.exitCode()),
                lastWords(exit).orElse(exit.reason() + " " + exit.message()),
                "fix the cause and run the same command again, or undo the restore with --undo");
    }

    private Optional<String> lastWords(Exit exit) {
        try {
            return new ContainerLog(files).end(exit.logPath()).stream().reduce((_, last) -> last);
        } catch (HostException e) {
            return Optional.empty();
        }
    }
}
