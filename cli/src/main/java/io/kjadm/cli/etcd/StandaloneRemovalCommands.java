package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.EtcdReset;
import io.kjadm.core.timing.Timings;
import io.kjadm.etcd.EtcdConnector;

import picocli.CommandLine;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * {@code kjadm etcd reset} and {@code teardown}: the end of a member, and of an etcd.
 *
 * @param etcd how these commands reach etcd
 */
record StandaloneRemovalCommands(
        Console console, Function<Console, Reporter> reporters, UnaryOperator<EtcdConnector> etcd) {

    private static final List<FlagOption> RESET = FlagOption.explained(
            FlagOption.all(
                    Flag.DRY_RUN,
                    Flag.FORCE,
                    Flag.FORCE_LAST_MEMBER,
                    Flag.PURGE_PKI,
                    Flag.SKIP_REMOVE_MEMBER,
                    Flag.YES),
            new FlagOption(
                    Flag.FORCE,
                    "Do not ask for confirmation, and stop etcd even if it is unknown whether the others list this member; its data is kept"),
            new FlagOption(Flag.YES, "Do not ask for confirmation"));

    private static final List<FlagOption> TEARDOWN = FlagOption.explained(
            FlagOption.all(Flag.DELETE_DATA, Flag.DRY_RUN, Flag.FORCE, Flag.YES),
            new FlagOption(
                    Flag.FORCE,
                    "Do not ask for confirmation, and stop etcd even if it is unknown whether the others list this member; its data is kept"),
            new FlagOption(Flag.YES, "Do not ask for confirmation"));

    List<CommandLine> build() {
        return List.of(
                CommandBuilder.running(
                                "reset",
                                "Remove this machine's member from its standalone etcd cluster, and rename its data directory",
                                (flags, words) -> reset(flags))
                        .flags(RESET)
                        .example("Remove this machine's member, after confirmation", "")
                        .example("Show what would be done", "--dry-run")
                        .build(),
                CommandBuilder.running(
                                "teardown",
                                "Remove the standalone etcd member and all installed files from this machine, even if it is the last member",
                                (flags, words) -> teardown(flags))
                        .flags(TEARDOWN)
                        .example("Remove etcd from this machine, and keep its data", "")
                        .example("Also delete the data", "--delete-data --yes")
                        .build());
    }

    private void reset(CommandFlags typed) {
        List<URI> asked =
                EtcdTarget.of(typed.list(Flag.ENDPOINTS), Optional.empty()).endpoints();
        CommandFlags flags = ForeignFlags.none(typed, Flag.CERT_DIR, Flag.KUBECONFIG);
        boolean force = flags.isOn(Flag.FORCE) || flags.isOn(Flag.SKIP_REMOVE_MEMBER);
        reset(
                flags,
                new EtcdReset.Options(
                                force,
                                flags.isOn(Flag.FORCE_LAST_MEMBER),
                                flags.isOn(Flag.PURGE_PKI))
                        .asking(asked),
                "This machine's etcd member will leave its cluster, and its service and certificates will be removed.");
    }

    private void teardown(CommandFlags typed) {
        CommandFlags flags =
                ForeignFlags.none(typed, Flag.CERT_DIR, Flag.ENDPOINTS, Flag.KUBECONFIG);
        boolean deleteData = flags.isOn(Flag.DELETE_DATA);
        reset(
                flags,
                EtcdReset.Options.teardown(flags.isOn(Flag.FORCE), deleteData),
                "This machine's etcd member will leave its cluster, which ends if it is the last one, and %s will be removed."
                        .formatted(
                                deleteData
                                        ? "its programs, certificates, CA and data"
                                        : "its programs, certificates and CA"));
    }

    private void reset(CommandFlags flags, EtcdReset.Options options, String consequence) {
        Reporter out = reporters.apply(console);
        boolean dry = flags.isOn(Flag.DRY_RUN);
        try (Composition composition = new Composition(
                        out, Ports.of(out, dry).withEtcd(etcd), Timings.none())
                .changing()) {
            StandaloneEtcd standalone = new StandaloneEtcd(composition);
            EtcdReset reset = new EtcdReset(
                    new SystemdEtcd(composition.ports().machine(), EtcdHostPaths.standard()),
                    standalone.clients(),
                    standalone.lock(),
                    options,
                    Failpoints.ofProcess(),
                    out);
            boolean sure = dry || options.force() || flags.isOn(Flag.YES) || !reset.needed();
            if (!sure) {
                new ConsoleConfirmation(console)
                        .require(
                                "reset",
                                consequence + " Are you sure you want to proceed?",
                                "the reset");
            }
            reset.run();
        }
    }
}
