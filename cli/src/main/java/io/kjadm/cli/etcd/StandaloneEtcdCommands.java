package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.listing.EtcdListing;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdVersion;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The commands about a standalone etcd, on machines without Kubernetes; {@code kjadm etcd info} and
 * {@code download} themselves.
 */
record StandaloneEtcdCommands(
        Console console,
        Function<Console, Reporter> reporters,
        EtcdSessions sessions,
        UnaryOperator<EtcdConnector> etcd) {

    /** @param withPhases whether anybody will look at the single phases */
    List<CommandLine> build(boolean withPhases) {
        List<CommandLine> commands = new ArrayList<>(
                new StandaloneSetupCommands(console, reporters, etcd).build(withPhases));
        commands.addAll(new StandaloneRemovalCommands(console, reporters, etcd).build());
        commands.addAll(List.of(
                CommandBuilder.running(
                                "info",
                                "Show the etcd member of this machine",
                                (flags, words) -> info(flags))
                        .flags(OutputFlags.WITH_TABLE)
                        .example("Show the member", "")
                        .example("Print it as JSON", "-o json")
                        .build(),
                CommandBuilder.running(
                                "download",
                                "Download an etcd release to the cache, and verify it",
                                (flags, words) -> download(flags))
                        .flags(StandaloneSetupCommands.MEMBER.stream()
                                .filter(option -> List.of(
                                                Flag.ALLOW_INSECURE_RELEASE_SERVER,
                                                Flag.DRY_RUN,
                                                Flag.RELEASE_URL,
                                                Flag.VERSION)
                                        .contains(option.flag()))
                                .toList())
                        .example("Download one release", "--version 3.6.8")
                        .build()));
        return commands;
    }

    private void info(CommandFlags flags) {
        var writer = OutputFlags.writerOrTable(flags);
        sessions.with(flags, (session, composition) -> {
            EtcdStatus status = EtcdSessions.asking(composition.out(), session::status);
            EtcdListing listing = new EtcdListing(
                    status.only(
                            session.own()
                                    .orElseThrow(
                                            () -> new ClusterException(
                                                    "etcd on this machine does not respond",
                                                    "so it is unknown which member runs here",
                                                    "check 'systemctl status etcd'; 'kjadm etcd status' shows all members"))));
            console.print(writer.map(chosen -> chosen.write(listing.objects()))
                    .orElseGet(listing::table));
        });
    }

    private void download(CommandFlags typed) {
        CommandFlags flags =
                ForeignFlags.none(typed, Flag.CERT_DIR, Flag.ENDPOINTS, Flag.KUBECONFIG);
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, flags.isOn(Flag.DRY_RUN))) {
            EtcdVersion version = EtcdRunLoader.version(flags, Optional.empty());
            StandaloneEtcd etcd = new StandaloneEtcd(composition);
            Path archive = etcd.programs().fetch(version, etcd.loader().options(flags, true), out);
            out.step("download", "etcd %s is in %s".formatted(version, archive));
        }
    }
}
