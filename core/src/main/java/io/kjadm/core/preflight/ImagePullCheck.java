package io.kjadm.core.preflight;

import io.kjadm.core.config.ImagePullPolicy;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** The images of the control plane are on the machine, fetched now if the policy says so. */
record ImagePullCheck(ImagePulls pulls, RuntimeConnector runtimes) implements Check {

    private static final int ATTEMPTS = 5;

    @Override
    public String name() {
        return "ImagePull";
    }

    @Override
    public List<Finding> run() {
        if (pulls.policy() == ImagePullPolicy.NEVER) {
            return Finding.none();
        }
        ContainerRuntime runtime = runtimes.connect(pulls.criSocket());
        Stream<Finding> sandbox = otherSandboxImage(runtime).stream();
        return Stream.concat(sandbox, pulled(runtime).stream()).toList();
    }

    private List<Finding> pulled(ContainerRuntime runtime) {
        if (pulls.serial()) {
            return pulls.images().stream()
                    .flatMap(image -> pulled(runtime, image).stream())
                    .toList();
        }
        List<Future<Optional<Finding>>> running = new ArrayList<>();
        // closing it waits for all
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            pulls.images()
                    .forEach(image -> running.add(executor.submit(() -> pulled(runtime, image))));
        }
        return running.stream().flatMap(done -> done.resultNow().stream()).toList();
    }

    /** Repeats at once: a registry's redirect or a lost connection often works the next time. */
    private Optional<Finding> pulled(ContainerRuntime runtime, String image) {
        HostException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                boolean present =
                        pulls.policy() == ImagePullPolicy.IF_NOT_PRESENT && runtime.hasImage(image);
                if (!present) {
                    runtime.pull(image);
                }
                return Optional.empty();
            } catch (HostException e) {
                last = e;
            }
        }
        return Optional.of(
                Finding.error("failed to pull image %s: %s".formatted(image, last.why())));
    }

    /**
     * Two pause images cost disk space and a pull where there may be no network; nothing breaks.
     */
    private Optional<Finding> otherSandboxImage(ContainerRuntime runtime) {
        try {
            return runtime.sandboxImage()
                    .filter(image -> !image.equals(pulls.pauseImage()))
                    .map(image -> Finding.warning(
                            "the container runtime starts pods with image %s; %s is recommended"
                                    .formatted(image, pulls.pauseImage())));
        } catch (HostException unknown) {
            return Optional.empty();
        }
    }
}
