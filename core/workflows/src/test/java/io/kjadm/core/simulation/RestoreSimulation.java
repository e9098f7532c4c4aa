package io.kjadm.core.simulation;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.Forwarding;
import io.kjadm.core.etcd.commands.ClusterLookup;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.VirtualWaiter;
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
import io.kjadm.core.restore.StoredSnapshot;
import io.kjadm.core.simulation.RestoreMachine.Serving;
import io.kjadm.core.simulation.RestoreSchedule.Event;
import io.kjadm.core.simulation.RestoreSchedule.Names;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.SnapshotToRestore;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;
import io.kjadm.etcd.recover.ClusterLook;
import io.kjadm.etcd.recover.MemberFacts;
import io.kjadm.etcd.recover.NodeEvidence;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.store.MemoryStore;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Plays one {@link RestoreSchedule}: production's restore and recovery run on machines in memory,
 * each run as a thread that waits in virtual time. Two clusters of one never serve clients at the
 * same time, unless the operator gave up by name a voter that was alive and that this machine had
 * no way to see when it looked last, its own member's leader included: one that was all that it saw
 * of the others counts for some minutes after its member has stopped responding. And a report never
 * says that a disk has no data that it has.
 */
final class RestoreSimulation {

    /** That all restored data have. */
    static final long RESTORED_REVISION = 5 * SnapshotRestore.BUMP_REVISIONS;

    static final List<String> NOWHERE = new ArrayList<>();

    private static final String OLD = "c1";
    private static final long SECOND = 1_000;
    /** A member forgets a leader that is gone. */
    private static final long FORGETS = 3_000;
    /** For all to boot, and to find each other. */
    private static final long LAST = 40_000;
    /** Evidence of a time before is old. */
    private static final Duration FRESH = Duration.ofMinutes(15);
    /** By so much a clock may be wrong. */
    private static final long SKEW = 60_000;

    private static final Reporter SILENT = new RestoreOut(_ -> {});
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
    /** A snapshot of a cluster of so many machines. */
    private static final Map<Integer, Stored> STORED =
            Map.of(3, Stored.make(3), 4, Stored.make(4), 5, Stored.make(5));

    /** How a play ends. */
    record Outcome(Optional<String> violation, int founded, boolean excused, int refused) {}

    /** A snapshot of the cluster. */
    private record Stored(SnapshotCatalog catalog, SnapshotManifest manifest) {

        static Stored make(int machines) {
            SnapshotCatalog catalog = new SnapshotCatalog(new MemoryStore());
            SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.8");
            VirtualWaiter waiter = new VirtualWaiter();
            EtcdCluster listing = new Forwarding(etcd) {
                @Override
                public void snapshot(URI clientUrl, OutputStream into) throws IOException {
                    into.write(SnapshotBytes.summed(
                            RestoreMachine.database(cluster(machines), RestoreMachine.INDEX)));
                }
            };
            SnapshotSave save =
                    new SnapshotSave(listing, catalog, waiter, new SplittableRandom(1), SILENT);
            SnapshotManifest saved = save.save(
                    save.choose(EtcdHealth.ask(listing)), SnapshotEncoding.NONE, Map.of());
            return new Stored(
                    catalog,
                    new SnapshotManifest(
                            saved.name(),
                            new SnapshotManifest.Origin(
                                    saved.origin().clusterId(),
                                    saved.origin().memberId(),
                                    saved.origin().memberName(),
                                    saved.origin().etcd(),
                                    cluster(machines)),
                            saved.taken(),
                            saved.plain(),
                            saved.stored(),
                            saved.hashes(),
                            saved.labels()));
        }

        RestoreSource source() {
            return new StoredSnapshot(
                    new SnapshotToRestore(manifest, new SnapshotReader(catalog, List.of(), SILENT)),
                    "kjadm etcd snapshot restore " + manifest.name(),
                    List.of());
        }
    }

    private record Cut(int from, int to) {}

    /**
     * A cluster that a restore began.
     *
     * @param excused machines that were given up by name and not seen by the last look, or by that
     *     of the cluster in whose place it came on this machine
     * @param served  whether it has ever served clients
     */
    private record Founding(
            String clusterId, int machine, Set<Integer> excused, AtomicBoolean served) {}

    /** @param at in true time */
    private record Kept(NodeEvidence evidence, Instant at, boolean wrongClock) {}

    private final RestoreSchedule schedule;
    private final RestoreRules missing;
    private final List<String> log;
    private final VirtualWorld world = new VirtualWorld();
    private final Random random;
    private final List<RestoreMachine> machines = new ArrayList<>();
    private final Set<Cut> closedClients = new HashSet<>();
    private final Set<Cut> closedPeers = new HashSet<>();
    private final List<Founding> foundings = new ArrayList<>();
    private final List<Kept> evidence = new ArrayList<>();
    private final Cast cast = new Cast(world, this::ended);
    private long months;
    private long ids = 100;
    private boolean excused;
    private int refused;

    private RestoreSimulation(RestoreSchedule schedule, RestoreRules missing, List<String> log) {
        this.schedule = schedule;
        this.missing = missing;
        this.log = log;
        this.random = new Random(schedule.seed());
        List<Member> cluster = cluster(schedule.machines() - schedule.late());
        IntStream.rangeClosed(1, schedule.machines())
                .forEach(number -> machines.add(
                        new RestoreMachine(number, schedule.ownDisks().contains(number), cluster)));
    }

    /** Makes what all plays share. */
    static void prepare() {
        play(RestoreSchedule.of(0), RestoreRules.ALL_KEPT, NOWHERE);
    }

    static Outcome play(RestoreSchedule schedule, RestoreRules missing, List<String> log) {
        RestoreSimulation play = new RestoreSimulation(schedule, missing, log);
        Optional<String> violation = Optional.empty();
        try {
            play.play();
        } catch (Violation e) {
            violation = Optional.of(e.getMessage());
        }
        return new Outcome(violation, play.foundings.size(), play.excused, play.refused);
    }

    /** As it is at first. */
    private static List<Member> cluster(int machines) {
        return IntStream.rangeClosed(1, machines)
                .mapToObj(number -> member(number, new MemberId(number)))
                .toList();
    }

    private static Member member(int number, MemberId id) {
        return new Member(
                id,
                RestoreMachine.name(number),
                List.of(RestoreMachine.peerUrl(number)),
                List.of(RestoreMachine.clientUrl(number)),
                false);
    }

    private boolean ended() {
        return excused || world.now() > schedule.end() + LAST;
    }

    private void play() {
        second();
        schedule.events().forEach(event -> world.in(event.at(), () -> happens(event)));
        world.in(schedule.end(), this::allComeBack);
        cast.play();
    }

    RestoreRules missing() {
        return missing;
    }

    Instant instant() {
        return world.instant().plusMillis(months);
    }

    void log(RestoreMachine host, String line) {
        if (log != NOWHERE) {
            log.add("%d ms, machine %d: %s".formatted(world.now(), host.number, line));
        }
    }

    private RestoreMachine machine(int number) {
        return machines.get(number - 1);
    }

    // ---- what happens by itself

    private void second() {
        machines.forEach(machine -> machine.kubelet(instant()));
        Map<String, List<RestoreMachine>> clusters = machines.stream()
                .filter(machine -> machine.etcd.isPresent())
                .collect(Collectors.groupingBy(
                        machine -> machine.etcd.get().ids.clusterId(),
                        TreeMap::new,
                        Collectors.toList()));
        clusters.values().forEach(this::elect);
        check(clusters);
        world.in(SECOND, this::second);
    }

    /** Who knows most and is followed by a quorum of those that it knows. */
    private void elect(List<RestoreMachine> members) {
        List<RestoreMachine> candidates = members.stream()
                .sorted(Comparator.comparingLong(
                                (RestoreMachine machine) -> -machine.etcd.get().index)
                        .thenComparing(machine -> machine.number))
                .toList();
        members.forEach(machine -> machine.etcd.get().led = false);
        for (RestoreMachine candidate : candidates) {
            Serving leader = candidate.etcd.get();
            Set<MemberId> voters =
                    leader.voters().stream().map(Member::id).collect(Collectors.toSet());
            List<RestoreMachine> followers = members.stream()
                    .filter(machine -> voters.contains(machine.etcd.get().ids.memberId()))
                    .filter(machine -> !machine.etcd.get().led)
                    .filter(machine -> machine == candidate || linked(candidate, machine))
                    .toList();
            if (followers.size() >= new Quorum(voters.size()).size()
                    && followers.contains(candidate)) {
                followers.forEach(machine -> {
                    machine.apply(leader);
                    machine.etcd.get().led = true;
                    machine.etcd.get().leader = leader.ids.memberId();
                    machine.etcd.get().ledAt = world.now();
                });
            }
        }
        members.stream()
                .map(machine -> machine.etcd.get())
                .filter(etcd -> world.now() - etcd.ledAt > FORGETS)
                .forEach(etcd -> etcd.leader = MemberId.NONE);
    }

    /** One direction is enough: messages go over connections of both ends. */
    private boolean linked(RestoreMachine one, RestoreMachine other) {
        return !closedPeers.contains(new Cut(one.number, other.number))
                || !closedPeers.contains(new Cut(other.number, one.number));
    }

    private void check(Map<String, List<RestoreMachine>> clusters) {
        Map<String, Set<Integer>> serving = new LinkedHashMap<>();
        clusters.forEach((id, members) -> {
            Set<Integer> led = members.stream()
                    .filter(machine -> machine.etcd.get().led)
                    .map(machine -> machine.number)
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!led.isEmpty() && (id.equals(OLD) || founding(id).isPresent())) {
                serving.put(id, led);
                founding(id).ifPresent(one -> one.served().set(true));
            }
        });
        if (serving.size() > 1) {
            judge(serving);
        }
    }

    private Optional<Founding> founding(String id) {
        return foundings.stream().filter(one -> one.clusterId().equals(id)).findFirst();
    }

    /** The one that began last has to be excused by each of the others. */
    private void judge(Map<String, Set<Integer>> serving) {
        Founding last = foundings.stream()
                .filter(one -> serving.containsKey(one.clusterId()))
                .reduce((_, later) -> later)
                .orElseThrow();
        boolean allowed = serving.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(last.clusterId()))
                .allMatch(entry -> entry.getValue().stream().anyMatch(last.excused()::contains));
        log(machine(last.machine()), "two clusters serve: " + serving + ", " + last);
        if (!allowed) {
            throw new Violation("two clusters of one serve clients: " + serving
                    + "; the last one was begun on machine " + last.machine()
                    + " and gave up unseen " + last.excused());
        }
        excused = true;
    }

    // ---- what machines see of each other

    private Optional<RestoreMachine> at(RestoreRun run, URI url) {
        return url.getHost().equals("127.0.0.1")
                ? Optional.of(run.host)
                : machines.stream()
                        .filter(machine -> RestoreMachine.clientUrl(machine.number)
                                .getHost()
                                .equals(url.getHost()))
                        .findFirst();
    }

    private boolean blind(RestoreRun run) {
        return switch (missing) {
            case A_RESUMED_RUN_LOOKS_AGAIN -> run.resumes;
            case A_LOOK_DIRECTLY_BEFORE_THE_START -> run.stopped();
            default -> false;
        };
    }

    /** The etcd behind a client URL. */
    Optional<Serving> reached(RestoreRun run, URI url) {
        Optional<RestoreMachine> other = at(run, url);
        if (other.filter(run.host::equals).isPresent()) {
            // one that does not respond any more knew last what it knew then
            run.host.etcd.ifPresent(run::saw);
            return run.host.etcd;
        }
        Optional<Serving> etcd = other.filter(machine ->
                        !closedClients.contains(new Cut(run.host.number, machine.number)))
                .flatMap(machine -> machine.etcd);
        other.ifPresent(machine -> run.seen.put(machine.number, etcd.isPresent()));
        return blind(run) ? Optional.empty() : etcd;
    }

    private boolean listens(RestoreRun run, URI peerUrl) {
        Optional<RestoreMachine> other = at(run, peerUrl)
                .filter(machine -> machine.etcd.isPresent())
                .filter(machine -> !closedPeers.contains(new Cut(run.host.number, machine.number)));
        other.ifPresent(machine -> run.seen.put(machine.number, true));
        return other.isPresent()
                && !blind(run)
                && missing != RestoreRules.A_PEER_PORT_THAT_LISTENS_IS_ALIVE;
    }

    /** Of the cluster that serves, where a load balancer leads to it. */
    <T> List<T> etcdPods(RestoreRun run, Class<T> type) {
        List<Member> members = machines.stream()
                .filter(machine -> machine.etcd.filter(etcd -> etcd.led).isPresent())
                .filter(machine -> machine.runsPod("kube-apiserver"))
                .limit(schedule.balanced() ? 1 : 0)
                .flatMap(machine -> machine.etcd.orElseThrow().members.stream())
                .toList();
        run.listed(members);
        List<T> pods = members.stream()
                .filter(_ -> missing != RestoreRules.THE_API_SERVER_LISTS_MEMBERS)
                .map(member -> type.cast(new PodBuilder()
                        .withNewMetadata()
                        .withName("etcd-" + member.name())
                        .addToAnnotations(
                                EtcdPod.CLIENT_URLS_ANNOTATION,
                                member.clientUrls().getFirst().toString())
                        .endMetadata()
                        .build()))
                .toList();
        if (pods.isEmpty()) {
            throw new KubeApiException(
                    KubeApiException.Kind.UNREACHABLE, "connection timed out", null);
        }
        return pods;
    }

    // ---- what happens by the schedule

    private void happens(Event event) {
        RestoreMachine one = machine(event.machine());
        log(one, event.toString());
        switch (event.kind()) {
            case POWER_CUT -> cutPower(one);
            case POWER_CUT_ALL -> machines.forEach(this::cutPower);
            case BOOT -> boot(one);
            case BOOT_WITHOUT_DISK -> {
                if (!one.powered) {
                    one.unmount();
                }
                boot(one);
            }
            case BOOT_ALL -> machines.forEach(this::boot);
            case MOUNT -> one.mount();
            case LOSE_DISK -> one.loseData();
            case CLOSE_CLIENTS -> closedClients.add(new Cut(event.machine(), event.other()));
            case CLOSE_PEERS -> closedPeers.add(new Cut(event.machine(), event.other()));
            case ISOLATE -> machines.forEach(other -> isolate(one, other));
            case OPEN_ALL -> {
                closedClients.clear();
                closedPeers.clear();
            }
            case SHUT_OFF -> one.shutOff();
            case KUBELET -> {
                if (one.powered) {
                    one.startKubelet();
                }
            }
            case CLOCK -> one.clockMillis += event.amount();
            case MONTHS -> months += Duration.ofDays(40).toMillis();
            case RESTORE -> command(one, event, run -> restore(run, event.names()));
            case RECOVER -> command(one, event, run -> recover(run));
            case UNDO -> command(one, event, run -> workflow(run).undo());
            case COLLECT -> command(one, event, this::collect);
            case REPORT -> command(one, event, run -> report(run));
            case REJOIN -> leave(one, true);
            case LEAVE -> leave(one, false);
            case KILL -> one.killAt = one.changes + event.amount();
            case POWER_CUT_AT -> one.powerCutAt = one.changes + event.amount();
        }
    }

    private void cutPower(RestoreMachine machine) {
        machine.cutPower();
        machine.runs = Optional.empty();
    }

    private void boot(RestoreMachine machine) {
        if (!machine.powered) {
            machine.runs = Optional.empty();
            machine.boot();
        }
    }

    private void isolate(RestoreMachine one, RestoreMachine other) {
        List.of(new Cut(one.number, other.number), new Cut(other.number, one.number))
                .forEach(cut -> {
                    closedClients.add(cut);
                    closedPeers.add(cut);
                });
    }

    private void allComeBack() {
        closedClients.clear();
        closedPeers.clear();
        machines.forEach(machine -> {
            boot(machine);
            machine.mount();
            machine.startKubelet();
        });
    }

    // ---- what operators do

    private void command(RestoreMachine host, Event event, Consumer<RestoreRun> command) {
        if (!host.powered || host.runs.isPresent()) {
            return;
        }
        Program program = new Program(cast, world, Steps.UNTROUBLED, false);
        RestoreRun run = new RestoreRun(this, host, program);
        run.given = given(host, event.names());
        host.runs = Optional.of(run);
        cast.begin(0, program, _ -> {
            try {
                command.accept(run);
                log(host, "kjadm has ended well");
            } catch (Killed e) {
                log(host, "kjadm has died");
            } catch (KjadmException e) {
                refused++;
                if (run.saw) {
                    host.refusedFor = run.seen.containsValue(true) ? Optional.empty() : run.led;
                }
                log(host, "kjadm: " + e);
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
        for (RestoreMachine other : machines) {
            boolean lost = !other.holds(new MemberId(other.number)) || !other.kubeletEnabled;
            boolean named = switch (names) {
                case NONE -> false;
                case THE_LOST -> lost;
                case A_WRONG_ONE -> lost || random.nextInt(machines.size()) == 0;
                case ALL_OTHERS, NO_OTHERS -> true;
            };
            if (named && other != host && knows(host, other)) {
                given.add(other.number);
            }
        }
        return given;
    }

    /** An operator names whom a refusal names, and whom the cluster had at first. */
    private boolean knows(RestoreMachine host, RestoreMachine other) {
        return other.number <= machines.size() - schedule.late()
                || host.lists().contains(other.name);
    }

    private List<String> names(RestoreRun run, Names names) {
        if (missing == RestoreRules.EVERY_VOTER_IS_NAMED) {
            return machines.stream()
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
                _ -> new RestoreClient(this, run),
                run.waiter());
    }

    private static StaticPodEtcd etcdHost(RestoreRun run) {
        return new StaticPodEtcd(run.machine(), RestoreMachine.PATHS);
    }

    private RestoredEtcd etcd(RestoreRun run) {
        return new RestoredControlPlane(etcdHost(run), new Random(random.nextLong()), run.out());
    }

    private SnapshotRestore workflow(RestoreRun run) {
        return new SnapshotRestore(
                run.machine(),
                etcd(run),
                clients(run),
                new Random(random.nextLong()),
                run.out(),
                Failpoints.none());
    }

    private void restore(RestoreRun run, Names names) {
        HostFiles files = run.files();
        UnfinishedOperations.on(files).require(ChangingCommand.RESTORING);
        Stored stored = STORED.get(machines.size() - schedule.late());
        RestorePlan plan = plan(run, stored.source(), names);
        new ClusterLineage(files, StaticPodEtcd.LINEAGE)
                .require(plan, () -> List.of(stored.manifest()), Optional.of(OLD));
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
                        url -> listens(run, url),
                        names(run, names),
                        run.out()),
                files);
    }

    private void recover(RestoreRun run) {
        HostFiles files = run.files();
        UnfinishedOperations.on(files).require(ChangingCommand.RESTORING);
        SurvivorRestore survivor = new SurvivorRestore(random.nextBoolean(), run.out());
        Path dataDir = RestoreMachine.DATA_DIR;
        RestoreSource source = RestorePlan.unfinished(files, etcd(run))
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
        evidence.add(new Kept(seen, instant(), wrongClock(run.host)));
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
        return missing != RestoreRules.OLD_EVIDENCE_PROVES_NOTHING
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
                .allMatch(kept -> kept.at().isBefore(instant().minus(FRESH)));
        machines.stream()
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

    /** A program starts the etcd of a restored cluster. */
    void starts(RestoreRun run) {
        Optional<MemberIds> ids = new DataDirReader(run.host.files).idsIn(RestoreMachine.MEMBER);
        ids.filter(found -> !found.clusterId().equals(OLD)).ifPresent(found -> {
            foundings.removeIf(one -> one.clusterId().equals(found.clusterId()));
            boolean led = run.led
                    .filter(leader -> leader.counts(run.host, instant(), FRESH))
                    .isPresent();
            Set<Integer> unseen = run.given.stream()
                    .filter(number -> !led && !run.seen.getOrDefault(number, false))
                    .collect(Collectors.toCollection(TreeSet::new));
            // nothing that this machine could reach lists them
            machines.stream()
                    .filter(machine -> !led && !knows(run.host, machine))
                    .filter(machine -> !run.listed.contains(machine.name))
                    .forEach(machine -> unseen.add(machine.number));
            // who was given up for the cluster in whose place this one comes stays given up
            foundings.stream()
                    .filter(one ->
                            one.machine() == run.host.number && one.served().get())
                    .forEach(one -> unseen.addAll(one.excused()));
            foundings.add(
                    new Founding(found.clusterId(), run.host.number, unseen, new AtomicBoolean()));
        });
    }

    /** The machine leaves the cluster, and may become a member of the one that serves. */
    private void leave(RestoreMachine machine, boolean joins) {
        Optional<RestoreMachine> served = machines.stream()
                .filter(other -> other != machine)
                .filter(other -> other.etcd.filter(etcd -> etcd.led).isPresent())
                .findFirst();
        if (!machine.powered || machine.runs.isPresent() || served.isEmpty()) {
            return;
        }
        Serving etcd = served.get().etcd.orElseThrow();
        List<Member> rest = etcd.members.stream()
                .filter(member -> !member.name().equals(machine.name))
                .toList();
        long live = machines.stream()
                .filter(other -> other != machine)
                .flatMap(other -> other.etcd.stream())
                .filter(other -> other.led && other.ids.clusterId().equals(etcd.ids.clusterId()))
                .count();
        if (live < new Quorum(rest.size()).size()) {
            return;
        }
        machine.leave(instant());
        List<Member> members = new ArrayList<>(rest);
        MemberIds own = new MemberIds(etcd.ids.clusterId(), new MemberId(ids++));
        if (joins) {
            members.add(member(machine.number, own.memberId()));
        }
        etcd.members = List.copyOf(members);
        etcd.index++;
        served.get().changedMembers();
        if (joins) {
            machine.joined = instant();
            machine.join(own, members, etcd.index);
        }
    }
}
