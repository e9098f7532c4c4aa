package io.kjadm.core.cri;

import io.kjadm.core.error.HostException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A container runtime in memory, found behind every socket. Its fields are set by the test. */
public final class MemoryRuntime implements ContainerRuntime, RuntimeConnector {

    /** Its state. */
    public State state = new State(true, "");
    /** Its sandbox image. */
    public Optional<String> sandboxImage = Optional.empty();
    /** Its cgroup driver. */
    public Optional<CgroupDriver> cgroupDriver = Optional.of(CgroupDriver.SYSTEMD);
    /** Whether each sandbox runs, by id. */
    public final Map<String, Boolean> sandboxes = new LinkedHashMap<>();
    /** Containers by id. */
    public final Map<String, Container> containers = new LinkedHashMap<>();
    /** How containers ended, by id. */
    public final Map<String, Exit> exits = new HashMap<>();
    /** Images that are there. */
    public final Set<String> images = new LinkedHashSet<>();
    /** Images in the order they were asked for. */
    public final List<String> pulls = new ArrayList<>();
    /** How many more calls about a sandbox or image (by its id or name) fail. */
    public final Map<String, Integer> refusals = new HashMap<>();
    /** Why every call fails, if it does. */
    public Optional<String> down = Optional.empty();

    /** With the sandboxes, containers and images of another one; for chains. */
    public MemoryRuntime with(MemoryRuntime other) {
        sandboxes.putAll(other.sandboxes);
        containers.putAll(other.containers);
        exits.putAll(other.exits);
        images.addAll(other.images);
        pulls.addAll(other.pulls);
        return this;
    }

    private void refuse(String subject) {
        down.ifPresent(why -> {
            throw new HostException("no answer", why, "");
        });
        int left = refusals.getOrDefault(subject, 0);
        if (left > 0) {
            refusals.put(subject, left - 1);
            throw new HostException("asked for " + subject, "not now", "");
        }
    }

    @Override
    public ContainerRuntime connect(String criSocket) {
        return this;
    }

    @Override
    public boolean canConnect(Path socket) {
        return down.isEmpty();
    }

    @Override
    public String version() {
        refuse("version");
        return "memory 1";
    }

    @Override
    public State state() {
        refuse("state");
        return state;
    }

    @Override
    public Optional<String> sandboxImage() {
        refuse("sandbox image");
        return sandboxImage;
    }

    @Override
    public Optional<CgroupDriver> cgroupDriver() {
        refuse("cgroup driver");
        return cgroupDriver;
    }

    @Override
    public List<String> sandboxes() {
        refuse("sandboxes");
        return List.copyOf(sandboxes.keySet());
    }

    @Override
    public void stopSandbox(String id) {
        refuse(id);
        sandboxes.computeIfPresent(id, (same, running) -> false);
    }

    @Override
    public void removeSandbox(String id) {
        if (sandboxes.getOrDefault(id, false)) {
            throw new HostException("cannot remove sandbox " + id, "it runs", "");
        }
        sandboxes.remove(id);
        containers.values().removeIf(container -> container.sandboxId().equals(id));
    }

    @Override
    public List<Container> containers() {
        refuse("containers");
        return List.copyOf(containers.values());
    }

    @Override
    public Optional<Exit> exitOf(String id) {
        refuse(id);
        return Optional.ofNullable(exits.get(id));
    }

    @Override
    public void stopContainer(String id, Duration grace) {
        refuse(id);
        containers.computeIfPresent(
                id,
                (same, container) -> new Container(
                        id,
                        container.sandboxId(),
                        container.name(),
                        container.attempt(),
                        false,
                        container.createdAt(),
                        container.labels()));
    }

    @Override
    public boolean hasImage(String image) {
        refuse("images");
        return images.contains(image);
    }

    @Override
    public synchronized void pull(String image) {
        pulls.add(image);
        refuse(image);
        images.add(image);
    }
}
