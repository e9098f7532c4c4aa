package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.net.HostFacts;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** {@code config migrate} and {@code config validate}: reads a whole file, strictly. */
public final class ConfigurationConverter {

    private static final Set<String> KUBEADM_KINDS = Set.of(
            Document.INIT, Document.CLUSTER, Document.JOIN, Document.RESET, Document.UPGRADE);

    private final HostFacts facts;
    private final Consumer<String> warnings;

    public ConfigurationConverter(HostFacts facts, Consumer<String> warnings) {
        this.facts = facts;
        this.warnings = warnings;
    }

    /**
     * The file's documents in the current version, with all defaults; component configurations
     * are checked and left out. Empty if there is nothing else.
     *
     * @param experimental whether the experimental version is read, and written
     * @throws UsageException if the file cannot be read, or says what cannot be written
     */
    public String migrate(ConfigurationFile file, boolean experimental) {
        file.documents().forEach(ConfigurationConverter::refuseMergeMethod);
        String text = YamlText.join(convert(file, LoadOptions.MIGRATE, gate(false, experimental)));
        return experimental
                ? text.replaceAll(
                        "(?m)^apiVersion: kubeadm\\.k8s\\.io/v1beta4$",
                        "apiVersion: %s/%s".formatted(Document.KUBEADM_GROUP, Document.V1))
                : text;
    }

    /**
     * Reads the file as the commands would, and throws what they would.
     *
     * @param allowDeprecated whether to say nothing about deprecated versions
     * @param experimental whether the experimental version is read
     * @return what {@code init} makes of it, if it has a document for that
     */
    public Optional<LoadedInit> validate(
            ConfigurationFile file, boolean allowDeprecated, boolean experimental) {
        if (file.documents().stream()
                .noneMatch(document -> KUBEADM_KINDS.contains(document.kind()))) {
            warnings.accept("%s has no document of kubeadm's kinds, so there was nothing to check"
                    .formatted(file.name()));
        }
        file.documents().forEach(ConfigurationConverter::checkMergeMethods);
        convert(file, LoadOptions.INSPECT, gate(!allowDeprecated, experimental));
        if (!has(file, Document.INIT) && !has(file, Document.CLUSTER)) {
            return Optional.empty();
        }
        Consumer<String> toldAlready = warning -> {};
        StrictDecoder gate = new StrictDecoder(true, false, toldAlready);
        return Optional.of(new ConfigurationLoader(
                        facts,
                        toldAlready,
                        experimental
                                ? gate.letting(StrictDecoder.Versions.WITH_EXPERIMENTAL)
                                : gate)
                .init(Optional.of(file), CommandFlags.none(), LoadOptions.INSPECT));
    }

    private StrictDecoder gate(boolean notices, boolean experimental) {
        StrictDecoder gate = new StrictDecoder(true, notices, warnings);
        return experimental ? gate.letting(StrictDecoder.Versions.WITH_EXPERIMENTAL) : gate;
    }

    /** No other value is known than these; the first replaces the default, as always. */
    private static void checkMergeMethods(Document document) {
        mergeMethods(document)
                .filter(method -> !List.of("", "append", "prepend").contains(method))
                .findFirst()
                .ifPresent(method -> {
                    throw new UsageException(
                            "mergeMethod \"%s\" in %s of %s cannot be used"
                                    .formatted(method, document.kind(), document.source()),
                            "there is no such method",
                            "use append or prepend, or leave it out to replace the default");
                });
    }

    private static void refuseMergeMethod(Document document) {
        checkMergeMethods(document);
        mergeMethods(document).filter(method -> !method.isEmpty()).findFirst().ifPresent(method -> {
            throw new UsageException(
                    "mergeMethod \"%s\" in %s of %s cannot be converted"
                            .formatted(method, document.kind(), document.source()),
                    "arguments replace their defaults in every version that deploys",
                    "write the whole value without mergeMethod");
        });
    }

    private static Stream<String> mergeMethods(Object tree) {
        return switch (tree) {
            case Document document
            when document.version().equals(Document.V1) -> mergeMethods(document.tree());
            case Map<?, ?> map ->
                map.entrySet().stream()
                        .flatMap(entry -> entry.getKey().equals(Schemas.MERGE_METHOD)
                                ? Stream.of(String.valueOf(entry.getValue()))
                                : mergeMethods(entry.getValue()));
            case List<?> list -> list.stream().flatMap(ConfigurationConverter::mergeMethods);
            case null, default -> Stream.empty();
        };
    }

    private List<String> convert(ConfigurationFile file, LoadOptions options, StrictDecoder gate) {
        gate.checkKnown(file.documents());
        ConfigurationLoader loader = new ConfigurationLoader(facts, warnings, gate);
        Optional<ConfigurationFile> given = Optional.of(file);
        List<String> documents = new ArrayList<>();
        if (has(file, Document.INIT) || has(file, Document.CLUSTER)) {
            LoadedInit loaded = loader.init(given, CommandFlags.none(), options);
            documents.add(ConfigurationYaml.init(loaded.init()));
            documents.add(ConfigurationYaml.cluster(loaded.cluster()));
        }
        if (has(file, Document.JOIN)) {
            documents.add(ConfigurationYaml.join(join(file, loader, gate, options)));
        }
        if (has(file, Document.RESET)) {
            ResetConfiguration reset = loader.reset(given, CommandFlags.none());
            documents.add(ConfigurationYaml.reset(reset.withCriSocket(
                    loader.dynamic(options).criSocket(reset.criSocket().orElse("")))));
        }
        if (has(file, Document.UPGRADE)) {
            documents.add(ConfigurationYaml.upgrade(
                    loader.upgrade(given, CommandFlags.none(), Optional.empty())));
        }
        return documents;
    }

    /** A v1beta3 ClusterConfiguration beside it carries a limit that concerns the join too. */
    private static JoinConfiguration join(
            ConfigurationFile file,
            ConfigurationLoader loader,
            StrictDecoder gate,
            LoadOptions options) {
        JoinConfiguration join =
                loader.join(Optional.of(file), CommandFlags.none(), Optional.empty(), options);
        return file.document(Document.CLUSTER)
                .map(gate::check)
                .map(cluster -> join.withSettings(
                        join.settings().withTimeouts(V1Beta3.timeouts(cluster, join.timeouts()))))
                .orElse(join);
    }

    private static boolean has(ConfigurationFile file, String kind) {
        return file.document(kind).isPresent();
    }
}
