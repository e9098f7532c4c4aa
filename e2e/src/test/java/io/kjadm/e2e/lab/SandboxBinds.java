package io.kjadm.e2e.lab;

import com.github.dockerjava.api.model.Bind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node of the sandbox sees of the build: a JDK, and the stand-ins with the libraries they
 * use, as the build of this module packs them.
 */
final class SandboxBinds {
    private SandboxBinds() {}

    static List<Bind> all() {
        var binds = new ArrayList<Bind>();
        binds.add(shown(Path.of(System.getProperty("java.home")), "/opt/sandbox-jdk"));
        binds.add(shown(Checkout.folder("e2e/target/sandbox"), "/opt/sandbox/lib"));
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
}
