package io.kjadm.core.simulation;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.commands.ClusterLookup;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.recover.EvidenceCollector;
import io.kjadm.core.recover.RecoveryReport;
import io.kjadm.core.recover.RecoveryWords;
import io.kjadm.core.recover.SurvivorRestore;
import io.kjadm.core.restore.ClusterLineage;
import io.kjadm.core.restore.OldClusterCheck;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredControlPlane;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.simulation.RestoreSchedule.Event;
import io.kjadm.core.simulation.RestoreSchedule.Names;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.recover.ClusterLook;
import io.kjadm.etcd.recover.MemberFacts;
import io.kjadm.etcd.recover.NodeEvidence;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The commands that operators run: production's restore, recovery and reports. */
final class RestoreCommands {

    /** By so much a clock may be wrong. */
    private static final long SKEW = 60_000;

    private static final ClusterLookup LOOKUP = new ClusterLookup() {
        @Override
        public List<URI> endpoints() {
            return List.of();
        }

        @Override
        public MembershipLeaseStatus lock() {
            throw new UnsupportedOperationException();
        }
    };

    private final RestoreSimulation play;
    private final RestoreSnapshot stored;
    private final List<Kept> evidence = new ArrayList<>();
    private int refused;

    /** @param at in true time */
    private record Kept(NodeEvidence evidence, Instant at, boolean wrongClock) {}

    RestoreCommands(RestoreSimulation play) {
        this.play = play;
        this.stored = RestoreSnapshot.of(play.machines.size() - play.schedule.late());
    }

    /** How many were refused. */
    int refused() {
        return refused;
    }

    /** An operator runs the command that an event names. */
    void run(RestoreMachine host, Event event) {
        begin(
                host,
                event,
                switch (event.kind()) {
                    case RESTORE -> run -> restore(run, event.names());
                    case RECOVER -> this::recover;
                    case UNDO -> run -> workflow(run).undo();
                    case COLLECT -> this::collect;
                    case REPORT -> this::report;
                    default -> throw new IllegalArgumentException(event.toString());
                });
    }

    private void begin(RestoreMachine host, Event event, Consumer<RestoreRun> command) {
        if (!host.powered || host.runs.isPresent()) {
            return;
        }
        Program program = new Program(play.cast, play.world, Steps.UNTROUBLED, false);
        RestoreRun run = new RestoreRun(play, host, program);
        run.given = given(host, event.names());
        host.runs = Optional.of(run);
        play.cast.begin(0, program, _ -> {
            try {
                command.accept(run);
                play.log(host, "kjadm has ended well");
            } catch (Killed e) {
                play.log(host, "kjadm has died");
            } catch (KjadmException e) {
                refused++;
                if (run.saw) {
                    host.refusedFor = run.seen.containsValue(true) ? Optional.empty() : run.led;
                }
                play.log(host, "kjadm: " + e);
            } finally {
                if (host.runs.filter(run::equals).isPresent()) {
                    host.runs = Optional.empty();
                    host.killAt = Long.MAX_VALUE;
                    host.powerCutAt = Long.MAX_VALUE;
                }
            }
        });
    }

    private Set<Integer> given(RestoreMachine host, Names names) {
        Set<Integer> given = new TreeSet<>();
        for (RestoreMachine other : play.machines) {
            boolean lost = !other.holds(new MemberId(other.number)) || !other.kubeletEnabled;
            boolean named = switch (names) {
                case NONE -> false;
                case THE_LOST -> lost;
                case A_WRONG_ONE -> lost || play.random.nextInt(play.machines.size()) == 0;
                case ALL_OTHERS, NO_OTHERS -> true;
            };
            if (named && other != host && play.knows(host, other)) {
                given.add(other.number);
            }
        }
        return given;
    }

    private List<String> names(RestoreRun run, Names names) {
        if (play.missing == RestoreRules.EVERY_VOTER_IS_NAMED) {
            return play.machines.stream()
                    .filter(machine -> machine != run.host)
                    .map(machine -> machine.name)
                    .toList();
        }
        return names == Names.NO_OTHERS
                ? List.of(ClusterLook.NO_OTHERS)
                : run.given.stream().map(RestoreMachine::name).toList();
    }

    private EtcdClients clients(RestoreRun run) {
        HostFiles files = run.files();
        return new EtcdClients(
                files,
                new KubeClients(files, _ -> run.api()),
                _ -> new RestoreClient(play, run),
                run.waiter());
    }

    private static StaticPodEtcd etcdHost(RestoreRun run) {
        return new StaticPodEtcd(run.machine(), RestoreMachine.PATHS);
    }

    private RestoredEtcd etcd(RestoreRun run) {
        return new RestoredControlPlane(
                etcdHost(run), new Random(play.random.nextLong()), run.out());
    }

    private SnapshotRestore workflow(RestoreRun run) {
        return new SnapshotRestore(
                run.machine(),
                etcd(run),
                clients(run),
                new Random(play.random.nextLong()),
                run.out(),
                Failpoints.none());
    }

    private void restore(RestoreRun run, Names names) {
        HostFiles files = run.files();
        UnfinishedOperations.on(files).require(ChangingCommand.RESTORING);
        RestorePlan plan = plan(run, stored.source(), names);
        new ClusterLineage(files, StaticPodEtcd.LINEAGE)
                .require(plan, () -> List.of(stored.manifest()), Optional.of(RestoreMachine.OLD));
        workflow(run).restore(plan);
    }

    private RestorePlan plan(RestoreRun run, RestoreSource source, Names names) {
        HostFiles files = run.files();
        RestoredEtcd etcd = etcd(run);
        run.resumes = RestorePlan.unfinished(files, etcd).isPresent();
        return RestorePlan.of(
                source,
                etcd,
                new OldClusterCheck(
                        files,
                        etcd,
                        clients(run),
                        url -> play.network.listens(run, url),
                        names(run, names),
                        run.out()),
                files);
    }

    private void recover(RestoreRun run) {
        HostFiles files = run.files();
        UnfinishedOperations.on(files).require(ChangingCommand.RESTORING);
        SurvivorRestore survivor = new SurvivorRestore(play.random.nextBoolean(), run.out());
        Path dataDir = RestoreMachine.DATA_DIR;
        RestoreSource source = RestorePlan.begun(files, etcd(run))
                .flatMap(name -> survivor.begun(name, dataDir))
                .orElseGet(() -> survivor.source(report(run), dataDir));
        workflow(run).restore(plan(run, source, Names.THE_LOST));
    }

    private EvidenceCollector collector(RestoreRun run) {
        HostFiles files = run.files();
        return new EvidenceCollector(files, etcdHost(run), clients(run), LOOKUP, run.out());
    }

    private void collect(RestoreRun run) {
        NodeEvidence seen = collector(run).collect(EtcdTarget.of(List.of(), Optional.empty()));
        evidence.add(new Kept(seen, play.instant(), wrongClock(run.host)));
    }

    private static boolean wrongClock(RestoreMachine machine) {
        return Math.abs(machine.clockMillis) > SKEW;
    }

    private RecoveryReport report(RestoreRun run) {
        NodeEvidence own = collector(run).collect(EtcdTarget.of(List.of(), Optional.empty()));
        RecoveryReport report = RecoveryReport.of(
                Optional.of(own),
                evidence.stream().map(kept -> aged(kept.evidence(), own)).toList(),
                run.now(),
                names(run, Names.THE_LOST),
                RecoveryWords.STACKED);
        boolean wrongClocks = wrongClock(run.host) || evidence.stream().anyMatch(Kept::wrongClock);
        if (!wrongClocks) {
            report.facts().members().forEach(this::requireNoData);
        }
        return report;
    }

    /** As if it had just been collected, where that is not looked at. */
    private NodeEvidence aged(NodeEvidence kept, NodeEvidence own) {
        return play.missing != RestoreRules.OLD_EVIDENCE_PROVES_NOTHING
                ? kept
                : new NodeEvidence(
                        new NodeEvidence.Look(
                                kept.node(), own.taken(), kept.look().boot()),
                        kept.own(),
                        kept.answers(),
                        kept.strangers(),
                        kept.alarms(),
                        kept.silent());
    }

    /** The member is not on the disk; and where evidence is old, nor is one that came after it. */
    private void requireNoData(MemberFacts member) {
        if (member.loss() != MemberFacts.Loss.SEEN) {
            return;
        }
        boolean old = evidence.stream()
                .filter(kept -> kept.evidence().node().equals(member.label()))
                .allMatch(
                        kept -> kept.at().isBefore(play.instant().minus(RestoreSimulation.FRESH)));
        play.machines.stream()
                .filter(machine -> machine.name.equals(member.label()))
                .filter(machine -> machine.holds(member.member().id()) && !overtaken(machine, old)
                        || old && machine.files.exists(RestoreMachine.MEMBER))
                .findFirst()
                .ifPresent(machine -> {
                    throw new Violation(
                            "a report says that the data of %s are gone, and machine %d has them"
                                    .formatted(member.label(), machine.number));
                });
    }

    /** Within 15 minutes a machine may become another member, which evidence cannot tell. */
    private boolean overtaken(RestoreMachine machine, boolean old) {
        return !old
                && evidence.stream()
                        .filter(kept -> kept.evidence().node().equals(machine.name))
                        .anyMatch(kept -> kept.at().isBefore(machine.joined));
    }
}
