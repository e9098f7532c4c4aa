package io.kjadm.core.cri;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A container runtime that runs nothing, whatever the machine's does: that of a node which a dry
 * run only assumes. What concerns the runtime itself and its images is passed on.
 */
public final class EmptyRuntime implements ContainerRuntime {

    private final ContainerRuntime machine;

    private EmptyRuntime(ContainerRuntime machine) {
        this.machine = machine;
    }

    /** The same runtimes, with nothing in them. */
    public static RuntimeConnector connector(RuntimeConnector machine) {
        return new RuntimeConnector() {
            @Override
            public ContainerRuntime connect(String criSocket) {
                return new EmptyRuntime(machine.connect(criSocket));
            }

            @Override
            public boolean canConnect(Path socket) {
                return machine.canConnect(socket);
            }
        };
    }

    @Override
    public String version() {
        return machine.version();
    }

    @Override
    public State state() {
        return machine.state();
    }

    @Override
    public Optional<String> sandboxImage() {
        return machine.sandboxImage();
    }

    @Override
    public Optional<CgroupDriver> cgroupDriver() {
        return machine.cgroupDriver();
    }

    @Override
    public List<String> sandboxes() {
        return List.of();
    }

    @Override
    public void stopSandbox(String id) {
        // there is none
    }

    @Override
    public void removeSandbox(String id) {
        // there is none
    }

    @Override
    public List<Container> containers() {
        return List.of();
    }

    @Override
    public Optional<Exit> exitOf(String id) {
        return Optional.empty();
    }

    @Override
    public void stopContainer(String id, Duration grace) {
        // there is none
    }

    @Override
    public boolean hasImage(String image) {
        return machine.hasImage(image);
    }

    @Override
    public void pull(String image) {
        machine.pull(image);
    }
}
