package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.listing.EtcdListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.core.etcd.commands.MembershipChanges;
import io.kjadm.core.etcd.commands.TcpPeerProbe;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdConnector;

import picocli.CommandLine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * {@code kjadm etcd}: looks at the members of etcd, and changes them by the rules that join and
 * reset go by.
 */
public final class EtcdCommand {

    private static final Duration PROMOTION_LIMIT = Duration.ofMinutes(1);

    private final Console console;
    private final Function<Console, Reporter> reporters;
    private final EtcdSessions sessions;
    private final SnapshotCommand snapshot;
    private final EtcdUpkeepCommands upkeep;
    private final EtcdReplaceCommands replace;
    private final StandaloneEtcdCommands standalone;

    public EtcdCommand(Console console, Function<Console, Reporter> reporters) {
        this(console, reporters, UnaryOperator.identity());
    }

    /** The same whose changes of members reach etcd in another way. */
    EtcdCommand(
            Console console,
            Function<Console, Reporter> reporters,
            UnaryOperator<EtcdConnector> etcd) {
        this.console = console;
        this.reporters = reporters;
        this.sessions = new EtcdSessions(console, reporters, etcd);
        this.snapshot = new SnapshotCommand(console, reporters, sessions);
        this.upkeep = new EtcdUpkeepCommands(console, sessions);
        this.replace = new EtcdReplaceCommands(console, sessions);
        this.standalone = new StandaloneEtcdCommands(console, reporters, sessions, etcd);
    }

    public CommandLine build(boolean withPhases) {
        return CommandBuilder.group(
                        "etcd",
                        "Inspect etcd, change its members, back it up, restore and upgrade it",
                        console)
                .inheritedFlags(EtcdSessions.WHERE)
                .subcommands(
                        "Inspect and maintain",
                        List.of(status(), upkeep.health(), upkeep.alarm(), upkeep.defrag()))
                .subcommands("Change members", List.of(member()))
                .subcommands(
                        "Back up and restore",
                        List.of(snapshot.build(), new RecoverCommand(console, reporters).build()))
                .subcommands(
                        "Versions and certificates",
                        Stream.concat(
                                        new EtcdUpgradeCommands(console, reporters)
                                                .build().stream(),
                                        Stream.of(new EtcdCertsCommand(console, reporters).build()))
                                .toList())
                .subcommands(
                        "Standalone etcd, on machines without Kubernetes",
                        standalone.build(withPhases))
                .subcommands(
                        "Automatic mode of standalone etcd",
                        List.of(
                                new SeedCommand(console, reporters).build(),
                                new AutoCommand(console, reporters).build()))
                .unlisted(
                        List.of("init", "join", "download", "seed", "auto"),
                        Flag.CERT_DIR,
                        Flag.ENDPOINTS,
                        Flag.KUBECONFIG)
                .unlisted(List.of("reset"), Flag.CERT_DIR, Flag.KUBECONFIG)
                .unlisted(List.of("upgrade", "downgrade"), Flag.CERT_DIR, Flag.ENDPOINTS)
                .unlisted(List.of("certs"), Flag.ENDPOINTS)
                .build();
    }

    private CommandLine status() {
        return CommandBuilder.running(
                        "status",
                        "Show the status of etcd members; fails if etcd is not healthy",
                        (flags, words) -> status(flags))
                .flags(FlagOption.all(OutputFlags.WITH_TABLE, Flag.WATCH))
                .example("Show the status on a node that runs etcd", "")
                .example(
                        "Show the status of another cluster",
                        "--endpoints https://10.0.0.1:2379 --cert-dir /root/pki")
                .example("Refresh until Ctrl-C", "--watch")
                .build();
    }

    private CommandLine member() {
        return CommandBuilder.group(
                        "member", "List, add, replace, remove and promote etcd members", console)
                .subcommand(CommandBuilder.running(
                                "list", "List etcd members", (flags, words) -> list(flags))
                        .flags(OutputFlags.WITH_TABLE)
                        .example("List the members", "")
                        .example("List the members as JSON", "-o json")
                        .build())
                .subcommand(replace.add())
                .subcommand(replace.replace())
                .subcommand(CommandBuilder.running(
                                "remove",
                                "Remove an etcd member if the other voters keep a quorum; a leader transfers leadership first",
                                (flags, words) -> remove(flags, one(words)))
                        .flags(FlagOption.all(Flag.DRY_RUN))
                        .words("id|name", 1, "ID (hexadecimal) or name of the member")
                        .example("Remove a member", "node3")
                        .example("Check whether a member can be removed", "node3 --dry-run")
                        .build())
                .subcommand(CommandBuilder.running(
                                "promote",
                                "Promote a learner to a voter once it has caught up",
                                (flags, words) -> promote(flags, one(words)))
                        .flags(FlagOption.all(Flag.DRY_RUN, Flag.TIMEOUT))
                        .words("id|name", 1, "ID (hexadecimal) or name of the learner")
                        .example("Promote a learner", "node4")
                        .example("Wait longer for a large database", "node4 --timeout 10m")
                        .build())
                .subcommand(CommandBuilder.running(
                                "cleanup",
                                "Remove learners that do not respond, after confirmation; never removes a voter",
                                (flags, words) -> cleanUp(flags))
                        .flags(FlagOption.all(Flag.DRY_RUN, Flag.ID, Flag.YES))
                        .example("Show the learners that would be removed", "--dry-run")
                        .example("Remove one learner", "--id 8e9e05c52164694d")
                        .build())
                .build();
    }

    private void status(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writerOrTable(flags);
        Function<EtcdStatus, String> text = status -> {
            EtcdListing listing = new EtcdListing(status);
            return writer.map(chosen -> chosen.write(List.of(listing.object())))
                    .orElseGet(listing::report);
        };
        boolean watched = flags.isOn(Flag.WATCH);
        sessions.with(flags, (session, composition) -> {
            if (watched) {
                String separator =
                        flags.text(Flag.OUTPUT).filter("yaml"::equals).isPresent()
                                ? "---\n"
                                : writer.isPresent() ? "" : "\n";
                new EtcdWatch(console, separator, session::pause)
                        .show(() -> text.apply(session.status()));
                return;
            }
            EtcdStatus status = EtcdSessions.asking(composition.out(), session::status);
            console.print(text.apply(status));
            session.startProblem(status)
                    .ifPresent(problem -> composition.out().warn(problem.facts()));
            conclude(status);
        });
    }

    private static void conclude(EtcdStatus status) {
        if (status.margin() < 0) {
            throw new ClusterException(
                    "etcd has no quorum: %d of %d voters are healthy"
                            .formatted(
                                    status.voters().healthy(),
                                    status.voters().quorum().voters()),
                    status.unhealthyMembers(),
                    "bring a majority of the voters back");
        }
        if (status.voters().leader().isEmpty()) {
            throw new ClusterException(
                    "the etcd members do not agree on a leader",
                    "",
                    "wait for the election to end, or check the network between the members");
        }
        if (!status.alarms().isEmpty()) {
            throw new ClusterException(
                    "etcd raises an alarm",
                    "a member with an alarm refuses writes or has damaged data",
                    Alarm.WAY_OUT);
        }
    }

    private void list(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writerOrTable(flags);
        sessions.with(flags, (session, composition) -> {
            EtcdListing listing =
                    new EtcdListing(EtcdSessions.asking(composition.out(), session::status));
            console.print(writer.map(chosen -> chosen.write(listing.objects()))
                    .orElseGet(listing::table));
        });
    }

    private void remove(CommandFlags flags, String word) {
        change(flags, ChangingCommand.REMOVING, changes -> changes.remove(word));
    }

    private void promote(CommandFlags flags, String word) {
        Duration limit = flags.duration(Flag.TIMEOUT).orElse(PROMOTION_LIMIT);
        change(flags, ChangingCommand.PROMOTING, changes -> changes.promote(word, limit));
    }

    private void cleanUp(CommandFlags flags) {
        boolean yes = flags.isOn(Flag.YES);
        Confirmation confirmation = ConsoleConfirmation.unless(flags.isOn(Flag.DRY_RUN), console);
        change(
                flags,
                ChangingCommand.REMOVING,
                changes -> changes.cleanUp(
                        flags.text(Flag.ID), yes, TcpPeerProbe::listens, confirmation));
    }

    private void change(
            CommandFlags flags, ChangingCommand command, Consumer<MembershipChanges> change) {
        sessions.with(
                flags,
                (session, composition) -> EtcdSessions.asking(composition.out(), () -> {
                    EtcdSessions.requireNothingUnfinished(flags, command, composition);
                    change.accept(new MembershipChanges(
                            session,
                            sessions.steps(flags, session, composition),
                            composition.out()));
                    return true;
                }));
    }

    private static String one(List<String> words) {
        return words.stream()
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "a member is missing",
                        "",
                        "name it by its ID or its name; 'kjadm etcd member list' shows both"));
    }
}
