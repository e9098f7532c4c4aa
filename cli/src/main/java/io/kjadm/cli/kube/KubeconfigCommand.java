package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.NodeOfConfiguration;
import io.kjadm.core.certs.UserKubeconfig;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.GoDuration;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import picocli.CommandLine;

import java.time.Duration;
import java.util.function.Function;

/** {@code kjadm kubeconfig}: kubeconfigs for people and programs. */
public record KubeconfigCommand(Console console, Function<Console, Reporter> reporters) {

    public CommandLine build() {
        CommandLine[] self = new CommandLine[1];
        self[0] = CommandBuilder.running(
                        "kubeconfig",
                        "Kubeconfig file utilities",
                        (flags, words) -> self[0].usage(console.out()))
                .subcommand(CommandBuilder.running(
                                "user",
                                "Output a kubeconfig file for an additional user; it grants access as that user",
                                (flags, words) -> user(flags))
                        .flags(
                                FlagOption.explained(
                                        FlagOption.all(
                                                Flag.CLIENT_NAME,
                                                Flag.CONFIG,
                                                Flag.ORG,
                                                Flag.TOKEN,
                                                Flag.VALIDITY_PERIOD),
                                        new FlagOption(
                                                Flag.TOKEN,
                                                "The token to put into the kubeconfig instead of a client certificate")))
                        .example(
                                "Output a kubeconfig for user foo, valid for one day",
                                "--client-name foo --validity-period 24h")
                        .example(
                                "Output a kubeconfig for a user of a group",
                                "--client-name foo --org dev-team")
                        .build())
                .build();
        return self[0];
    }

    private void user(CommandFlags flags) {
        Reporter out = reporters.apply(console.withResultsAlone());
        UserKubeconfig.User user = new UserKubeconfig.User(
                flags.text(Flag.CLIENT_NAME).orElse(""),
                flags.list(Flag.ORG),
                flags.text(Flag.TOKEN).filter(token -> !token.isEmpty()));
        Duration validity = flags.text(Flag.VALIDITY_PERIOD)
                .map(KubeconfigCommand::duration)
                .orElse(CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY);
        try (Composition composition = new Composition(out, false)) {
            ControlPlaneNode node = NodeOfConfiguration.load(flags, composition, out);
            console.print(new UserKubeconfig(
                            composition.ports().files(),
                            KeyPairPool.onDemand(KeyAlgorithm.DEFAULT),
                            out)
                    .make(node, user, validity));
        }
    }

    private static Duration duration(String text) {
        return GoDuration.parse(text)
                .orElseThrow(() -> new UsageException(
                        "--validity-period \"%s\" is not a duration".formatted(text),
                        "",
                        "write it as 24h or 8760h"));
    }
}
