package io.kjadm.cli;

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

import picocli.CommandLine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * {@code kjadm etcd}: looks at the members of etcd, and changes them by the rules that join and
 * reset go by.
 */
final class EtcdCommand {

    private static final Duration PROMOTION_LIMIT = Duration.ofMinutes(1);

    private final Console console;
    private final Function<Console, Reporter> reporters;
    private final EtcdSessions sessions;
    private final SnapshotCommand snapshot;
    private final EtcdUpkeepCommands upkeep;
    private final EtcdReplaceCommands replace;
    private final StandaloneEtcdCommands standalone;

    EtcdCommand(Console console, Function<Console, Reporter> reporters) {
        this.console = console;
        this.reporters = reporters;
        this.sessions = new EtcdSessions(console, reporters);
        this.snapshot = new SnapshotCommand(console, reporters, sessions);
        this.upkeep = new EtcdUpkeepCommands(console, sessions);
        this.replace = new EtcdReplaceCommands(console, sessions);
        this.standalone = new StandaloneEtcdCommands(console, reporters, sessions);
    }

    CommandLine build(boolean withPhases) {
        return CommandBuilder.group(
                        "etcd", "Look at the members of etcd, and change them safely", console)
                .inheritedFlags(EtcdSessions.WHERE)
                .subcommand(CommandBuilder.running(
                                "status",
                                "Show the members, the quorum, and how far each member is; fails if etcd is not healthy",
                                (flags, words) -> status(flags))
                        .flags(FlagOption.all(OutputFlags.WITH_TABLE, Flag.WATCH))
                        .build())
                .subcommand(upkeep.health())
                .subcommand(member())
                .subcommand(upkeep.alarm())
                .subcommand(upkeep.defrag())
                .subcommand(snapshot.build())
                .subcommand(new RecoverCommand(console, reporters).build())
                .subcommand(new EtcdCertsCommand(console, reporters).build())
                .subcommands(new EtcdUpgradeCommands(console, reporters).build())
                .subcommands(standalone.build(withPhases))
                .unlisted(
                        List.of("init", "join", "download"),
                        Flag.CERT_DIR,
                        Flag.ENDPOINTS,
                        Flag.KUBECONFIG)
                .unlisted(List.of("reset"), Flag.CERT_DIR, Flag.KUBECONFIG)
                .unlisted(List.of("upgrade", "downgrade"), Flag.CERT_DIR, Flag.ENDPOINTS)
                .unlisted(List.of("certs"), Flag.ENDPOINTS)
                .build();
    }

    private CommandLine member() {
        return CommandBuilder.group(
                        "member", "List, add, replace, remove and promote members of etcd", console)
                .subcommand(CommandBuilder.running(
                                "list", "List the members of etcd", (flags, words) -> list(flags))
                        .flags(OutputFlags.WITH_TABLE)
                        .build())
                .subcommand(replace.add())
                .subcommand(replace.replace())
                .subcommand(CommandBuilder.running(
                                "remove",
                                "Remove a member, if the voters that remain are a quorum; a leader hands over first",
                                (flags, words) -> remove(flags, one(words)))
                        .flags(FlagOption.all(Flag.DRY_RUN))
                        .words("id|name", 1, "The member: its ID in hexadecimal, or its name")
                        .build())
                .subcommand(CommandBuilder.running(
                                "promote",
                                "Make a learner a voter, once it has caught up",
                                (flags, words) -> promote(flags, one(words)))
                        .flags(FlagOption.all(Flag.DRY_RUN, Flag.TIMEOUT))
                        .words("id|name", 1, "The learner: its ID in hexadecimal, or its name")
                        .build())
                .subcommand(CommandBuilder.running(
                                "cleanup",
                                "Remove learners that do not respond, after showing them; never a voter",
                                (flags, words) -> cleanUp(flags))
                        .flags(FlagOption.all(Flag.DRY_RUN, Flag.ID, Flag.YES))
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
            conclude(status);
        });
    }

    /** Whether scripts may go on: a quorum with a leader, and no alarm. */
    static boolean healthy(EtcdStatus status) {
        return status.serves() && status.alarms().isEmpty();
    }

    private static void conclude(EtcdStatus status) {
        if (status.margin() < 0) {
            throw new ClusterException(
                    "etcd has no quorum: %d of %d voters are healthy"
                            .formatted(status.healthyVoters(), status.quorum().voters()),
                    status.unhealthyMembers(),
                    "bring a majority of the voters back");
        }
        if (status.leader().isEmpty()) {
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
        Confirmation confirmation =
                flags.isOn(Flag.DRY_RUN) ? Confirmation.GIVEN : new ConsoleConfirmation(console);
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
                            EtcdSessions.membershipLock(flags, composition),
                            composition.ports().waiter(),
                            composition.out(),
                            status -> console.err().print(new EtcdListing(status).table())));
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
