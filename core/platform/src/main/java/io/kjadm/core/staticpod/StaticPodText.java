package io.kjadm.core.staticpod;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;

import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A static pod's manifest as it is on disk: what its first container really runs with, whoever
 * wrote or patched the file.
 */
public final class StaticPodText {

    private final Map<?, ?> spec;
    private final Map<?, ?> container;

    private StaticPodText(Map<?, ?> spec, Map<?, ?> container) {
        this.spec = spec;
        this.container = container;
    }

    /** The manifest of a component of this node; empty if there is none. */
    public static Optional<StaticPodText> of(
            HostFiles files, KubernetesPaths paths, String component) {
        return files.read(paths.manifest(component)).flatMap(StaticPodText::parse);
    }

    /** Empty if the text is no pod with a container. */
    public static Optional<StaticPodText> parse(String yaml) {
        Map<?, ?> spec;
        try {
            spec = map(ManifestYaml.readObject(yaml).get("spec"));
        } catch (ManifestException e) {
            return Optional.empty();
        }
        return maps(spec, "containers")
                .findFirst()
                .map(container -> new StaticPodText(spec, container));
    }

    /** The container's image. */
    public Optional<String> image() {
        return Optional.ofNullable(container.get("image"))
                .map(String::valueOf)
                .filter(name -> !name.isBlank());
    }

    /** The value of a flag that counts: the last one. */
    public Optional<String> flag(String flag) {
        String prefix = "--" + flag + "=";
        return Stream.of("command", "args")
                .flatMap(part -> list(container.get(part)).stream())
                .map(String::valueOf)
                .filter(word -> word.startsWith(prefix))
                .reduce((former, latter) -> latter)
                .map(word -> word.substring(prefix.length()));
    }

    /** The same, where a flag without a value is {@code true}, and one dash does as two, as in Go. */
    public Optional<String> flagOrSwitch(String flag) {
        return Stream.of("command", "args")
                .flatMap(part -> list(container.get(part)).stream())
                .map(word -> String.valueOf(word).replaceFirst("^--?", "--"))
                .filter(word -> word.equals("--" + flag) || word.startsWith("--" + flag + "="))
                .reduce((former, latter) -> latter)
                .map(word -> word.contains("=") ? word.substring(word.indexOf('=') + 1) : "true");
    }

    /** The URLs that a flag lists, without those that are none. */
    public Set<URI> urls(String flag) {
        Set<URI> urls = new LinkedHashSet<>();
        flag(flag).stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .flatMap(text -> url(text).stream())
                .forEach(urls::add);
        return urls;
    }

    /** A URL with a host, if the text is one. */
    public static Optional<URI> url(String text) {
        try {
            return Optional.of(URI.create(text.strip()))
                    .filter(url -> url.getScheme() != null && url.getHost() != null);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The path on the host that a volume shows to the pod. */
    public Optional<Path> hostPath(String volume) {
        return maps(spec, "volumes")
                .filter(candidate -> volume.equals(candidate.get("name")))
                .flatMap(found -> Stream.ofNullable(map(found.get("hostPath")).get("path")))
                .map(path -> Path.of(String.valueOf(path)))
                .findFirst();
    }

    /**
     * Where the machine has a directory that its container sees in a volume of the machine; empty if
     * the container does not see it there.
     */
    public Optional<Path> onHost(String volume, Path directory) {
        return hostPath(volume)
                .flatMap(host -> maps(container, "volumeMounts")
                        .filter(mount -> volume.equals(mount.get("name")))
                        .map(mount -> Path.of(String.valueOf(mount.get("mountPath"))))
                        .filter(directory::startsWith)
                        .map(mount -> host.resolve(mount.relativize(directory)))
                        .findFirst());
    }

    private static Stream<Map<?, ?>> maps(Map<?, ?> object, String field) {
        return list(object.get(field)).stream()
                .filter(Map.class::isInstance)
                .map(StaticPodText::map);
    }

    private static Map<?, ?> map(Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static List<?> list(Object value) {
        return value instanceof List<?> list ? list : List.of();
    }
}
