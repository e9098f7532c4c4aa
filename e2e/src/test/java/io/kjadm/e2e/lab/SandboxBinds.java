package io.kjadm.e2e.lab;

import com.github.dockerjava.api.model.Bind;
import io.kjadm.e2e.sandbox.StandInKubelet;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a node of the sandbox sees of the test run: its JDK, its classes, and the libraries the
 * stand-ins use.
 */
final class SandboxBinds {
    private static final Set<String> LIBRARIES = Set.of("jackson-core", "jackson-databind",
            "jackson-annotations",
            "jackson-dataformat-yaml", "snakeyaml", "snakeyaml-engine", "bcpkix-jdk18on",
            "bcprov-jdk18on", "bcutil-jdk18on");

    private SandboxBinds() {}

    static List<Bind> all() {
        var binds = new ArrayList<Bind>();
        binds.add(shown(Path.of(System.getProperty("java.home")), "/opt/sandbox/jdk"));
        binds.add(shown(classes(), "/opt/sandbox/classes"));
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of)
                .filter(SandboxBinds::needed)
                .forEach(jar -> binds.add(shown(jar, "/opt/sandbox/lib/" + jar.getFileName())));
        // Debian's packages keep a JDK's configuration outside of it, behind links.
        try (var folders = Files.newDirectoryStream(Path.of("/etc"), "java-*")) {
            folders.forEach(folder -> binds.add(shown(folder, folder.toString())));
        } catch (IOException e) {
            throw new IllegalStateException("could not look into /etc", e);
        }
        return binds;
    }

    private static Bind shown(Path path, String inside) {
        return Bind.parse(path.toAbsolutePath() + ":" + inside + ":ro");
    }

    private static boolean needed(Path jar) {
        var name = jar.getFileName().toString();
        return LIBRARIES.stream().anyMatch(library -> name.matches(library + "-[0-9].*\\.jar"));
    }

    private static Path classes() {
        try {
            return Path.of(StandInKubelet.class.getProtectionDomain().getCodeSource().getLocation()
                    .toURI());
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
