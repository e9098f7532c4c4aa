package io.kjadm.core.etcd;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.StartProblem;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Why there is no container of a static pod. */
final class MissingContainer {

    /** So long a kubelet may pull the image before that is told (F15 of docs/failure-catalogue.md). */
    private static final Duration IMAGE_PATIENCE = Duration.ofSeconds(30);
    /** A kubelet that is just being restarted is back by then (F16). */
    private static final Duration KUBELET_PATIENCE = Duration.ofSeconds(10);
    /**
     * The kubelet may look at its directory only every 20 s, and a busy machine starts pods slowly.
     */
    private static final Duration CONTAINER_PATIENCE = Duration.ofMinutes(2);
    /** Image and kubelet are asked for this often: the latter starts a process. */
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final String component;
    private final HostFiles files;
    private final Path manifest;
    private final Services services;
    private Optional<Instant> since = Optional.empty();
    private Optional<Instant> asked = Optional.empty();
    private Optional<String> missingImage = Optional.empty();
    private boolean kubeletStopped;

    MissingContainer(String component, HostFiles files, Path manifest, Services services) {
        this.component = component;
        this.files = files;
        this.manifest = manifest;
        this.services = services;
    }

    /** There is one, or nobody can tell. */
    void ends() {
        since = Optional.empty();
    }

    /** There is none at this moment; why, if that has lasted long enough. */
    Optional<StartProblem> look(ContainerRuntime runtime, Instant now) {
        since = Optional.of(since.orElse(now));
        Duration absent = Duration.between(since.get(), now);
        if (asked.filter(last -> Duration.between(last, now).compareTo(INTERVAL) < 0)
                .isEmpty()) {
            asked = Optional.of(now);
            missingImage = image().filter(name -> !runtime.hasImage(name));
            kubeletStopped = absent.compareTo(KUBELET_PATIENCE) >= 0
                    && services.available()
                    && !services.isActive("kubelet");
        }
        if (kubeletStopped) {
            return notStarted(
                    "the kubelet does not run", "see 'journalctl -u kubelet' for why it stopped");
        }
        if (missingImage.isPresent() && absent.compareTo(IMAGE_PATIENCE) >= 0) {
            return notStarted(
                    "its image %s is still not on this node after %d s"
                            .formatted(missingImage.get(), absent.toSeconds()),
                    "pull it with 'crictl pull %s', which shows the error"
                            .formatted(missingImage.get()));
        }
        return absent.compareTo(CONTAINER_PATIENCE) < 0
                ? Optional.empty()
                : notStarted(
                        "the kubelet has not created a container of %s for %d s"
                                .formatted(manifest, absent.toSeconds()),
                        "see 'journalctl -u kubelet' for what it logs about the pod");
    }

    private Optional<StartProblem> notStarted(String why, String next) {
        return Optional.of(new StartProblem(
                new Problem("this node's %s is not started".formatted(component), why, next),
                false));
    }

    private Optional<String> image() {
        return files.read(manifest).flatMap(StaticPodText::parse).flatMap(StaticPodText::image);
    }
}
