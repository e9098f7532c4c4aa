package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FeatureGateHelp;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.Flags;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.ImageFetcher;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.core.value.KubernetesVersion;

import picocli.CommandLine;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** {@code kjadm config images}: the images of a control-plane node. */
record ConfigImagesCommand(Console console, Function<Console, Reporter> reporters) {

    /** Configuration they depend on; a file takes the place of all of these. */
    private static final List<FlagOption> CLUSTER = FlagOption.explained(
            FlagOption.all(
                    Flag.CONFIG,
                    Flag.FEATURE_GATES,
                    Flag.IMAGE_REPOSITORY,
                    Flag.KUBERNETES_VERSION),
            Flags.FEATURE_GATES);

    CommandLine build() {
        return CommandBuilder.group(
                        "images", "Interact with container images used by kjadm", console)
                .subcommand(CommandBuilder.running(
                                "list",
                                "Print a list of images kjadm will use",
                                (flags, words) -> list(flags))
                        .flags(Stream.concat(CLUSTER.stream(), OutputFlags.ALL.stream())
                                .toList())
                        .example("List the images of the default version", "")
                        .example(
                                "List the images of one version, as JSON",
                                "--kubernetes-version %s -o json"
                                        .formatted(KubernetesVersion.CURRENT))
                        .build())
                .subcommand(CommandBuilder.running(
                                "pull", "Pull images used by kjadm", (flags, words) -> pull(flags))
                        .flags(FlagOption.all(CLUSTER, Flag.CRI_SOCKET))
                        .example("Pull the images before 'kjadm init'", "")
                        .example(
                                "Pull the images that a configuration file names",
                                "--config config.yaml")
                        .build())
                .build();
    }

    private void list(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writer(flags);
        List<String> images = Images.all(
                load(flags, LoadOptions.INSPECT, reporters.apply(console)).cluster());
        console.print(writer.map(chosen -> chosen.write(
                        List.of(OutputFormat.object("Images", Map.of("images", images)))))
                .orElseGet(() -> String.join("\n", images) + "\n"));
    }

    private void pull(CommandFlags flags) {
        Reporter out = reporters.apply(console);
        // as for migrate, all that the machine can tell but an address
        LoadedInit loaded = load(flags, LoadOptions.MIGRATE, out);
        try (Composition composition = new Composition(out, false)) {
            ContainerRuntime runtime = composition
                    .ports()
                    .machine()
                    .runtimes()
                    .connect(loaded.init().nodeRegistration().criSocket());
            ImageFetcher fetcher = new ImageFetcher(runtime, ImagePullPolicy.ALWAYS);
            for (String image : Images.all(loaded.cluster())) {
                out.during("config/images", "Pulling " + image, () -> {
                    fetcher.fetch(image);
                    return image;
                });
                out.step("config/images", "Pulled " + image);
            }
        }
    }

    /** Flags beside a file are allowed and count for nothing. */
    private static LoadedInit load(CommandFlags flags, LoadOptions options, Reporter out) {
        Optional<ConfigurationFile> file = Composition.configurationFile(flags);
        CommandFlags counting = file.isPresent() ? CommandFlags.none() : flags;
        counting.text(Flag.FEATURE_GATES).ifPresent(FeatureGateHelp::requireNoSlip);
        return out.during(
                "config/images",
                "Reading the configuration",
                () -> Composition.loader(out).init(file, counting, options));
    }
}
