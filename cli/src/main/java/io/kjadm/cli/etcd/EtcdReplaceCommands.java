package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.commands.MembershipChanges;
import io.kjadm.core.etcd.replace.MemberAddition;
import io.kjadm.core.etcd.replace.MemberReplacement;
import io.kjadm.core.etcd.replace.NewMemberWords;
import io.kjadm.core.etcd.replace.ReplaceJournal;
import io.kjadm.core.etcd.replace.StackedReplacement;
import io.kjadm.core.etcd.upkeep.AlarmDisarm;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.join.NewMember;

import picocli.CommandLine;

import java.time.Duration;
import java.util.List;

/** {@code kjadm etcd member add} and {@code replace}: members on machines of somebody else. */
record EtcdReplaceCommands(Console console, EtcdSessions sessions) {

    private static final Duration LIMIT = Duration.ofMinutes(30);

    CommandLine add() {
        return CommandBuilder.running(
                        "add",
                        "Add a learner, and print how to start its etcd",
                        (flags, words) -> add(flags, words))
                .flags(
                        FlagOption.explained(
                                FlagOption.all(Flag.ALLOW_DEGRADED, Flag.DRY_RUN),
                                new FlagOption(
                                        Flag.ALLOW_DEGRADED,
                                        "Add the member even if a voter does not respond, where etcd itself allows it (3.5.30, 3.6.11, 3.7.0 and newer)")))
                .words(
                        "name|peer-url",
                        "Name of the new member and its peer URL; several URLs may be separated by commas")
                .example("Add a learner", "node4 https://10.0.0.4:2380")
                .example("Check whether it can be added", "node4 https://10.0.0.4:2380 --dry-run")
                .build();
    }

    CommandLine replace() {
        return CommandBuilder.running(
                        "replace",
                        "Replace a voter with a new member; without a peer URL, remove the member of a failed control-plane node",
                        (flags, words) -> replace(flags, words))
                .flags(FlagOption.explained(
                        FlagOption.all(
                                Flag.DRY_RUN, Flag.NAME, Flag.PREPARE_ONLY, Flag.TIMEOUT, Flag.YES),
                        new FlagOption(Flag.NAME, "Name of the new member"),
                        new FlagOption(
                                Flag.TIMEOUT,
                                "How long the new member may take to become a voter after it was added (default 30m0s)"),
                        new FlagOption(
                                Flag.YES,
                                "Do not ask for confirmation that the new machine is ready")))
                .words(
                        "id|name|peer-url",
                        2,
                        "ID or name of the member to replace, and peer URL of the new one")
                .example(
                        "Replace a member with one on another machine",
                        "node3 https://10.0.0.4:2380 --name node4")
                .example(
                        "Print what the new machine needs, before anything is changed",
                        "node3 https://10.0.0.4:2380 --name node4 --prepare-only")
                .example("Remove the member of a failed control-plane node", "node3")
                .build();
    }

    private void add(CommandFlags flags, List<String> words) {
        if (words.size() < 2) {
            throw new UsageException(
                    "the name or the peer URL of the new member is missing",
                    "",
                    "write both: kjadm etcd member add NAME https://ADDRESS:2380");
        }
        NewMember wanted = NewMemberWords.parse(
                words.getFirst(), words.subList(1, words.size()).toArray(String[]::new));
        sessions.changing(
                flags,
                ChangingCommand.ADDING,
                changing -> new MemberAddition(
                                changing.session(),
                                changing.steps(),
                                () -> facts(changing),
                                changing.composition().out())
                        .add(wanted, flags.isOn(Flag.ALLOW_DEGRADED)));
    }

    private void replace(CommandFlags flags, List<String> words) {
        if (words.isEmpty()) {
            throw new UsageException(
                    "a member is missing",
                    "",
                    "name it by its ID or its name; 'kjadm etcd member list' shows both");
        }
        if (words.size() == 1) {
            sessions.changing(
                    flags,
                    ChangingCommand.REPLACING,
                    changing -> stacked(words.getFirst(), changing));
            return;
        }
        NewMember wanted = NewMemberWords.parse(
                flags.text(Flag.NAME)
                        .orElseThrow(() -> new UsageException(
                                "the name of the new member is missing",
                                "",
                                "give it with --name")),
                words.get(1));
        MemberReplacement.Options options = new MemberReplacement.Options(
                flags.duration(Flag.TIMEOUT).orElse(LIMIT), flags.isOn(Flag.PREPARE_ONLY));
        Confirmation confirmation = ConsoleConfirmation.unless(
                flags.isOn(Flag.YES) || flags.isOn(Flag.DRY_RUN), console);
        Failpoints failpoints = Failpoints.ofProcess();
        sessions.changing(flags, ChangingCommand.REPLACING, changing -> {
            Ports ports = changing.composition().ports();
            new MemberReplacement(
                            changing.session(),
                            changing.steps(),
                            new ReplaceJournal(
                                    ports.files(),
                                    KubernetesPaths.standard(),
                                    failpoints,
                                    ports.waiter()),
                            () -> facts(changing),
                            alarms(changing),
                            changing.composition().out())
                    .replace(words.getFirst(), wanted, options, confirmation);
        });
    }

    private static void stacked(String word, EtcdSessions.Changing changing) {
        if (changing.session().named() || !changing.session().node().manifest()) {
            throw new UsageException(
                    "the peer URL of the new member is missing",
                    "only on a node whose kubelet runs etcd a new member comes by 'kjadm join'",
                    "name it: kjadm etcd member replace %s https://ADDRESS:2380 --name NAME"
                            .formatted(word));
        }
        new StackedReplacement(
                        changing.steps(),
                        new MembershipChanges(
                                changing.session(),
                                changing.steps(),
                                changing.composition().out()),
                        alarms(changing),
                        changing.composition().out())
                .replace(word);
    }

    private static AlarmDisarm alarms(EtcdSessions.Changing changing) {
        return new AlarmDisarm(
                changing.session(),
                changing.steps(),
                EtcdUpkeepCommands.defragmentation(changing),
                changing.composition().ports().waiter(),
                changing.composition().out());
    }

    private static ClusterFacts facts(EtcdSessions.Changing changing) {
        Ports ports = changing.composition().ports();
        return new EtcdCheckup(ports.probes().etcd(), ports.observer())
                .look(changing.session().access());
    }
}
