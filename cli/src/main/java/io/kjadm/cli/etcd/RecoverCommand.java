package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.listing.RecoveryListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.HostLock;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.commands.ApiClusterLookup;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.recover.Diagnoses;
import io.kjadm.core.recover.EvidenceCollector;
import io.kjadm.core.recover.EvidenceFiles;
import io.kjadm.core.recover.EvidenceJson;
import io.kjadm.core.recover.RecoveryReport;
import io.kjadm.core.recover.RecoveryWords;
import io.kjadm.core.recover.SurvivorRestore;
import io.kjadm.core.restore.OldClusterCheck;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.recover.NodeEvidence;

import picocli.CommandLine;

import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** {@code kjadm etcd recover}: tells what is wrong with etcd and the safe ways out of it. */
record RecoverCommand(Console console, Function<Console, Reporter> reporters) {

    private static final String AREA = "recover";

    CommandLine build() {
        return CommandBuilder.running(
                        "recover",
                        "Diagnose etcd and show how to recover it; fails unless etcd is healthy",
                        (flags, words) -> run(flags))
                .flags(FlagOption.explained(
                        FlagOption.all(
                                OutputFlags.WITH_TABLE,
                                Flag.ACCEPT_LOSS,
                                Flag.ALLOW_INSECURE_RELEASE_SERVER,
                                Flag.APPLY,
                                Flag.COLLECT,
                                Flag.DECLARE_LOST,
                                Flag.DRY_RUN,
                                Flag.ETCD_TARBALL,
                                Flag.EVIDENCE,
                                Flag.RELEASE_URL,
                                Flag.UNDO,
                                Flag.YES),
                        new FlagOption(Flag.YES, "Do not ask for confirmation")))
                .example("Diagnose etcd on this node", "")
                .example(
                        "Collect evidence for a diagnosis on another node",
                        "--collect > node2.json")
                .example(
                        "Start a new cluster with this node's data, after the others were lost",
                        "--apply --declare-lost node2,node3")
                .build();
    }

    private void run(CommandFlags flags) {
        requireOneTask(flags);
        Optional<ObjectWriter> writer = OutputFlags.writerOrTable(flags);
        EtcdTarget target = EtcdTarget.of(flags.list(Flag.ENDPOINTS), flags.path(Flag.CERT_DIR));
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, flags.isOn(Flag.DRY_RUN))) {
            Run run = new Run(composition, flags, target);
            if (flags.isOn(Flag.UNDO)) {
                run.undo();
            } else if (flags.isOn(Flag.COLLECT)) {
                run.collect(writer);
            } else if (flags.isOn(Flag.APPLY)) {
                run.apply();
            } else {
                run.report(writer);
            }
        }
    }

    private static void requireOneTask(CommandFlags flags) {
        List<Flag> tasks = Stream.of(Flag.APPLY, Flag.COLLECT, Flag.UNDO)
                .filter(flags::isOn)
                .toList();
        if (tasks.size() > 1) {
            throw new UsageException(
                    "--%s and --%s cannot be used together".formatted(tasks.get(0), tasks.get(1)),
                    "",
                    "use one of them");
        }
        boolean changes = flags.isOn(Flag.APPLY) || flags.isOn(Flag.UNDO);
        if (changes && flags.text(Flag.OUTPUT).isPresent()) {
            throw new UsageException(
                    "--output cannot be used with --apply or --undo",
                    "it formats the report, which these do not print",
                    "omit the flag");
        }
        boolean decides = !flags.isOn(Flag.COLLECT) && !flags.isOn(Flag.UNDO);
        if (!decides
                && !(flags.list(Flag.DECLARE_LOST).isEmpty()
                        && flags.list(Flag.EVIDENCE).isEmpty())) {
            throw new UsageException(
                    "--declare-lost and --evidence cannot be used with --collect or --undo",
                    "they change the diagnosis, which these do not make",
                    "omit these flags");
        }
        if (flags.isOn(Flag.ACCEPT_LOSS) && !flags.isOn(Flag.APPLY)) {
            throw new UsageException(
                    "--accept-loss can only be used with --apply", "", "omit the flag");
        }
    }

    /** One run with what it needs. */
    private final class Run {

        private final Composition composition;
        private final CommandFlags flags;
        private final EtcdTarget target;
        private final Ports ports;
        private final Reporter out;
        private final EtcdClients clients;
        private final EvidenceCollector collector;
        private final RestoredEtcd etcd;
        private final OldClusterCheck oldCluster;

        Run(Composition composition, CommandFlags flags, EtcdTarget target) {
            this.composition = composition;
            this.flags = flags;
            this.target = target;
            this.ports = composition.ports();
            this.out = composition.out();
            this.clients = composition.etcdClients();
            this.collector = new EvidenceCollector(
                    ports.observed(),
                    composition.etcdHost(),
                    // what is only read is real in a dry run too
                    new EtcdClients(
                            ports.observed(),
                            composition.clients(),
                            new JetcdConnector(),
                            ports.observer()),
                    new ApiClusterLookup(
                            ports.observed(),
                            composition.clients(),
                            EtcdSessions.kubeconfig(flags),
                            ports.observer()),
                    out);
            this.etcd = SnapshotRestoreCommand.etcd(flags, composition);
            this.oldCluster = SnapshotRestoreCommand.oldCluster(flags, composition, etcd, clients);
        }

        void collect(Optional<ObjectWriter> writer) {
            ObjectWriter json = writer.orElseGet(() -> OutputFlags.json());
            console.print(json.write(List.of(OutputFormat.ownObject(
                    EvidenceJson.KIND, EvidenceJson.fields(collector.collect(target))))));
        }

        private RecoveryReport decide() {
            List<NodeEvidence> others =
                    new EvidenceFiles(ports.observed()).read(flags.list(Flag.EVIDENCE));
            Optional<NodeEvidence> seen = others.isEmpty() || collector.knows(target)
                    ? Optional.of(collector.collect(target))
                    : Optional.empty();
            return RecoveryReport.of(
                    seen,
                    others,
                    ports.observer().now(),
                    flags.list(Flag.DECLARE_LOST),
                    switch (composition.etcdHost()) {
                        case SystemdEtcd _ -> RecoveryWords.STANDALONE;
                        case StaticPodEtcd _ -> RecoveryWords.STACKED;
                    });
        }

        void report(Optional<ObjectWriter> writer) {
            unfinished()
                    .ifPresent(name -> out.warn(
                            "a restore of %s on this node was interrupted: resume it with the command that started it, or undo it with --undo"
                                    .formatted(name)));
            RecoveryReport report = decide();
            RecoveryListing listing = new RecoveryListing(report);
            console.print(writer.map(chosen -> chosen.write(List.of(listing.object())))
                    .orElseGet(listing::text));
            if (!report.healthy()) {
                throw new ClusterException(
                        Diagnoses.sentence(report.facts(), report.diagnosis()),
                        "",
                        "follow the plan above");
            }
        }

        private Optional<String> unfinished() {
            return RestorePlan.unfinished(ports.observed(), etcd);
        }

        void apply() {
            SurvivorRestore survivor = new SurvivorRestore(
                    flags.isOn(Flag.ACCEPT_LOSS), RestoreCommandText.ofSurvivor(flags), out);
            try (Claim _ = HostLock.claim(ports.files())) {
                composition.refuseBesideUnfinished(ChangingCommand.RESTORING);
                RestoreSource source = RestorePlan.begun(ports.observed(), etcd)
                        .flatMap(name -> survivor.begun(name, collector.dataDir()))
                        .orElseGet(() -> chosen(survivor));
                RestorePlan plan = RestorePlan.of(source, etcd, oldCluster, ports.observed());
                plan.describe().forEach(line -> out.step(AREA, line));
                plan.requireSpace(ports.observed(), ports.probes().disk());
                if (!flags.isOn(Flag.DRY_RUN)) {
                    confirm(plan);
                    restore().restore(plan);
                }
            }
        }

        private RestoreSource chosen(SurvivorRestore survivor) {
            RecoveryReport report = decide();
            console.print(new RecoveryListing(report).text());
            return survivor.source(report, collector.dataDir());
        }

        /** Who has begun was asked then. */
        private void confirm(RestorePlan plan) {
            if (!plan.earlier() && !flags.isOn(Flag.YES)) {
                new ConsoleConfirmation(console)
                        .require(
                                AREA,
                                "End the old cluster and start a new one with this node's data?",
                                "the recovery");
            }
        }

        void undo() {
            try (Claim _ = HostLock.claim(ports.files())) {
                restore().undo();
            }
        }

        private SnapshotRestore restore() {
            return new SnapshotRestore(
                    ports.machine(),
                    etcd,
                    clients,
                    new SecureRandom(),
                    out,
                    Failpoints.ofProcess());
        }
    }
}
