package io.kjadm.e2e.lab;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/**
 * The container engine of this machine. An installed one that is not running is started, if we are
 * root; it is left running, as it would be on any machine with docker.
 */
final class DockerEngine {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
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
        var socket = Path.of("/var/run/docker.sock");
        if (System.getenv("DOCKER_HOST") == null && !answers()) {
            var daemon = installed("dockerd");
            if (daemon.isEmpty()) {
                return Optional.of("no docker engine is installed");
            }
            if (!"root".equals(System.getProperty("user.name"))) {
                return Optional.of(
                        "the docker engine is not running, or may not be used by this user ("
                                + socket + ")");
            }
            start(daemon.get());
        }
        return DockerClientFactory.instance().isDockerAvailable()
                ? Optional.empty()
                : Optional.of("the docker engine does not answer");
    }

    private static void start(Path daemon) {
        try {
            var log = Files.createTempFile("dockerd", ".log").toFile();
            // A session of its own, so that the end of the test run does not take the engine away
            // from others.
            new ProcessBuilder("setsid", daemon.toString())
                    .redirectInput(new File("/dev/null")).redirectErrorStream(true)
                    .redirectOutput(log).start();
            var deadline = System.nanoTime() + START_LIMIT.toNanos();
            while (!answers() && System.nanoTime() < deadline) {
                Thread.sleep(200);
            }
        } catch (IOException e) {
            throw new IllegalStateException("could not start " + daemon, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean answers() {
        return installed("docker").map(client -> run(List.of(client.toString(), "version")))
                .orElse(false);
    }

    private static boolean run(List<String> command) {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static Optional<Path> installed(String program) {
        return Stream.concat(Stream.of(System.getenv("PATH").split(":")),
                Stream.of("/usr/sbin", "/usr/bin"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
