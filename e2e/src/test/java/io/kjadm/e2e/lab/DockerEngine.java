package io.kjadm.e2e.lab;

import org.testcontainers.DockerClientFactory;

import java.util.Optional;

/**
 * The container engine of this machine, as {@code e2e/machine engine} finds, starts and tries it.
 * One that it starts is left running, as it would be on any machine with docker.
 */
final class DockerEngine {
    private static Optional<String> absence;

    private DockerEngine() {}

    /** Why there is no engine to use, or empty if there is one. Asked once per run. */
    static synchronized Optional<String> absence() {
        if (absence == null) {
            absence = look();
        }
        return absence;
    }

    private static Optional<String> look() {
        var tried = HostCommand.script("e2e/machine", "engine").run();
        if (!tried.succeeded()) {
            return Optional.of(tried.stdout().strip());
        }
        // Left alone, the client asks an engine that is older than its default for the oldest
        // API, which knows no private control groups.
        var api = HostCommand.program("docker", "version", "-f", "{{.Server.APIVersion}}")
                .run();
        if (api.succeeded() && System.getProperty("api.version") == null) {
            System.setProperty("api.version", api.stdout().strip());
        }
        return DockerClientFactory.instance().isDockerAvailable()
                ? Optional.empty()
                : Optional.of("the container engine does not answer this program");
    }
}
