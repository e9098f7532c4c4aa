package io.kjadm.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

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
     */
    public String migrate(ConfigurationFile file) {
        return YamlText.join(convert(file, LoadOptions.MIGRATE, false));
    }

    /**
     * Reads the file as the commands would, and throws what they would.
     *
     * @param allowDeprecated whether to say nothing about deprecated versions
     */
    public void validate(ConfigurationFile file, boolean allowDeprecated) {
        if (file.documents().stream()
                .noneMatch(document -> KUBEADM_KINDS.contains(document.kind()))) {
            warnings.accept("%s has no document of kubeadm's kinds, so there was nothing to check"
                    .formatted(file.name()));
        }
        convert(file, LoadOptions.INSPECT, !allowDeprecated);
    }

    private List<String> convert(ConfigurationFile file, LoadOptions options, boolean notices) {
        StrictDecoder.checkKnown(file.documents());
        StrictDecoder gate = new StrictDecoder(true, notices, warnings);
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
                .map(cluster -> join.withTimeouts(V1Beta3.timeouts(cluster, join.timeouts())))
                .orElse(join);
    }

    private static boolean has(ConfigurationFile file, String kind) {
        return file.document(kind).isPresent();
    }
}
