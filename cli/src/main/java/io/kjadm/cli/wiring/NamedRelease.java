package io.kjadm.cli.wiring;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.manifests.KubernetesReleases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The release of Kubernetes that {@code version} names: the newest that this program knows, or
 * another patch release of a minor that it serves. Some callers compare it for equality with the
 * release that they deploy, which may be newer than this program.
 */
public final class NamedRelease {

    static final String VARIABLE = "KJADM_KUBERNETES_VERSION";
    static final Path FILE = Path.of("/etc/kjadm/kubernetes-version");

    private static final Pattern RELEASE =
            Pattern.compile("v?1\\.(0|[1-9][0-9]{0,3})\\.(0|[1-9][0-9]{0,3})");

    private NamedRelease() {}

    /** What the environment says, else the file, else the newest; such as {@code v1.36.2}. */
    public static String ofMachine() {
        return of(System.getenv(), FILE, KubernetesReleases.KNOWN);
    }

    static String of(Map<String, String> environment, Path file, KubernetesReleases releases) {
        String variable = environment.getOrDefault(VARIABLE, "").strip();
        if (!variable.isEmpty()) {
            return served(variable, "$" + VARIABLE, releases);
        }
        return read(file)
                .map(text -> served(text, file.toString(), releases))
                .orElseGet(() -> releases.newest().newestRelease());
    }

    private static Optional<String> read(Path file) {
        try {
            return Optional.of(Files.readString(file).strip()).filter(text -> !text.isEmpty());
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new HostException(
                    "could not read %s".formatted(file),
                    e.toString(),
                    "make it readable, or delete it: it names the release that \"version\" shows",
                    e);
        }
    }

    private static String served(String text, String source, KubernetesReleases releases) {
        Matcher release = RELEASE.matcher(text);
        if (release.matches()
                && releases.served().stream()
                        .anyMatch(row -> row.minor() == Integer.parseInt(release.group(1)))) {
            return text.startsWith("v") ? text : "v" + text;
        }
        throw new UsageException(
                "%s names \"%s\"".formatted(source, text),
                "this program supports Kubernetes %s"
                        .formatted(releases.served().stream()
                                .map(row -> "1." + row.minor())
                                .collect(Collectors.joining(" and "))),
                "write a release of these, such as %s, or remove the setting"
                        .formatted(releases.newest().newestRelease()));
    }
}
