package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoLoop;
import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.core.auto.AutoStage;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.etcd.model.Violation;
import io.kjadm.manifests.NameAndUrl;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A machine on which the automatic mode runs, what befalls it, and the runs of its daemon. */
final class AutoMachine {

    /** What tells the boots of a copy from those of its original. */
    private static final int COPIES = 1_000;

    final Host host;
    final AutoDisks disks;
    final AutoMishaps mishaps;
    private final AutoSimulation stage;

    private Program program;
    boolean off;
    /** Whether nothing can set up etcd here. */
    boolean broken;

    /** Of whom it is a copy. */
    Optional<AutoMachine> original = Optional.empty();
    /** The member of data that were put back, which must not run again. */
    Optional<MemberId> former = Optional.empty();
    /** The member of data that are on another machine's disk. */
    Optional<MemberId> foreign = Optional.empty();
    /** When the turn of its daemon has begun. */
    private long turnBegan;
    /** When it has begun something last. */
    long actedAt = Long.MIN_VALUE / 2;

    /** When it has saved a snapshot last. */
    long savedAt = Long.MIN_VALUE / 2;

    int boots;
    boolean gone;
    /** Whether it has the data of a member, and nothing else of it. */
    private boolean bare;
    /** A mistake: it says that its member is stopped, and it is not. */
    boolean hides;

    int runs;
    /** Whether its daemon was to be started. */
    private boolean due;
    /** Of the daemon that runs; what is seen of the log at the moment. */
    private Optional<AutoStage.Daemon> daemon = Optional.empty();

    Optional<Turn> last = Optional.empty();
    private Optional<MachineId> id = Optional.empty();
    private String shown = "";

    AutoMachine(Host host, AutoSimulation stage) {
        this.host = host;
        this.stage = stage;
        this.disks = new AutoDisks(host);
        this.mishaps = new AutoMishaps(host.number, stage.world, millis -> program.halt(millis));
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

    /** It does not come back. */
    void gone(long now) {
        off(now);
        gone = true;
    }

    /**
     * Its disks hold again what they held before. Nothing shows that if it is not known any more how
     * far the data were.
     *
     * @param whole the one with the memory of its daemon, too
     */
    void putBack(AutoDisks.Image then, boolean whole) {
        long known = then.data()
                .map(member -> Math.max(
                        AutoStage.noted(whole ? then.files() : host.files, member), told(member)))
                .orElse(Long.MAX_VALUE);
        boolean shows = known > then.lastIndex()
                || host.data.isPresent() && !then.data().equals(host.data);
        // systemd starts the etcd of a person without a question
        boolean unmarked = whole && then.data().isPresent() && !then.files().exists(AutoStage.NOTE);
        boolean home = foreign.isEmpty();
        if (off || host.unmounted || !home || unmarked || !shows || stage.shelf.slow > 0) {
            return;
        }
        off(stage.world.now());
        boolean older = disks.putBack(then, whole);
        former = older ? then.data() : former;
        host.lostAt = older ? stage.world.now() : host.lostAt;
        stage.world.in(10_000, this::comesBack);
    }

    /** Without the store it would start with data that were put back, as is documented. */
    void comesBack() {
        if (!stage.shelf.responds(host)) {
            stage.world.in(10_000, this::comesBack);
        } else {
            on(stage.world.now());
        }
    }

    /** It boots with another address, and later with its own one if etcd was not set up meanwhile. */
    void moves(long millis) {
        if (off || host.unmounted) {
            return;
        }
        String home = host.peerUrl.getHost();
        boots("198.51.100." + (10 + host.number));
        host.trouble(stage.world.now());
        stage.world.in(10_000 + millis, () -> movesBack(home));
    }

    private void movesBack(String home) {
        if (gone) {
            return;
        }
        if (off) {
            stage.world.in(10_000, () -> movesBack(home));
            return;
        }
        host.recovers(stage.world.now());
        if (!host.listensHere()) {
            boots(home);
        }
    }

    private void boots(String address) {
        off(stage.world.now());
        host.moveTo(address);
        stage.world.in(10_000, this::comesBack);
    }

    /**
     * Its root disk is replaced, and etcd's data have another one.
     *
     * @param begins whether the daemon is started before a person has the machine take its place
     */
    void installedAgain(long millis, boolean begins) {
        boolean member = host.data.isPresent() && host.files.exists(AutoStage.NOTE);
        if (off || gone || host.unmounted || !member || !stage.seated(this)) {
            return;
        }
        off(stage.world.now());
        bare = true;
        host.trouble(stage.world.now());
        disks.newRoot();
        due = begins;
        stage.world.in(Math.min(millis, 600_000), () -> {
            on(stage.world.now());
            stage.world.in(5_000, () -> stage.operator.adoptDisk(this));
        });
    }

    /** A person has stopped the daemon, and has the machine take the place that its disk has. */
    void adopts() {
        daemonEnds();
        host.data.ifPresent(_ -> writeLog());
        AutoStage.adoptDisk(
                SimulatedStore.atOnce(stage.shelf, host),
                stage.token,
                host.files,
                new VirtualWaiter(stage.world.instant().plus(host.clockAhead)),
                host.peerUrl);
    }

    /** etcd is set up on it again, or it has no member. */
    void isSetUp() {
        if (bare) {
            bare = false;
            host.recovers(stage.world.now());
        }
    }

    /** A person moves its data away. */
    void clear() {
        daemonEnds();
        isSetUp();
        host.loseDisk(stage.world.now());
    }

    /** A machine at that address that begins with what is on this one now. */
    AutoMachine copy(Host at) {
        AutoMachine copy = new AutoMachine(at, stage);
        copy.disks.copy(disks);
        copy.original = Optional.of(this);
        copy.boots = boots + COPIES;
        copy.id = id;
        copy.begin(2_000);
        return copy;
    }

    /** A person has set up its member, in another way than the automatic mode. */
    void isMember(List<NameAndUrl> cluster) {
        host.files.write(Host.ETCD, host.etcdPod(cluster), FileMode.OWNER_ONLY);
        host.files.write(SimulatedSteps.SET_UP, "", FileMode.OWNER_ONLY);
        host.looked();
        host.started(0);
    }

    /** The power goes. */
    void off(long now) {
        if (off) {
            return;
        }
        off = true;
        daemonEnds();
        host.trouble(now);
        host.stopped = true;
        host.down(now);
    }

    /** The power goes, and comes back after that time. */
    void offFor(long millis) {
        if (off) {
            return;
        }
        off(stage.world.now());
        stage.world.in(millis, () -> on(stage.world.now()));
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
            etcdStops(now);
        }
    }

    /** etcd ends, and ends again whenever systemd starts it, for that time. */
    void etcdEnds(long millis) {
        host.broken.add(AutoGeneration.VERSION);
        host.trouble(stage.world.now());
        etcdStops(stage.world.now());
        stage.world.in(millis, () -> {
            host.broken.clear();
            host.recovers(stage.world.now());
        });
    }

    /** It ends by itself: no program has stopped it. */
    private void etcdStops(long now) {
        boolean was = host.stopped;
        host.stopped = true;
        host.down(now);
        host.stopped = was;
    }

    /** What systemd does before each start of etcd, once the disk is marked. */
    boolean mayStart() {
        if (!host.files.exists(Host.ETCD) || !host.files.exists(AutoStage.NOTE)) {
            return true;
        }
        Waiter waiter = new ProgramWaiter(program, stage.world, true, host.clockAhead);
        host.data.ifPresent(_ -> writeLog());
        boolean may = !stage.tampering.get().checksStart()
                || AutoStage.startRefusal(
                                SimulatedStore.atOnce(stage.shelf, host),
                                stage.token,
                                host.files,
                                waiter)
                        .isEmpty();
        if (may && host.unmounted) {
            throw new Violation(
                    "etcd of machine %d is started on another disk".formatted(host.number));
        }
        if (may && stage.shelf.responds(host) && stage.hasEnded(host.data)) {
            throw new Violation("machine %d starts a member of a generation that has ended"
                    .formatted(host.number));
        }
        return may;
    }

    void writeLog() {
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

    /** Where its report is in the store. */
    Optional<String> reportKey() {
        return AutoStage.machine(host.files).map(AutoStage::report);
    }

    /** What is in the store of this machine, if that responds. */
    private Optional<MachineReport> reported() {
        return reportKey()
                .filter(_ -> stage.shelf.responds(host))
                .flatMap(key -> Optional.ofNullable(stage.shelf.objects.get(key))
                        .flatMap(bytes -> stage.reports.read(key, bytes)));
    }

    // ---- the daemon

    /** A turn begins. */
    void begins(long now) {
        turnBegan = now;
    }

    /** Whether its daemon may act by what it has read before that time. */
    boolean hasNotLookedSince(long time) {
        return daemon.isPresent() && !off && turnBegan <= time;
    }

    /** A person starts it again. */
    void restart() {
        if (!off && runs > 0) {
            daemonEnds();
            begin(1_000);
        }
    }

    private void daemonEnds() {
        if (runs > 0) {
            program.kill();
        }
        daemon = Optional.empty();
    }

    void begin(long delay) {
        Program next = new Program(stage.cast, stage.world, mishaps, false);
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
        mishaps.begins();
        host.newRun();
        try {
            AutoDaemon run = new AutoDaemon(this, stage, running);
            daemon = Optional.of(run.own);
            id = run.own.memory().machine();
            run.turns();
        } catch (Killed killed) {
            if (killed.restart != Killed.NEVER && running == program && !off) {
                daemon = Optional.empty();
                begin(killed.restart);
            }
        } catch (HostException e) {
            if (!host.full) {
                throw e;
            }
            // systemd starts it again
            stage.tell(
                    "the daemon of machine %d ends with %s".formatted(host.number, e.getMessage()));
            if (running == program && !off) {
                daemon = Optional.empty();
                begin(10_000);
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
}
