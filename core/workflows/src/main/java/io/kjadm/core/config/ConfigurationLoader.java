package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.net.HostFacts;
import io.kjadm.core.value.UnmountFlag;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Loads configuration for a run: from a file or from flags, completed with defaults and with what
 * the machine tells, and checked. All refusals are {@link UsageException}s and come before
 * anything is touched.
 */
public final class ConfigurationLoader {

    private static final Set<String> INIT_KINDS =
            Set.of(Document.INIT, Document.CLUSTER, Document.KUBELET, Document.KUBE_PROXY);

    private final HostFacts facts;
    private final Consumer<String> warnings;
    private final StrictDecoder gate;

    /**
     * Makes a loader.
     *
     * @param warnings takes sentences about what works but should be reconsidered
     */
    public ConfigurationLoader(HostFacts facts, Consumer<String> warnings) {
        this(facts, warnings, new StrictDecoder(false, true, warnings));
    }

    ConfigurationLoader(HostFacts facts, Consumer<String> warnings, StrictDecoder gate) {
        this.facts = facts;
        this.warnings = warnings;
        this.gate = gate;
    }

    /** What {@code init} and everything about the cluster as a whole is configured with. */
    public LoadedInit init(
            Optional<ConfigurationFile> file, CommandFlags flags, LoadOptions options) {
        file.ifPresent(given -> flags.requireBesideConfig());
        ConfigurationFile documents = file.map(this::initDocuments).orElseGet(() -> {
            FlagDocuments given = new FlagDocuments(flags);
            return checked("the command line", List.of(given.init(), given.cluster()));
        });
        return new InitLoader(dynamic(options), warnings).load(documents, flags);
    }

    /**
     * What {@code join} is configured with.
     *
     * @param endpoint the positional argument; with a file it is not needed and not looked at
     */
    public JoinConfiguration join(
            Optional<ConfigurationFile> file,
            CommandFlags flags,
            Optional<String> endpoint,
            LoadOptions options) {
        file.ifPresent(given -> flags.requireBesideConfig());
        Document document = gate.check(file.map(given -> only(given, Document.JOIN))
                .orElseGet(() -> new FlagDocuments(flags)
                        .join(endpoint, options.adminConf().map(Path::toString), warnings)));
        FieldErrors errors = FieldErrors.none();
        JoinConfiguration join = new JoinReader(document, errors, warnings).read();
        join = detected(override(join, flags), dynamic(options));
        CommonReader.checkName(join.nodeRegistration(), errors.of(document));
        errors.throwIfAny(document.source());
        return join;
    }

    /** What {@code reset} is configured with; what only the cluster knows stays empty. */
    public ResetConfiguration reset(Optional<ConfigurationFile> file, CommandFlags flags) {
        file.ifPresent(given -> flags.requireBesideConfig());
        Document document = gate.check(file.map(given -> only(given, Document.RESET))
                .orElseGet(() -> new FlagDocuments(flags).reset()));
        FieldErrors errors = FieldErrors.none();
        ResetConfiguration reset = new ResetReader(document, errors, warnings).read();
        errors.throwIfAny(document.source());
        List<String> phases = flags.list(Flag.SKIP_PHASES);
        return new ResetConfiguration(
                flags.bool(Flag.CLEANUP_TMP_DIR).orElse(reset.cleanupTmpDir()),
                reset.certificatesDir(),
                reset.criSocket(),
                flags.bool(Flag.DRY_RUN).orElse(reset.dryRun()),
                flags.bool(Flag.FORCE).orElse(reset.force()),
                flags.bool(Flag.FORCE_LAST_MEMBER).orElse(false),
                flags.ignoredChecks(reset.ignorePreflightErrors()),
                phases.isEmpty() ? reset.skipPhases() : phases,
                reset.unmountFlags(),
                reset.timeouts());
    }

    /**
     * What the {@code upgrade} commands are configured with; versions are as written.
     *
     * @param version the positional argument, which counts more than the file
     */
    public UpgradeConfiguration upgrade(
            Optional<ConfigurationFile> file, CommandFlags flags, Optional<String> version) {
        file.ifPresent(given -> flags.requireBesideConfig());
        return upgradePhase(file, flags, version);
    }

    /** The same for a single phase: there, all its flags may stand beside a file, and win. */
    public UpgradeConfiguration upgradePhase(
            Optional<ConfigurationFile> file, CommandFlags flags, Optional<String> version) {
        Document document = gate.check(file.map(given -> only(given, Document.UPGRADE))
                .orElseGet(() ->
                        Document.of("the command line", Document.UPGRADE, Map.of(), Map.of())));
        FieldErrors errors = FieldErrors.none();
        UpgradeConfiguration upgrade = new UpgradeReader(document, errors).read();
        errors.throwIfAny(document.source());
        return UpgradeReader.override(upgrade, flags, version);
    }

    DynamicDefaults dynamic(LoadOptions options) {
        return new DynamicDefaults(facts, options, warnings);
    }

    private ConfigurationFile initDocuments(ConfigurationFile file) {
        file.documents().stream()
                .filter(document -> !INIT_KINDS.contains(document.kind()))
                .forEach(this::warnAboutIgnored);
        Optional<Document> init = file.document(Document.INIT);
        Optional<Document> cluster = file.document(Document.CLUSTER);
        if (init.isEmpty() && cluster.isEmpty()) {
            throw new UsageException(
                    "%s has neither InitConfiguration nor ClusterConfiguration"
                            .formatted(file.name()),
                    "",
                    "add one of them");
        }
        List<Document> documents = new ArrayList<>();
        documents.add(init.orElseGet(() -> absent(file, Document.INIT)));
        documents.add(cluster.map(given -> RemovedGates.ofFile(given, warnings))
                .orElseGet(() -> absent(file, Document.CLUSTER)));
        file.document(Document.KUBELET).ifPresent(documents::add);
        file.document(Document.KUBE_PROXY).ifPresent(documents::add);
        return checked(file.name(), documents);
    }

    private ConfigurationFile checked(String name, List<Document> documents) {
        return new ConfigurationFile(name, documents.stream().map(gate::check).toList());
    }

    private Document only(ConfigurationFile file, String kind) {
        file.documents().stream()
                .filter(document -> !document.kind().equals(kind))
                .forEach(this::warnAboutIgnored);
        return file.document(kind)
                .orElseThrow(() -> new UsageException(
                        "%s has no %s".formatted(file.name(), kind), "", "add that document"));
    }

    private void warnAboutIgnored(Document document) {
        warnings.accept("%s %s in %s is ignored here"
                .formatted(document.apiVersion(), document.kind(), document.source()));
    }

    private static Document absent(ConfigurationFile file, String kind) {
        return Document.of(file.name(), kind, Map.of(), Map.of());
    }

    private static JoinConfiguration override(JoinConfiguration join, CommandFlags flags) {
        return join.withNodeRegistration(join.nodeRegistration().overriddenBy(flags))
                .withSettings(join.settings().overriddenBy(flags));
    }

    private static JoinConfiguration detected(JoinConfiguration join, DynamicDefaults dynamic) {
        return join.withNodeRegistration(dynamic.nodeRegistration(
                        join.nodeRegistration(), join.controlPlane().isPresent()))
                .withControlPlane(join.controlPlane()
                        .map(part -> part.withLocalApiEndpoint(
                                dynamic.endpoint(part.localApiEndpoint()))));
    }

    /** Reads ResetConfiguration. */
    private static final class ResetReader {

        private final TreeView view;
        private final Consumer<String> warnings;

        ResetReader(Document document, FieldErrors errors, Consumer<String> warnings) {
            this.view = TreeView.of(document, errors);
            this.warnings = warnings;
        }

        ResetConfiguration read() {
            return new ResetConfiguration(
                    view.flag("cleanupTmpDir", false),
                    view.absolutePath("certificatesDir"),
                    CommonReader.criSocket(view, warnings),
                    view.flag("dryRun", false),
                    view.flag("force", false),
                    false,
                    view.texts("ignorePreflightErrors"),
                    CommonReader.skipPhases(view),
                    unmountFlags(),
                    CommonReader.timeouts(view.object("timeouts")));
        }

        private List<UnmountFlag> unmountFlags() {
            List<String> texts = view.texts("unmountFlags");
            for (int i = 0; i < texts.size(); i++) {
                if (flag(texts.get(i)).isEmpty()) {
                    view.invalid(
                            "unmountFlags",
                            "index " + i,
                            "unknown flag %s, known ones are %s"
                                    .formatted(
                                            texts.get(i), Arrays.toString(UnmountFlag.values())));
                }
            }
            return texts.stream()
                    .map(ResetReader::flag)
                    .flatMap(Optional::stream)
                    .toList();
        }

        private static Optional<UnmountFlag> flag(String text) {
            return Arrays.stream(UnmountFlag.values())
                    .filter(flag -> flag.name().equals(text))
                    .findFirst();
        }
    }
}
