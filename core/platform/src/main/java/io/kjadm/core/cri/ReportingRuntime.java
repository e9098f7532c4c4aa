package io.kjadm.core.cri;

import io.kjadm.core.phase.Reporter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The runtime of a dry run: asked for real, changed only in words. */
record ReportingRuntime(ContainerRuntime asked, Reporter out) implements ContainerRuntime {

    private void would(String sentence) {
        out.step("dryrun", "Would " + sentence);
    }

    @Override
    public String version() {
        return asked.version();
    }

    @Override
    public State state() {
        return asked.state();
    }

    @Override
    public Optional<String> sandboxImage() {
        return asked.sandboxImage();
    }

    @Override
    public Optional<CgroupDriver> cgroupDriver() {
        return asked.cgroupDriver();
    }

    @Override
    public List<String> sandboxes() {
        return asked.sandboxes();
    }

    @Override
    public void stopSandbox(String id) {
        would("stop pod sandbox " + id);
    }

    @Override
    public void removeSandbox(String id) {
        would("remove pod sandbox " + id);
    }

    @Override
    public List<Container> containers() {
        return asked.containers();
    }

    @Override
    public Optional<Exit> exitOf(String id) {
        return asked.exitOf(id);
    }

    @Override
    public void stopContainer(String id, Duration grace) {
        would("stop container " + id);
    }

    /** Never, so that a dry run names every image and needs no runtime for it. */
    @Override
    public boolean hasImage(String image) {
        return false;
    }

    @Override
    public void pull(String image) {
        would("pull image " + image);
    }
}
