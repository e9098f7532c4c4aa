package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.listing.TokenListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.TokenRequest;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.token.BootstrapTokenStore;
import io.kjadm.core.token.JoinCommandLine;
import io.kjadm.core.token.KubeconfigSearch;
import io.kjadm.core.token.TokenId;
import io.kjadm.core.value.Timeouts;
import io.kjadm.manifests.BootstrapTokenSecret;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm token}: the credentials that machines join with. */
public record TokenCommand(Console console, Function<Console, Reporter> reporters) {

    private static final FlagOption CERTIFICATE_KEY = new FlagOption(
            Flag.CERTIFICATE_KEY,
            "With --print-join-command, print the command for a control-plane node; get a key with 'kjadm init phase upload-certs --upload-certs'");

    public CommandLine build() {
        return CommandBuilder.group("token", "Manage bootstrap tokens", console)
                .inheritedFlags(List.of(
                        new FlagOption(
                                Flag.KUBECONFIG,
                                "The kubeconfig file to use when talking to the cluster (default the first that exists of "
                                        + "those in $KUBECONFIG or $HOME/.kube/config, then /etc/kubernetes/admin.conf)"),
                        new FlagOption(
                                Flag.DRY_RUN,
                                "Don't change the cluster; just output what would be done")))
                .subcommand(create())
                .subcommand(list())
                .subcommand(delete())
                .subcommand(CommandBuilder.running(
                                "generate",
                                "Generate and print a bootstrap token, but do not create it on the server",
                                (flags, words) -> console.print(BootstrapToken.randomText() + "\n"))
                        .example("Generate a token for a configuration file", "")
                        .build())
                .build();
    }

    private CommandLine create() {
        return CommandBuilder.running(
                        "create", "Create bootstrap tokens on the server", this::create)
                .flags(FlagOption.explained(
                        FlagOption.all(
                                Flag.CONFIG,
                                Flag.PRINT_JOIN_COMMAND,
                                Flag.CERTIFICATE_KEY,
                                Flag.TTL,
                                Flag.USAGES,
                                Flag.GROUPS,
                                Flag.DESCRIPTION),
                        CERTIFICATE_KEY))
                .words(
                        "token",
                        1,
                        "The token, in the format [a-z0-9]{6}.[a-z0-9]{16}; a random one if not given")
                .example(
                        "Create a token and print the command that joins a worker node",
                        "--print-join-command")
                .example("Create a token that is valid for two hours", "--ttl 2h")
                .build();
    }

    private CommandLine list() {
        return CommandBuilder.running(
                        "list",
                        "List bootstrap tokens on the server",
                        (flags, words) -> list(flags))
                .flags(OutputFlags.ALL)
                .example("List the tokens", "")
                .example("List the tokens as YAML", "-o yaml")
                .build();
    }

    private CommandLine delete() {
        return CommandBuilder.running(
                        "delete", "Delete bootstrap tokens on the server", this::delete)
                .words("token-value|token-id", "Tokens, or their IDs (the first 6 characters)")
                .example("Delete a token by its ID", "abcdef")
                .build();
    }

    private void create(CommandFlags flags, List<String> words) {
        Reporter out = reporters.apply(console);
        boolean printJoinCommand = flags.isOn(Flag.PRINT_JOIN_COMMAND);
        boolean keyed =
                flags.text(Flag.CERTIFICATE_KEY).filter(key -> !key.isEmpty()).isPresent();
        if (keyed && !printJoinCommand) {
            throw new UsageException(
                    "--certificate-key can only be used with --print-join-command",
                    "",
                    "add --print-join-command, or leave out the key");
        }
        Optional<ConfigurationFile> file = Composition.configurationFile(flags);
        TokenRequest request = file.map(
                        given -> TokenRequest.of(given, flags, Composition.loader(out)))
                .orElseGet(() -> TokenRequest.of(flags, words.stream().findFirst(), out::warn));
        String first = request.tokens().getFirst().token();
        try (Composition composition = composition(flags, out)) {
            Path kubeconfig = kubeconfig(composition, flags);
            KubeAccess access = composition.clients().access(kubeconfig);
            if (printJoinCommand && access.pinnedCa().isEmpty()) {
                throw JoinCommandLine.withoutCa(kubeconfig);
            }
            BootstrapTokenStore store = store(composition, access, request.timeouts());
            for (BootstrapToken token : request.tokens()) {
                asking(
                        out,
                        () -> store.create(
                                token.asSecret(composition.ports().waiter().now())));
            }
            console.print((printJoinCommand
                            ? joinCommand(access, first, request.certificateKey())
                            : first)
                    + "\n");
        }
    }

    private void list(CommandFlags flags) {
        Reporter out = reporters.apply(console);
        Optional<ObjectWriter> writer = OutputFlags.writer(flags);
        try (Composition composition = composition(flags, out)) {
            BootstrapTokenStore store =
                    store(composition, access(composition, flags), Timeouts.DEFAULTS);
            List<BootstrapTokenSecret> tokens = new ArrayList<>();
            asking(out, () -> tokens.addAll(store.list(out::warn)));
            TokenListing listing =
                    new TokenListing(tokens, composition.ports().waiter().now());
            console.print(writer.map(chosen -> chosen.write(listing.objects()))
                    .orElseGet(listing::table));
        }
    }

    private void delete(CommandFlags flags, List<String> words) {
        if (words.isEmpty()) {
            throw new UsageException(
                    "a token is missing",
                    "delete removes those that are named",
                    "name tokens or their ids: kjadm token delete abcdef");
        }
        // a mistyped one is refused before any other is gone
        List<TokenId> ids = words.stream().map(TokenId::of).toList();
        Reporter out = reporters.apply(console);
        BootstrapTokenStore.Absent absent = flags.isOn(Flag.DRY_RUN)
                ? BootstrapTokenStore.Absent.PASSED_OVER
                : BootstrapTokenStore.Absent.REFUSED;
        try (Composition composition = composition(flags, out)) {
            BootstrapTokenStore store =
                    store(composition, access(composition, flags), Timeouts.DEFAULTS);
            for (TokenId id : ids) {
                asking(out, () -> store.delete(id, absent));
                console.print("bootstrap token \"%s\" deleted%n".formatted(id.text()));
            }
        }
    }

    private static void asking(Reporter out, Runnable question) {
        out.during("token", "Asking the API server", () -> {
            question.run();
            return true;
        });
    }

    private static String joinCommand(
            KubeAccess access, String token, Optional<String> certificateKey) {
        JoinCommandLine line = new JoinCommandLine(
                access.server(), access.pinnedCa().orElseThrow(), token, certificateKey);
        return certificateKey.isPresent() ? line.controlPlane() : line.worker();
    }

    private Composition composition(CommandFlags flags, Reporter out) {
        return new Composition(out, flags.isOn(Flag.DRY_RUN));
    }

    private static BootstrapTokenStore store(
            Composition composition, KubeAccess access, Timeouts timeouts) {
        return new BootstrapTokenStore(
                composition.clients().as(access),
                new KubeCalls(composition.ports().waiter(), timeouts.kubernetesApiCall()));
    }

    private static Path kubeconfig(Composition composition, CommandFlags flags) {
        return new KubeconfigSearch(composition.ports().files(), System.getenv())
                .find(flags.text(Flag.KUBECONFIG));
    }

    private static KubeAccess access(Composition composition, CommandFlags flags) {
        return composition.clients().access(kubeconfig(composition, flags));
    }
}
