package io.kjadm.core.cri;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The container runtime of the machine, as a port: a CRI socket, a report of the changes (dry run),
 * or memory. Every failure is a {@link io.kjadm.core.error.HostException} naming the socket.
 */
public interface ContainerRuntime {

    /** Name and version, {@code containerd 2.1.4} for example. */
    String version();

    /** What the runtime says of its own state. */
    State state();

    /** The image it starts pods with, if it tells. */
    Optional<String> sandboxImage();

    /** The cgroup driver in use; empty if the runtime is too old to be asked. */
    Optional<CgroupDriver> cgroupDriver();

    /** Ids of all pod sandboxes, whoever made them and whether or not they run. */
    List<String> sandboxes();

    /** Stops a sandbox and what runs in it; one that is gone is no failure. */
    void stopSandbox(String id);

    /** Removes a stopped sandbox; one that is gone is no failure. */
    void removeSandbox(String id);

    /** All containers, running or not. */
    List<Container> containers();

    /** More about one container; empty if there is none of that id. */
    Optional<Exit> exitOf(String id);

    /** Stops a container, killing it after the grace period (whole seconds). */
    void stopContainer(String id, Duration grace);

    /** Whether the image is on this machine. */
    boolean hasImage(String image);

    /** Fetches an image; takes as long as it takes. */
    void pull(String image);

    /**
     * The runtime's own state.
     *
     * @param ready  whether it can run pods; the pod network does not count
     * @param reason why it is not ready, or empty text
     */
    record State(boolean ready, String reason) {}

    /** Who keeps the cgroups of pods. */
    enum CgroupDriver {
        SYSTEMD,
        CGROUPFS
    }

    /**
     * One container.
     *
     * @param name    in its pod, {@code etcd} for example
     * @param attempt how often it was started before
     * @param labels  those the kubelet gave it
     */
    record Container(
            String id,
            String sandboxId,
            String name,
            int attempt,
            boolean running,
            Instant createdAt,
            Map<String, String> labels) {
        public Container {
            labels = Map.copyOf(labels);
        }
    }

    /**
     * How a container ended, or that it runs.
     *
     * @param finishedAt empty while it runs
     * @param exitCode   meaningful once it ended
     * @param reason     the runtime's word for it, {@code OOMKilled} for example
     * @param logPath    file with its output, or empty text
     */
    record Exit(
            Optional<Instant> finishedAt,
            int exitCode,
            String reason,
            String message,
            String logPath) {}
}
