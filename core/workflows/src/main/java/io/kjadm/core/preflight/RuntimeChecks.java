package io.kjadm.core.preflight;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.ImageFetcher;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.value.ImagePullPolicy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Checks of the container runtime and of the images that it has. */
final class RuntimeChecks {

    /** The first kubelet without a cgroup driver of its own choice (KEP-4033). */
    private static final String NEEDS_RUNTIME_CONFIG = "v1.38";

    private RuntimeChecks() {}

    /** The container runtime answers and can run pods. */
    static Check ready(RuntimeConnector runtimes, String criSocket) {
        return Check.of("CRI", () -> {
            ContainerRuntime.State state = runtimes.connect(criSocket).state();
            return Finding.errorIf(
                    !state.ready(),
                    "container runtime at %s is not ready: %s"
                            .formatted(criSocket, state.reason()));
        });
    }

    /** The container runtime tells its cgroup driver, which later kubelets rely on. */
    static Check version(RuntimeConnector runtimes, String criSocket) {
        return Check.of("ContainerRuntimeVersion", () -> {
            ContainerRuntime runtime = runtimes.connect(criSocket);
            return Finding.warningIf(
                    runtime.cgroupDriver().isEmpty(),
                    "the container runtime at %s does not serve the RuntimeConfig call; "
                                    .formatted(criSocket)
                            + "from %s on the kubelet needs it, so update the runtime before"
                                    .formatted(NEEDS_RUNTIME_CONFIG));
        });
    }

    /** The images of the control plane are on the machine, fetched now if the policy says so. */
    static Check images(ImagePulls pulls, RuntimeConnector runtimes) {
        return Check.of("ImagePull", () -> {
            if (pulls.policy() == ImagePullPolicy.NEVER) {
                return Finding.none();
            }
            ContainerRuntime runtime = runtimes.connect(pulls.criSocket());
            Stream<Finding> sandbox = otherSandboxImage(runtime, pulls.pauseImage()).stream();
            return Stream.concat(sandbox, pulled(runtime, pulls).stream()).toList();
        });
    }

    private static List<Finding> pulled(ContainerRuntime runtime, ImagePulls pulls) {
        ImageFetcher fetcher = new ImageFetcher(runtime, pulls.policy());
        if (pulls.serial()) {
            return pulls.images().stream()
                    .flatMap(image -> pulled(fetcher, image).stream())
                    .toList();
        }
        List<Future<Optional<Finding>>> running = new ArrayList<>();
        // closing it waits for all
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            pulls.images()
                    .forEach(image -> running.add(executor.submit(() -> pulled(fetcher, image))));
        }
        return running.stream().flatMap(done -> done.resultNow().stream()).toList();
    }

    private static Optional<Finding> pulled(ImageFetcher fetcher, String image) {
        try {
            fetcher.fetch(image);
            return Optional.empty();
        } catch (HostException e) {
            return Optional.of(Finding.error("%s: %s".formatted(e.what(), e.why())));
        }
    }

    /**
     * Two pause images cost disk space and a pull where there may be no network; nothing breaks.
     */
    private static Optional<Finding> otherSandboxImage(ContainerRuntime runtime, String pause) {
        try {
            return runtime.sandboxImage()
                    .filter(image -> !image.equals(pause))
                    .map(image -> Finding.warning(
                            "the container runtime starts pods with image %s; %s is recommended"
                                    .formatted(image, pause)));
        } catch (HostException unknown) {
            return Optional.empty();
        }
    }
}
