package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.listing.DefragListing;
import io.kjadm.cli.listing.EtcdAlarmListing;
import io.kjadm.cli.listing.EtcdHealthListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.core.etcd.upkeep.AlarmDisarm;
import io.kjadm.core.etcd.upkeep.DefragOptions;
import io.kjadm.core.etcd.upkeep.Defragmentation;
import io.kjadm.core.etcd.upkeep.Defragmentation.Result;
import io.kjadm.core.etcd.upkeep.HealthReport;
import io.kjadm.core.etcd.upkeep.HealthReport.Need;
import io.kjadm.core.etcd.upkeep.Sizes;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.phase.Confirmation;

import picocli.CommandLine;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code kjadm etcd health}, {@code alarm} and {@code defrag}: whether etcd serves, and room for it. */
record EtcdUpkeepCommands(Console console, EtcdSessions sessions) {

    private static final int MOST_REVISIONS_KEPT = 10_000;
    private static final FlagOption YES = new FlagOption(
            Flag.YES,
            "Do not ask for confirmation if the only voter is unavailable during defragmentation");

    CommandLine health() {
        return CommandBuilder.running(
                        "health",
                        "Check the health of etcd with a read through every member; fails without a quorum",
                        (flags, words) -> health(flags))
                .flags(FlagOption.all(OutputFlags.WITH_TABLE, Flag.REQUIRE))
                .example("Check that a quorum can serve", "")
                .example("Check that every member can serve", "--require all")
                .build();
    }

    CommandLine alarm() {
        return CommandBuilder.group("alarm", "List and disarm alarms", console)
                .subcommand(CommandBuilder.running(
                                "list", "List active alarms", (flags, words) -> list(flags))
                        .flags(OutputFlags.WITH_TABLE)
                        .example("List the alarms", "")
                        .build())
                .subcommand(CommandBuilder.running(
                                "disarm",
                                "Compact, defragment and disarm NOSPACE; disarm CORRUPT after its member was replaced",
                                (flags, words) -> disarm(flags))
                        .flags(FlagOption.explained(
                                FlagOption.all(
                                        Flag.COMPACT_KEEP,
                                        Flag.DRY_RUN,
                                        Flag.QUOTA_BACKEND_BYTES,
                                        Flag.YES),
                                YES))
                        .example("Free space and disarm the alarm NOSPACE", "")
                        .example("Keep fewer revisions", "--compact-keep 1000")
                        .build())
                .build();
    }

    CommandLine defrag() {
        return CommandBuilder.running(
                        "defrag",
                        "Defragment the databases, one member at a time, the leader last",
                        (flags, words) -> defragment(flags))
                .flags(FlagOption.explained(
                        FlagOption.all(
                                Flag.ALL,
                                Flag.DRY_RUN,
                                Flag.FORCE,
                                Flag.MIN_FREE,
                                Flag.PAUSE,
                                Flag.THRESHOLD,
                                Flag.YES),
                        new FlagOption(
                                Flag.FORCE,
                                "Defragment the member of this node even if its disk is slow"),
                        YES))
                .example("Show which members would be defragmented", "--dry-run")
                .example("Defragment members of which more than 20 % are free", "--threshold 0.2")
                .example("Defragment every member", "--all")
                .build();
    }

    private void health(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writerOrTable(flags);
        Need need = flags.text(Flag.REQUIRE).map(EtcdUpkeepCommands::need).orElse(Need.QUORUM);
        sessions.with(flags, (session, composition) -> {
            HealthReport report =
                    EtcdSessions.asking(composition.out(), () -> HealthReport.ask(session, need));
            EtcdHealthListing listing = new EtcdHealthListing(report);
            console.print(writer.map(chosen -> chosen.write(List.of(listing.object())))
                    .orElseGet(listing::report));
            report.requireHealthy();
        });
    }

    private static Need need(String text) {
        return switch (text) {
            case "quorum" -> Need.QUORUM;
            case "all" -> Need.ALL;
            default ->
                throw new UsageException(
                        "--require \"%s\" is neither quorum nor all".formatted(text),
                        "",
                        "use quorum (a majority of the voters) or all (every member)");
        };
    }

    private void list(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writerOrTable(flags);
        sessions.with(flags, (session, composition) -> {
            EtcdStatus status = EtcdSessions.asking(composition.out(), session::status);
            console.print(writer.map(chosen -> chosen.write(EtcdAlarmListing.objects(status)))
                    .orElseGet(() -> EtcdAlarmListing.table(status)));
        });
    }

    private void disarm(CommandFlags flags) {
        int keep = flags.number(Flag.COMPACT_KEEP).orElse(MOST_REVISIONS_KEPT);
        OptionalLong quota = flags.text(Flag.QUOTA_BACKEND_BYTES)
                .map(text -> OptionalLong.of(size(Flag.QUOTA_BACKEND_BYTES, text)))
                .orElseGet(OptionalLong::empty);
        sessions.changing(flags, ChangingCommand.UPKEEP, changing -> {
            Ports ports = changing.composition().ports();
            OptionalLong known = quota.isPresent() || changing.session().named()
                    ? quota
                    : AlarmDisarm.quotaOnNode(ports.observed(), KubernetesPaths.standard());
            new AlarmDisarm(
                            changing.session(),
                            changing.steps(),
                            defragmentation(changing),
                            ports.waiter(),
                            changing.composition().out())
                    .run(
                            new AlarmDisarm.Options(keep, known),
                            confirmation(flags),
                            choices -> console.print(DefragListing.plan(choices)));
        });
    }

    private void defragment(CommandFlags flags) {
        DefragOptions options = new DefragOptions(
                flags.text(Flag.THRESHOLD)
                        .map(EtcdUpkeepCommands::part)
                        .orElse(DefragOptions.DEFAULTS.threshold()),
                flags.text(Flag.MIN_FREE)
                        .map(text -> size(Flag.MIN_FREE, text))
                        .orElse(DefragOptions.DEFAULTS.minFreeBytes()),
                flags.isOn(Flag.ALL),
                flags.duration(Flag.PAUSE).orElse(DefragOptions.DEFAULTS.pause()),
                flags.isOn(Flag.FORCE));
        sessions.changing(flags, ChangingCommand.UPKEEP, changing -> {
            List<Result> results = defragmentation(changing)
                    .run(
                            options,
                            confirmation(flags),
                            choices -> console.print(DefragListing.plan(choices)));
            // the plan has the sizes that a dry run can tell
            if (!results.isEmpty() && !flags.isOn(Flag.DRY_RUN)) {
                console.print(DefragListing.results(results));
            }
        });
    }

    static Defragmentation defragmentation(EtcdSessions.Changing changing) {
        Ports ports = changing.composition().ports();
        return new Defragmentation(
                changing.session(),
                changing.steps(),
                ports.waiter(),
                ports.probes().disk(),
                changing.composition().out());
    }

    private Confirmation confirmation(CommandFlags flags) {
        return ConsoleConfirmation.unless(
                flags.isOn(Flag.YES) || flags.isOn(Flag.DRY_RUN), console);
    }

    private static double part(String text) {
        try {
            double part = Double.parseDouble(text);
            if (part >= 0 && part <= 1) {
                return part;
            }
        } catch (NumberFormatException e) {
            // the same answer as for a number that is out of range
        }
        throw new UsageException(
                "--threshold \"%s\" is not a number from 0 to 1".formatted(text),
                "",
                "specify a fraction, for example 0.45 for members with more than 45 % free space in the database");
    }

    static long size(Flag flag, String text) {
        OptionalLong bytes = Sizes.parse(text);
        if (bytes.isEmpty()) {
            throw new UsageException(
                    "--%s \"%s\" is not a size".formatted(flag, text),
                    "",
                    "write it as 100Mi, 8Gi or a number of bytes");
        }
        return bytes.getAsLong();
    }
}
