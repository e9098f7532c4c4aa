package io.kjadm.e2e.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the stand-ins for Kubernetes' components have in common. Their images hold a script that
 * starts the stand-in of that name, and no more: the JDK and what {@link StandInPackage} made are
 * shown to their containers by the node, as the test run shows them to the node.
 */
final class StandIns {
    private static final List<String> SHOWN =
            List.of("/opt/sandbox", "/opt/sandbox-jdk", "/usr/lib", "/usr/lib64");

    private StandIns() {}

    /** The paths of the node that the containers of a pod see at the same place. */
    static List<String> mounts(String pod) {
        if (!pod.startsWith("kube-")) {
            return List.of();
        }
        // Debian's packages keep a JDK's configuration outside of it, behind links
        try (var folders = Files.list(Path.of("/etc"))) {
            return Stream.concat(
                            SHOWN.stream(),
                            folders.map(Path::toString)
                                    .filter(path -> path.startsWith("/etc/java-")))
                    .filter(path -> Files.exists(Path.of(path)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Lets this program end as Kubernetes' own do: with status 0 when it is asked to, where a JVM's
     * would be 143, and with 1 when {@code main} fails, which is the caller.
     */
    static void endAsComponents() {
        Thread.currentThread().setUncaughtExceptionHandler((_, e) -> {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().unstarted(() -> Runtime.getRuntime().halt(0)));
    }

    /** Ends this program with a last word. */
    static void fail(String word) {
        System.err.println("Error: " + word);
        Runtime.getRuntime().halt(1);
    }
}
