package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoLoop;
import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.core.auto.AutoStage;
import io.kjadm.core.auto.AutoSteps;
import io.kjadm.core.auto.GuardedEtcd;
import io.kjadm.core.auto.MachineView;
import io.kjadm.core.auto.OwnData;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.join.JoinOfAMember;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.auto.AutoDecider;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Provided;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.Ending;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.model.Violation;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.store.ObjectStore;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A machine on which the automatic mode runs: its daemon, and what that does to the machine. */
final class AutoMachine {

    private static final Path BEGUN = Path.of("/var/lib/simulated/init");
    private static final Path SET_UP = Path.of("/var/lib/simulated/set-up");
    /** What tells the boots of a copy from those of its original. */
    private static final int COPIES = 1_000;

    private static final String ROOT = "24 1 254:1 / / rw - ext4 /dev/vda1 rw\n";
    private static final String MOUNTED = "77 24 254:16 / /var/lib/etcd rw - xfs /dev/vdb rw\n";

    private static final Path CLIENTS = Path.of("/var/lib/simulated/clients");
    private static final Duration START = Duration.ofMinutes(1);
    /** So many looks for the same are as production's; later ones are rarer, to spare us most of them. */
    private static final int BRISK = 10;

    private static final long LEISURELY = 25_000;

    final Host host;
    private final AutoSimulation stage;
    private final Strikes strikes = new Strikes();
    /** What is on the disk while it is not mounted. */
    private final MemoryFiles disk = new MemoryFiles();

    private Program program;
    boolean off;
    /** Whether nothing can set up etcd here. */
    boolean broken;

    /** Of whom it is a copy. */
    Optional<AutoMachine> original = Optional.empty();
    /** The member of data that were put back, which must not run again. */
    Optional<MemberId> former = Optional.empty();
    /** When it has begun something last. */
    long actedAt = Long.MIN_VALUE / 2;

    /** When it has saved a snapshot last. */
    long savedAt = Long.MIN_VALUE / 2;

    private int boots;
    boolean gone;
    /** A mistake: it says that its member is stopped, and it is not. */
    private boolean hides;

    private int runs;
    /** Whether its daemon was to be started. */
    private boolean due;
    /** Of the daemon that runs; what is seen of the log at the moment. */
    private Optional<AutoStage.Daemon> daemon = Optional.empty();

    /** The index of the data that were moved aside, by the member's ID. */
    private final Map<MemberId, Long> aside = new HashMap<>();

    Optional<Turn> last = Optional.empty();
    private Optional<MachineId> id = Optional.empty();
    private String shown = "";

    AutoMachine(Host host, AutoSimulation stage) {
        this.host = host;
        this.stage = stage;
        mounts(ROOT + MOUNTED);
    }

    /** How far its data are. */
    long index() {
        return Math.max(
                host.lastIndex,
                aside.values().stream().mapToLong(Long::longValue).max().orElse(0));
    }

    /** Its ID, once it has one. */
    Optional<MachineId> id() {
        return id;
    }

    Optional<Charter> read() {
        return daemon.map(it -> it.log().charter());
    }

    /** Who replays a schedule is shown what is decided, when it is something else than before. */
    void decided(Turn turn) {
        if (stage.log != QuietReporter.NOWHERE) {
            String decision = String.join(" ", AutoLoop.lines(turn.outcome()));
            String essence = decision.replaceAll("[0-9]+ s", "");
            if (!essence.equals(shown)) {
                shown = essence;
                stage.log.add("%d ms, machine %d decides %s"
                        .formatted(stage.world.now(), host.number, decision));
            }
        }
    }

    boolean waitsForItsDisk() {
        return last.map(turn -> turn.outcome().decision())
                .filter(decision -> decision instanceof Decision.Wait(var code, String _, String _)
                        && code == WaitCode.DISK)
                .isPresent();
    }

    /** Whether it has begun something within that time of a moment. */
    boolean actedWithin(long millis, long moment) {
        return Math.abs(moment - actedAt) < millis;
    }

    // ---- what befalls it

    /** What happens to the daemon at the places that it comes to. */
    private final class Strikes extends Steps {
        private int killIn = -1;
        private long restart;
        private int haltIn = -1;
        private long halt;
        private long beforeChange;
        private long stoodUntil = Long.MIN_VALUE / 2;
        private long stood;
        private Optional<Mishap> call = Optional.empty();

        Strikes() {
            super(Map.of(), Map.of(), mishap -> {});
        }

        @Override
        Trouble next() {
            if (haltIn >= 0 && haltIn-- == 0) {
                stands(halt);
            }
            if (killIn >= 0 && killIn-- == 0) {
                return new Death(new Killed(restart, false));
            }
            return new Nothing();
        }

        @Override
        Optional<Mishap> callMishap() {
            if (beforeChange > 0) {
                long stands = beforeChange;
                beforeChange = 0;
                stands(stands);
            }
            Optional<Mishap> next = call;
            call = Optional.empty();
            return next;
        }

        private void stands(long millis) {
            program.halt(millis);
            stood = millis;
            stoodUntil = stage.world.now();
        }
    }

    void killLater(int places, long restart) {
        strikes.killIn = places;
        strikes.restart = restart;
    }

    void haltLater(int places, long millis) {
        strikes.haltIn = places;
        strikes.halt = millis;
    }

    void haltBeforeChange(long millis) {
        strikes.beforeChange = millis;
    }

    /** For how long a call has stood still that is carried out now. */
    long stood() {
        return stage.world.now() - strikes.stoodUntil < 20_000 ? strikes.stood : 0;
    }

    void nextChange(Mishap.Kind kind, long millis) {
        strikes.call = Optional.of(new Mishap(kind, host.number, 0, Math.min(millis, 7_000)));
    }

    /** It does not come back. */
    void gone(long now) {
        off(now);
        gone = true;
    }

    /** What its disks hold at a moment. */
    record Disks(MemoryFiles files, Optional<MemberId> data, long owner, long lastIndex) {}

    Disks disks() {
        host.data.ifPresent(_ -> host.writeLog(host.lastIndex));
        return new Disks(new MemoryFiles().with(host.files), host.data, host.owner, host.lastIndex);
    }

    /**
     * Its disks hold again what they held before. Nothing shows that if it is not known any more how
     * far the data were.
     *
     * @param whole the one with the memory of its daemon, too
     */
    void putBack(Disks then, boolean whole) {
        long known = then.data()
                .map(member -> Math.max(
                        AutoStage.noted(whole ? then.files() : host.files, member), told(member)))
                .orElse(Long.MAX_VALUE);
        boolean shows = known > then.lastIndex()
                || host.data.isPresent() && !then.data().equals(host.data);
        // systemd starts the etcd of a person without a question
        boolean unmarked = whole && then.data().isPresent() && !then.files().exists(AutoStage.NOTE);
        if (off || host.unmounted || unmarked || !shows || stage.shelf.slow > 0) {
            return;
        }
        off(stage.world.now());
        if (whole) {
            host.files.deleteTree(Path.of("/"));
            host.files.with(then.files());
        } else {
            host.files.deleteTree(Host.DATA);
            then.files().files().stream()
                    .filter(file -> file.startsWith(Host.DATA))
                    .forEach(file -> host.files.write(
                            file, then.files().readBytes(file).orElseThrow(), FileMode.OWNER_ONLY));
        }
        boolean older = !then.data().equals(host.data) || then.lastIndex() < host.lastIndex;
        host.data = then.data();
        host.owner = then.owner();
        host.lastIndex = then.lastIndex();
        host.looked();
        former = older ? then.data() : former;
        host.lostAt = older ? stage.world.now() : host.lostAt;
        stage.world.in(10_000, this::comesBack);
    }

    /** Without the store it would start with data that were put back, as is documented. */
    private void comesBack() {
        if (stage.shelf.down > 0) {
            stage.world.in(10_000, this::comesBack);
        } else {
            on(stage.world.now());
        }
    }

    /** A machine at that address that begins with what is on this one now. */
    AutoMachine copy(Host at) {
        AutoMachine copy = new AutoMachine(at, stage);
        Disks now = disks();
        at.files.deleteTree(Path.of("/"));
        at.files.with(now.files());
        at.data = now.data();
        at.owner = now.owner();
        at.lastIndex = now.lastIndex();
        at.looked();
        copy.original = Optional.of(this);
        copy.boots = boots + COPIES;
        copy.id = id;
        copy.aside.putAll(aside);
        copy.begin(2_000);
        return copy;
    }

    /** etcd is not started on a disk that lacks the data: the start check sees that. */
    void losesDisk(long now) {
        if (host.data.isPresent() && !host.unmounted) {
            host.loseDisk(now);
        }
    }

    /** The disk of its member is not mounted at the next boot. */
    void unmount() {
        if (host.unmounted || !host.files.exists(AutoStage.NOTE)) {
            return;
        }
        host.data.ifPresent(_ -> host.writeLog(host.lastIndex));
        host.unmounted = true;
        move(host.files, disk);
        mounts(ROOT);
    }

    void mount() {
        if (host.unmounted) {
            host.unmounted = false;
            move(disk, host.files);
            mounts(ROOT + MOUNTED);
        }
    }

    /** A person has set up its member, in another way than the automatic mode. */
    void isMember(List<NameAndUrl> cluster) {
        host.files.write(Host.ETCD, host.etcdPod(cluster), FileMode.OWNER_ONLY);
        host.files.write(SET_UP, "", FileMode.OWNER_ONLY);
        host.looked();
        host.started(0);
    }

    private void mounts(String table) {
        host.files.with("/proc/self/mountinfo", table);
    }

    private static void move(MemoryFiles from, MemoryFiles to) {
        to.deleteTree(KubernetesPaths.ETCD_DATA_DIR);
        from.files().stream()
                .filter(file -> file.startsWith(KubernetesPaths.ETCD_DATA_DIR))
                .forEach(file ->
                        to.write(file, from.readBytes(file).orElseThrow(), FileMode.OWNER_ONLY));
        from.deleteTree(KubernetesPaths.ETCD_DATA_DIR);
    }

    /** The power goes. */
    void off(long now) {
        if (off) {
            return;
        }
        off = true;
        if (runs > 0) {
            program.kill();
        }
        daemon = Optional.empty();
        host.trouble(now);
        host.stopped = true;
        host.down(now);
    }

    void on(long now) {
        if (!off || gone) {
            return;
        }
        off = false;
        boots++;
        host.stopped = false;
        host.startServices();
        if (mayStart()) {
            host.recovers(now);
        } else {
            host.kubeletWorks(false);
        }
        if (due) {
            begin(2_000);
        }
    }

    /** etcd ends, and systemd has given up. */
    void etcdFails(long now) {
        if (host.up && stage.seated(this)) {
            host.kubeletWorks(false);
            host.trouble(now);
            boolean was = host.stopped;
            host.stopped = true;
            host.down(now);
            host.stopped = was;
        }
    }

    /** What systemd does before each start of etcd, once the disk is marked. */
    private boolean mayStart() {
        if (!host.files.exists(Host.ETCD) || !host.files.exists(AutoStage.NOTE)) {
            return true;
        }
        Waiter waiter = new ProgramWaiter(program, stage.world, true);
        host.data.ifPresent(_ -> writeLog());
        boolean may = !stage.tampering.get().checksStart()
                || AutoStage.startRefusal(
                                SimulatedStore.atOnce(stage.shelf), stage.token, host.files, waiter)
                        .isEmpty();
        if (may && host.unmounted) {
            throw new Violation(
                    "etcd of machine %d is started on another disk".formatted(host.number));
        }
        return may;
    }

    private void writeLog() {
        host.writeLog(stage.tampering.get().knowsAge() ? host.lastIndex : Long.MAX_VALUE);
    }

    /** How far the data of a member were by the report that is in the store. */
    private long told(MemberId member) {
        return reported()
                .map(MachineReport::member)
                .filter(it -> it.id().equals(Optional.of(member)))
                .map(it -> it.floor().index())
                .orElse(0L);
    }

    /** What is in the store of this machine, if that responds. */
    private Optional<MachineReport> reported() {
        return AutoStage.machine(host.files)
                .filter(_ -> stage.shelf.down == 0)
                .map(AutoStage::report)
                .flatMap(key -> Optional.ofNullable(stage.shelf.objects.get(key))
                        .flatMap(bytes -> stage.reports.read(key, bytes)));
    }

    // ---- the daemon

    void begin(long delay) {
        Program next = new Program(stage.cast, stage.world, strikes, false);
        program = next;
        stage.cast.begin(delay, next, it -> {
            due = true;
            if (it == program && !off) {
                run(it);
            }
        });
    }

    private void run(Program running) {
        runs++;
        strikes.killIn = -1;
        strikes.haltIn = -1;
        host.newRun();
        try {
            new Run(running).turns();
        } catch (Killed killed) {
            if (killed.restart != Killed.NEVER && running == program && !off) {
                daemon = Optional.empty();
                begin(killed.restart);
            }
        } catch (RuntimeException e) {
            String where = Arrays.stream(e.getStackTrace())
                    .filter(frame -> frame.getClassName().startsWith("io.kjadm"))
                    .findFirst()
                    .map(StackTraceElement::toString)
                    .orElse("?");
            throw new Violation(
                    "the daemon of machine %d ends with %s at %s".formatted(host.number, e, where));
        }
    }

    /** One run of the daemon. */
    private final class Run implements MachineView, AutoSteps {
        private final Program running;
        private final ProgramWaiter waiter;
        private final QuietReporter out;
        private final HostDisk disk;
        private final ObjectStore store;
        private final AutoTampering between = stage.tampering.get();
        private final AutoStage.Daemon own;
        private Object waitsFor = "";
        private int again;

        Run(Program running) {
            this.running = running;
            this.waiter = new ProgramWaiter(running, stage.world, true);
            this.out = new QuietReporter(stage.world, host, stage.log);
            this.disk = new HostDisk(host, running);
            this.store = between.store(new SimulatedStore(stage.shelf, running), host);
            this.own = AutoStage.daemon(
                    new AutoStage.Parts(
                            store,
                            stage.token,
                            stage.reports,
                            between.files(disk),
                            waiter,
                            waiter.background(),
                            out,
                            stage.random,
                            host.name,
                            "boot " + boots),
                    this,
                    this,
                    facts -> new AutoDecider().decide(between.facts(facts)));
            daemon = Optional.of(own);
            id = own.memory().machine();
        }

        void turns() {
            AutoLoop loop = own.loop();
            while (true) {
                long begun = stage.world.now();
                Turn turn = loop.turn();
                last = Optional.of(turn);
                stage.seen(AutoMachine.this, turn, begun);
                long pause = turn.next().toMillis();
                if (pause > 0) {
                    waiter.pause("auto", "", Duration.ofMillis(leisurely(turn, pause)));
                }
            }
        }

        /** A machine that waits for the same all the time looks less often. */
        private long leisurely(Turn turn, long pause) {
            Object waits =
                    turn.outcome().decision() instanceof Decision.Wait(var code, var _, var _)
                            ? code
                            : turn.outcome().rule();
            again = waits.equals(waitsFor) ? again + 1 : 0;
            waitsFor = waits;
            boolean idle = turn.outcome().decision() instanceof Decision.Idle;
            long usual = idle ? 2 * pause : pause;
            return again < BRISK ? usual : Math.min(4 * usual, Math.max(usual, LEISURELY));
        }

        // ---- what it sees

        @Override
        public Self self(Charter charter) {
            return new Self(
                    own.memory().id(),
                    new Step.Own(
                            host.name,
                            host.peerUrl.getHost(),
                            charter.seed().spec().version(),
                            List.of()),
                    host.peerUrl,
                    host.clientUrl,
                    new AutoFacts.Backup(new Step.Save("/backups", "age1"), "/backup.identity"));
        }

        @Override
        public Local local(Charter charter, Optional<MachineReport> reported) {
            UnitState unit = !host.files.exists(Host.ETCD)
                    ? UnitState.ABSENT
                    : host.up || host.kubelet ? UnitState.ACTIVE : UnitState.FAILED;
            return new Local(
                    data(charter, reported),
                    unit,
                    !host.files.exists(SET_UP)
                            ? SetUp.NONE
                            : charter.founder()
                                            .filter(own.memory().id()::equals)
                                            .isPresent()
                                    ? SetUp.INIT
                                    : SetUp.JOIN,
                    new Readiness(List.of()),
                    new Provided(
                            charter.cluster()
                                    .filter(it -> stage.shelf.objects.containsKey(ca(it)))
                                    .isPresent(),
                            host.files
                                    .read(CLIENTS)
                                    .filter(clients(charter)::equals)
                                    .isPresent(),
                            Optional.empty()),
                    charter.ending()
                            .map(Ending::began)
                            .or(charter::current)
                            .flatMap(form -> own.memory().fenced(form.generation())),
                    new Stops(Optional.empty(), own.run().look(), Optional.empty()));
        }

        @Override
        public EtcdView etcd(Charter charter) {
            Optional<AutoGeneration> generation = stage.generation(charter);
            if (generation.isEmpty()) {
                return new EtcdView.Silent("no member responds");
            }
            List<URI> endpoints = charter.voters().stream()
                    .flatMap(seat -> seat.clientUrls().stream())
                    .toList();
            try {
                return new EtcdView.Answers(
                        EtcdHealth.ask(client(generation.get(), endpoints)),
                        generation.get().model.cluster());
            } catch (EtcdCallException e) {
                return new EtcdView.Silent(e.getMessage());
            }
        }

        private SimulatedClient client(AutoGeneration generation, List<URI> endpoints) {
            return new SimulatedClient(
                    host,
                    running,
                    new Oracle.Joins(RejoinOptions.NONE),
                    endpoints,
                    generation.play);
        }

        private Data data(Charter charter, Optional<MachineReport> reported) {
            if (hides) {
                return between.data(new Data.Blank());
            }
            if (!host.up && host.data.isPresent()) {
                writeLog();
            }
            return between.data(own.disk().look(charter, begun(), host.up, reported));
        }

        private OwnData.Begun begun() {
            if (disk.exists(SET_UP)) {
                return OwnData.Begun.FINISHED;
            }
            boolean begun = disk.exists(BEGUN)
                    || disk.exists(Host.ETCD)
                    || new JournalFile(disk, Host.PATHS.tmpDir()).read().isPresent();
            return begun ? OwnData.Begun.BEGUN : OwnData.Begun.NOT;
        }

        @Override
        public void begins(Charter charter) {
            own.disk().begins(charter, stage.world.instant());
        }

        @Override
        public void seen(AutoFacts facts) {
            own.disk().seen(facts, stage.world.instant());
        }

        @Override
        public MachineReport.Floor floor() {
            return own.disk().floor();
        }

        // ---- what it does

        @Override
        public void run(Step step) {
            stage.begins(AutoMachine.this, step);
            // what is installed is not installed again
            if (broken
                    && host.data.isEmpty()
                    && (step instanceof Step.Init || step instanceof Step.Join)) {
                disk.write(BEGUN, "", FileMode.OWNER_ONLY);
                running.pass(1_000);
                throw new ClusterException("no archive of etcd is on this machine", "", "");
            }
            switch (step) {
                case Step.Init init -> found(init);
                case Step.Join join -> join(join);
                case Step.Clients _ -> {
                    stage.letsClientsIn(AutoMachine.this, own.log().charter());
                    disk.write(CLIENTS, clients(own.log().charter()), FileMode.OWNER_ONLY);
                }
                case Step.Start _ -> {
                    running.point();
                    if (!host.kubelet && mayStart()) {
                        host.kubeletWorks(true);
                        host.recovers(stage.world.now());
                    }
                    running.pass(3_000);
                }
                case Step.Save _ -> save();
                case Step.Upgrade _, Step.Renew _ ->
                    throw new Violation("nothing is to be upgraded or renewed");
                case Step.Remove remove -> remove(remove.member());
                case Step.Reset _ -> reset();
                case Step.Fence fence -> fence(fence);
                case Step.Unfence _ -> throw new Violation("no restore was taken back");
            }
        }

        private void save() {
            running.point();
            running.pass(3_000);
            if (!generation().model.serving()) {
                throw new ClusterException("no member gives a snapshot", "", "");
            }
            savedAt = stage.world.now();
        }

        private AutoGeneration generation() {
            return stage.generation(own.log().charter())
                    .orElseThrow(() -> new Violation("a step for no generation"));
        }

        private void found(Step.Init init) {
            AutoGeneration generation = generation();
            if (!init.token().equals(generation.form().token())) {
                throw new Violation("another token than the log's");
            }
            disk.write(BEGUN, init.token(), FileMode.OWNER_ONLY);
            ObjectStore.Put put = store.put(ca(generation.began.cluster()), new byte[] {1});
            if (put != ObjectStore.Put.CREATED && put != ObjectStore.Put.EXISTS) {
                throw new ClusterException("the CA is not in the store", "", "");
            }
            if (!disk.exists(Host.ETCD)) {
                stage.belongs(host, generation);
                disk.write(
                        Host.ETCD,
                        host.etcdPod(List.of(new NameAndUrl(host.name, host.peerUrl))),
                        FileMode.OWNER_ONLY);
            }
            running.point();
            startUnit();
            running.pass(500 + stage.random.nextInt(4_000));
            if (host.data.isEmpty()) {
                if (disk.exists(SET_UP)) {
                    throw new ClusterException("etcd's data went while it was set up", "", "");
                }
                stage.started(generation, host, index(init));
            }
            running.point();
            long limit = stage.world.now() + START.toMillis();
            while (!host.up) {
                if (stage.world.now() > limit) {
                    throw new ClusterException("etcd does not start", "", "");
                }
                waiter.pause("etcd", "", Duration.ofSeconds(1));
            }
            disk.write(SET_UP, "", FileMode.OWNER_ONLY);
        }

        /** An etcd that failed starts with the command, as its unit does. */
        private void startUnit() {
            host.startServices();
            if (!host.kubelet) {
                host.kubeletWorks(true);
                host.recovers(stage.world.now());
            }
        }

        private void remove(MemberId member) {
            AutoGeneration generation = generation();
            EtcdConnector real = access -> client(
                    generation,
                    own.log().charter().voters().stream()
                            .flatMap(seat -> seat.clientUrls().stream())
                            .toList());
            EtcdConnector guarded =
                    GuardedEtcd.around(real, own.log(), own.memory().id());
            EtcdCluster etcd = between.guarded(real, guarded).connect(null);
            long limit = stage.world.now() + START.toMillis();
            while (stage.world.now() < limit) {
                try {
                    EtcdHealth health = EtcdHealth.ask(etcd);
                    Optional<Member> listed = health.find(member);
                    if (listed.isEmpty()) {
                        return;
                    }
                    new MemberRemoval()
                            .attempt(
                                    etcd,
                                    health,
                                    OwnMember.asListed(listed.get()),
                                    Removal.Progress.NONE);
                } catch (EtcdCallException e) {
                    out.detail(e.getMessage());
                }
                waiter.pause("etcd", "", Duration.ofSeconds(1));
            }
            throw new ClusterException("the member is still listed", "", "");
        }

        private void fence(Step.Fence fence) {
            running.point();
            if (between.stops()) {
                disk.delete(Host.ETCD);
                host.down(stage.world.now());
            }
            if (own.memory().fenced(fence.generation()).isEmpty()) {
                // a kill behind the note finds them moved
                host.data.ifPresent(id -> aside.put(id, host.lastIndex));
                Optional<MemberId> member = fence.member().or(() -> host.data);
                AutoStage.fenced(
                        own.memory(),
                        new Fenced(
                                fence.generation(),
                                member.orElse(MemberId.NONE),
                                host.data.map(_ -> new Progress(
                                        host.lastIndex,
                                        host.lastIndex,
                                        2,
                                        host.lastIndex,
                                        0,
                                        host.lastIndex)),
                                Set.of(),
                                host.data.map(id -> "/var/lib/etcd." + id).orElse("")));
            }
            if (!between.stops()) {
                hides = true;
                return;
            }
            stage.leaves(host);
            if (!between.keepsData()) {
                disk.deleteTree(Host.DATA);
            }
            reset();
        }

        private void reset() {
            new SimulatedNode(host, running, stage.anyGeneration().play, waiter, out)
                    .stopAndSetAside();
            JournalFile journal = new JournalFile(disk, Host.PATHS.tmpDir());
            journal.clear();
            for (Path file : List.of(SET_UP, AutoStage.NOTE, BEGUN, CLIENTS)) {
                disk.delete(file);
            }
        }

        /** How far the data are that a generation begins with. */
        private long index(Step.Init init) {
            return between.restores(read(init));
        }

        private long read(Step.Init init) {
            return init.data().stream()
                    .filter(flag -> flag.startsWith("--from-snapshot=/"))
                    .findFirst()
                    .map(flag -> aside.entrySet().stream()
                            .filter(it -> flag.contains("/var/lib/etcd." + it.getKey() + "/"))
                            .findFirst()
                            .map(Map.Entry::getValue)
                            .orElseThrow(() -> new Violation("no data at " + flag)))
                    .orElse(10L);
        }

        private void join(Step.Join join) {
            AutoGeneration generation = generation();
            if (host.data.isEmpty() && !host.files.exists(Host.ETCD)) {
                stage.belongs(host, generation);
            }
            startUnit();
            EtcdConnector real = access -> client(generation, join.endpoints());
            EtcdConnector guarded =
                    GuardedEtcd.around(real, own.log(), own.memory().id());
            NewMember wanted = new NewMember(host.name, host.peerUrl);
            MemberAdder adder = new LearnerMemberAdder();
            JournalFile journal = new JournalFile(disk, Host.PATHS.tmpDir());
            MemberJoinExecutor joiner = new MemberJoinExecutor(
                    wanted,
                    adder,
                    new JoinDecider(
                            wanted, "run-" + runs, adder, RejoinOptions.NONE, Simulation.LIMITS),
                    between.guarded(real, guarded).connect(null),
                    journal,
                    new SimulatedNode(host, running, generation.play, waiter, out),
                    stage.world::instant);
            JoinOfAMember.join(
                    joiner,
                    host.peerUrl,
                    Simulation.LIMITS,
                    MembershipLock.none(),
                    journal,
                    waiter,
                    out);
            disk.write(SET_UP, "", FileMode.OWNER_ONLY);
        }
    }

    static String ca(String cluster) {
        return "v1/auto/pki/" + cluster;
    }

    private static String clients(Charter charter) {
        return charter.voters().stream().map(Seat::name).sorted().toList().toString();
    }
}
