package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.TextInput;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A configuration text, split into its documents; read, none of them has been looked into yet. */
public final class ConfigurationFile {

    private final String name;
    private final List<Document> documents;

    ConfigurationFile(String name, List<Document> documents) {
        this.name = name;
        this.documents = documents;
    }

    /**
     * Reads a file.
     *
     * @throws UsageException if it cannot be read, has more than 3 MiB, is not UTF-8, or is not
     *         made of documents with a kind each
     */
    public static ConfigurationFile read(Path path) {
        try {
            return of(path.toString(), TextInput.of(path));
        } catch (IOException e) {
            throw new UsageException(
                    "configuration file %s cannot be read".formatted(path),
                    TextInput.reason(e),
                    "check the path that was given",
                    e);
        }
    }

    /**
     * Takes a text.
     *
     * @param name what it is called in messages
     * @throws UsageException if it is not made of documents with a kind each
     */
    public static ConfigurationFile of(String name, String text) {
        List<Document> documents = new ArrayList<>();
        Set<String> kinds = new HashSet<>();
        for (String part : split(name, text)) {
            Document document = document(name, part, documents.size() + 1);
            if (!kinds.add(document.kind())) {
                throw new UsageException(
                        "%s gives kind %s twice".formatted(name, document.kind()),
                        "",
                        "keep one document of each kind");
            }
            documents.add(document);
        }
        return new ConfigurationFile(name, List.copyOf(documents));
    }

    /** What the text is called in messages. */
    public String name() {
        return name;
    }

    /**
     * The same file if none of its documents has kubeadm's old API version.
     *
     * @throws UsageException naming the first that has
     */
    public ConfigurationFile withoutV1Beta3() {
        documents.stream()
                .filter(document -> document.group().equals(Document.KUBEADM_GROUP)
                        && document.version().equals(Document.V1BETA3))
                .findFirst()
                .ifPresent(document -> {
                    throw new UsageException(
                            "your configuration file uses an old API spec: \"%s\" (kind: \"%s\")"
                                    .formatted(document.apiVersion(), document.kind()),
                            "kubeadm 1.37 and newer do not read it, and this program was called as kubeadm",
                            "convert it: kjadm config migrate --old-config %s --new-config NEW-FILE"
                                    .formatted(name));
                });
        return this;
    }

    List<Document> documents() {
        return documents;
    }

    Optional<Document> document(String kind) {
        return documents.stream()
                .filter(document -> document.kind().equals(kind))
                .findFirst();
    }

    /**
     * Splits at lines that begin with {@code ---}. Such a line with nothing before it belongs to
     * the document that follows, so a leading one is fine, and so is a trailing one.
     */
    private static List<String> split(String name, String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (String line : text.split("(?<=\\n)")) {
            if (line.startsWith("---")) {
                String rest = line.substring(3).strip();
                if (!rest.isEmpty() && !rest.startsWith("#")) {
                    throw new UsageException(
                            "%s has an invalid document separator".formatted(name),
                            "\"%s\"".formatted(line.strip()),
                            "remove what follows the dashes");
                }
                if (!part.isEmpty()) {
                    parts.add(part.toString());
                    part.setLength(0);
                    continue;
                }
            }
            part.append(line);
        }
        if (!part.isEmpty()) {
            parts.add(part.toString());
        }
        return parts;
    }

    private static Document document(String name, String text, int number) {
        String source = "document %d of %s".formatted(number, name);
        YamlReader reader = new YamlReader();
        Map<String, Object> tree =
                reader.read(source, text) instanceof Map<?, ?> map ? YamlTrees.map(map) : Map.of();
        String apiVersion =
                YamlTrees.at(tree, "apiVersion").map(Object::toString).orElse("");
        String kind = YamlTrees.at(tree, "kind").map(Object::toString).orElse("");
        int slash = apiVersion.indexOf('/');
        if (kind.isEmpty() || slash <= 0) {
            throw new UsageException(
                    "%s is not a configuration".formatted(source),
                    "apiVersion \"%s\" and kind \"%s\"".formatted(apiVersion, kind)
                            + " were found, but a group, a version and a kind are mandatory",
                    "write for example apiVersion: kubeadm.k8s.io/v1beta4, and remove documents "
                            + "that consist of comments only");
        }
        return new Document(
                name,
                apiVersion.substring(0, slash),
                apiVersion.substring(slash + 1),
                kind,
                tree,
                reader.duplicates(),
                Map.of());
    }
}
