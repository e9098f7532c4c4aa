package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.console.TextTable;
import io.kjadm.core.auto.AutoLog;
import io.kjadm.core.auto.OperatorEntry;
import io.kjadm.core.auto.ReadableLog;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.core.snapshot.sign.VerifyKey;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Retire;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.EntryBody.Spec;
import io.kjadm.etcd.auto.RestoreRequest;
import io.kjadm.etcd.auto.RestoreRequest.Answer;
import io.kjadm.etcd.auto.RestoreRequest.Row;

import picocli.CommandLine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What only an operator says, with a signature: {@code etcd auto approve} and {@code retire}. */
record ApproveCommands(Console console, Function<Console, Reporter> reporters) {

    private static final List<FlagOption> RESTORE = FlagOption.explained(
            FlagOption.all(
                    Flag.ACCEPT_LOSS,
                    Flag.ALTHOUGH_IT_SERVES,
                    Flag.CLUSTER_ID,
                    Flag.LOST,
                    Flag.NONE,
                    Flag.OPERATOR_KEY,
                    Flag.REASON,
                    Flag.SNAPSHOT,
                    Flag.STORE,
                    Flag.SURVIVOR,
                    Flag.TOKEN_FILE,
                    Flag.VERIFY_KEY,
                    Flag.YES),
            new FlagOption(
                    Flag.ACCEPT_LOSS,
                    "Begin with the survivor's data although another machine may hold newer data"),
            new FlagOption(Flag.REASON, "Text that the log shows"),
            new FlagOption(
                    Flag.SNAPSHOT, "Snapshot that the next cluster begins with: a name, or latest"),
            new FlagOption(
                    Flag.STORE, "Snapshot store. If not set, the store of the automatic mode"),
            new FlagOption(Flag.YES, "Do not ask for confirmation"));

    private static final List<FlagOption> RETIRE = FlagOption.explained(
            FlagOption.all(Flag.OPERATOR_KEY, Flag.REASON, Flag.TOKEN_FILE, Flag.YES),
            new FlagOption(Flag.REASON, "Text that the log shows"),
            new FlagOption(Flag.YES, "Do not ask for confirmation"));

    private static final List<FlagOption> SPEC = FlagOption.explained(
            FlagOption.all(Flag.OPERATOR_KEY, Flag.TOKEN_FILE, Flag.YES),
            new FlagOption(Flag.YES, "Do not ask for confirmation"));

    private static final ClusterSettings SETTINGS =
            new ClusterSettings(List.of("version", "nodes", "replace-after", "backup"));

    /** {@code approve}, with what can be approved below it. */
    CommandLine approve() {
        return CommandBuilder.group("approve", "Approve what no machine may decide", console)
                .subcommand(CommandBuilder.running(
                                "restore",
                                "Give up a quorum that is lost for good, and begin the next cluster with its data",
                                this::restore)
                        .flags(RESTORE)
                        .words("store", 1, AutoCommand.STORE)
                        .example(
                                "Begin with the data of one machine, after two others were lost",
                                "--survivor etcd1-3f1c --lost 62b4f0c1a3d5e7f9,8e9e05c52164694d --operator-key operator.key")
                        .example(
                                "Begin with a snapshot",
                                "--snapshot latest --store s3://backups/etcd --lost 62b4f0c1a3d5e7f9,8e9e05c52164694d --operator-key operator.key")
                        .example("Take it back", "--none --operator-key operator.key")
                        .build())
                .subcommand(CommandBuilder.running(
                                "spec",
                                "Change what the cluster is to be: its etcd version, number of nodes, replacement, or backup",
                                this::spec)
                        .flags(SPEC)
                        .words(
                                "store|key=value",
                                "The settings: version=3.7.1 nodes=5 replace-after=10m")
                        .example(
                                "Upgrade etcd on all machines, one after the other",
                                "version=3.7.1 --operator-key operator.key")
                        .example(
                                "Let a person replace machines",
                                "replace-after=never --operator-key operator.key")
                        .build())
                .build();
    }

    private void spec(CommandFlags flags, List<String> words) {
        List<String> store =
                words.stream().limit(1).filter(word -> word.contains("/")).toList();
        List<String> settings = words.subList(store.size(), words.size());
        Map<String, String> values = SETTINGS.values(settings);
        SpecChange change = change(flags, store, values);
        if (!flags.isOn(Flag.YES)) {
            new ConsoleConfirmation(console)
                    .require(
                            "auto",
                            "Change the cluster from %s to %s?"
                                    .formatted(
                                            change.now().text(), change.wanted().text()),
                            "the change");
            requireSame(change, change(flags, store, values));
        }
        append(
                flags,
                store,
                new Spec(change.wanted()),
                "an operator approved it",
                "kjadm etcd auto approve spec " + String.join(" ", settings));
        console.print("Approved; 'kjadm etcd auto status' shows what the machines do\n");
    }

    /** What a cluster is to be, and what it is to be then. */
    private record SpecChange(ClusterSpec now, ClusterSpec wanted) {}

    /** By the log and the members as they are now. */
    private SpecChange change(CommandFlags flags, List<String> store, Map<String, String> values) {
        SpecChange[] change = new SpecChange[1];
        runs().onLog(flags, store, log -> {
            key(flags, log);
            ClusterSpec now = log.charter().seed().spec();
            ClusterSpec wanted = changed(values, now);
            int newer = wanted.version().compareTo(now.version());
            if (newer > 0 && log.charter().phase() != Phase.NONE) {
                ClusterSettings.requireNextMinor(
                        etcd(flags, store) instanceof EtcdView.Answers(var health, var _)
                                ? health.versions().getFirst()
                                : now.version(),
                        wanted.version());
            } else if (newer < 0) {
                requireNoDowngrade(wanted.version(), flags, store);
            }
            change[0] = new SpecChange(now, wanted);
        });
        return change[0];
    }

    /** An operator or a machine may have changed it while the question was on the screen. */
    private static void requireSame(Object asked, Object again) {
        if (!again.equals(asked)) {
            throw new ClusterException(
                    "the log was not written",
                    "it has changed since the question was asked",
                    "run the same command again");
        }
    }

    private static ClusterSpec changed(Map<String, String> values, ClusterSpec now) {
        ClusterSpec wanted = ClusterSettings.spec(values, now);
        if (wanted.equals(now)) {
            throw new UsageException(
                    CommonReason.NOT_ACCEPTED,
                    "nothing is changed",
                    "the cluster is to have %s already".formatted(now.text()),
                    "specify another value, as version=3.7.1");
        }
        return wanted;
    }

    private EtcdView etcd(CommandFlags flags, List<String> store) {
        EtcdView[] etcd = new EtcdView[1];
        runs().looking(flags, store, loop -> etcd[0] = loop.look().facts().etcd());
        return etcd[0];
    }

    /** An upgrade that no machine has begun can be taken back. */
    private void requireNoDowngrade(EtcdVersion version, CommandFlags flags, List<String> store) {
        EtcdView etcd = etcd(flags, store);
        if (etcd instanceof EtcdView.Silent(String why)) {
            throw new ClusterException(
                    "the change is not approved",
                    "it is not known whether a member has a newer etcd than %s: %s"
                            .formatted(version, why),
                    "start etcd on the machines, then run the command again");
        }
        EtcdHealth health = ((EtcdView.Answers) etcd).health();
        EtcdVersion newest = health.versions().getLast();
        if (newest.compareTo(version) > 0) {
            throw new UsageException(
                    CommonReason.NOT_ACCEPTED,
                    "etcd %s is older than %s".formatted(version, newest),
                    "a member has etcd %s, and machines do not downgrade it".formatted(newest),
                    "run 'kjadm etcd downgrade' on each machine during a pause");
        }
        if (!health.silences().isEmpty()) {
            throw new ClusterException(
                    "the change is not approved",
                    "it is not known whether a member has a newer etcd than %s: %s"
                            .formatted(version, health.unhealthyMembers()),
                    "start etcd on their machines, then run the command again");
        }
    }

    /** {@code retire}. */
    CommandLine retire() {
        return CommandBuilder.running(
                        "retire",
                        "End the automatic mode for good; etcd runs on, and is managed by hand",
                        this::retire)
                .flags(RETIRE)
                .words("store", 1, AutoCommand.STORE)
                .example("End it", "--operator-key operator.key")
                .build();
    }

    private void restore(CommandFlags flags, List<String> words) {
        runs().onLog(flags, words, log -> key(flags, log));
        RestoreRequest request = request(flags, words);
        Restore word = judged(flags, words, request, true);
        if (!flags.isOn(Flag.YES)) {
            new ConsoleConfirmation(console).require("restore", question(word), "the restore");
        }
        requireSame(word, judged(flags, words, request, false));
        append(
                flags,
                words,
                word,
                "an operator approved it",
                line("approve restore", flags, RESTORE));
        console.print("Approved; 'kjadm etcd auto status' shows what the machines do\n");
    }

    private static String question(Restore word) {
        return word.source().kind() == Source.Kind.NONE
                ? "Let generation %d go on?".formatted(word.generation())
                : "End generation %d of this cluster?".formatted(word.generation());
    }

    private RestoreRequest request(CommandFlags flags, List<String> words) {
        List<Source.Kind> kinds = Stream.of(
                        Optional.of(Source.Kind.SURVIVOR).filter(_ -> flags.isSet(Flag.SURVIVOR)),
                        Optional.of(Source.Kind.SNAPSHOT).filter(_ -> flags.isSet(Flag.SNAPSHOT)),
                        Optional.of(Source.Kind.NONE).filter(_ -> flags.isOn(Flag.NONE)))
                .flatMap(Optional::stream)
                .toList();
        if (kinds.size() != 1) {
            throw new UsageException(
                    "it is not clear where the data come from",
                    "%d of --survivor, --snapshot and --none are set".formatted(kinds.size()),
                    "set one of them");
        }
        return new RestoreRequest(
                kinds.getFirst(),
                flags.text(Flag.SURVIVOR),
                flags.text(Flag.SNAPSHOT).map(name -> snapshot(name, flags, words)),
                new HashSet<>(flags.list(Flag.LOST)),
                flags.isOn(Flag.ACCEPT_LOSS),
                flags.isOn(Flag.ALTHOUGH_IT_SERVES),
                flags.text(Flag.REASON).orElse(""));
    }

    /** Of the cluster of the log, unless another one is named. */
    private Snapshot snapshot(String name, CommandFlags flags, List<String> words) {
        String[] cluster = new String[1];
        String[] place = new String[1];
        runs().onLog(flags, words, log -> {
            cluster[0] = log.charter().cluster().orElse("");
            place[0] = flags.text(Flag.STORE).orElse(log.cluster().orElseThrow().place());
        });
        CommandFlags all = flags.isSet(Flag.CLUSTER_ID) || cluster[0].isEmpty()
                ? flags
                : flags.with(Flag.CLUSTER_ID, cluster[0]);
        Snapshot[] found = new Snapshot[1];
        new SnapshotRuns(console, reporters).onStore(all, place[0], (composition, catalog) -> {
            var manifest = SnapshotRuns.select(name, catalog, all, composition).manifest();
            found[0] = new Snapshot(
                    place[0],
                    manifest.name(),
                    manifest.origin().clusterId(),
                    manifest.plain().content().revision(),
                    manifest.stored().encoding().recipients());
        });
        return found[0];
    }

    private Restore judged(
            CommandFlags flags, List<String> words, RestoreRequest request, boolean shows) {
        AutoFacts[] seen = new AutoFacts[1];
        runs().looking(flags, words, loop -> seen[0] = loop.lookNow().facts());
        ReadableLog.require(seen[0].store());
        return switch (request.judge(seen[0])) {
            case Answer.Refused(RestoreRequest.Reason reason, String why, String next) ->
                throw new ClusterException(reason, "the restore is not approved", why, next);
            case Answer.Granted(Restore word) -> {
                if (shows) {
                    console.print(table(RestoreRequest.rows(seen[0], word)));
                    RestoreRequest.consequences(seen[0], word)
                            .forEach(line -> console.print(line + "\n"));
                }
                yield word;
            }
        };
    }

    private static String table(List<Row> rows) {
        TextTable table = new TextTable(List.of(
                "MEMBER", "NAME", "MACHINE", "REPORT", "ETCD", "LOG INDEX", "WHAT BECOMES OF IT"));
        for (Row row : rows) {
            table.row(List.of(
                    row.seat().id().toString(),
                    row.seat().name(),
                    row.seat().machine().map(Object::toString).orElse("-"),
                    row.report()
                            .map(age -> "%ds ago".formatted(age.toSeconds()))
                            .orElse("none"),
                    row.machine()
                            .map(report -> report.member().unit().name().toLowerCase(Locale.ROOT))
                            .orElse("-"),
                    row.index().map(String::valueOf).orElse("-"),
                    row.fate()));
        }
        return table.text();
    }

    private void retire(CommandFlags flags, List<String> words) {
        runs().onLog(flags, words, log -> key(flags, log));
        if (!flags.isOn(Flag.YES)) {
            new ConsoleConfirmation(console)
                    .require(
                            "auto",
                            "End the automatic mode of this cluster for good?",
                            "the end of the automatic mode");
        }
        append(
                flags,
                words,
                new Retire(flags.text(Flag.REASON).orElse("")),
                "an operator asked for it",
                line("retire", flags, RETIRE));
        console.print(
                "Ended the automatic mode; etcd runs on. Machines see it within 15 s and remove their start check; then disable kjadm-etcd-auto.service on them\n");
    }

    private AutoRuns runs() {
        return new AutoRuns(console, reporters);
    }

    private static String line(String command, CommandFlags flags, List<FlagOption> options) {
        List<String> line = new ArrayList<>(List.of("kjadm etcd auto " + command));
        line.addAll(AutoCommand.words(
                flags.without(Flag.OPERATOR_KEY, Flag.REASON, Flag.TOKEN_FILE, Flag.YES), options));
        return String.join(" ", line);
    }

    private void append(
            CommandFlags flags, List<String> words, EntryBody body, String why, String command) {
        runs().onLog(
                        flags,
                        words,
                        log -> OperatorEntry.write(log, body, why, command, key(flags, log)));
    }

    private static Optional<SigningKey> key(CommandFlags flags, AutoLog log) {
        List<VerifyKey> operators = log.cluster().orElseThrow().keys();
        if (operators.isEmpty()) {
            return Optional.empty();
        }
        SigningKey key = new SnapshotKeys(new DiskFiles())
                .signing(
                        flags.path(Flag.OPERATOR_KEY)
                                .orElseThrow(
                                        () -> new UsageException(
                                                "the operator's key is missing",
                                                "only an operator of this cluster decides that",
                                                "name the private key that 'kjadm etcd seed' has written with --operator-key")));
        if (!new SnapshotTrust(operators, false).accepts(key)) {
            throw new UsageException(
                    CommonReason.NOT_ACCEPTED,
                    "the key is none of this cluster's operators",
                    "machines ignore what it signs",
                    "name the private key that 'kjadm etcd seed' has written");
        }
        return Optional.of(key);
    }
}
