package io.kjadm.core.auto;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.StoreException;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether this machine is the only one with its ID: a machine may be copied, or put back to what it
 * was. Once in each boot it counts itself in the store, and watches whether another one reports by
 * its ID or counts itself after it. The one that reports goes on. One that was silent for so long that
 * another one reports in its place counts itself again, and watches like one that has booted. Time in
 * which the store does not respond, is not mounted, or takes no writes, is no silence of the other one.
 */
public final class OwnRun {

    /** A machine reports each minute: two of them, and time to spare. */
    private static final Duration QUIET = Duration.ofSeconds(150);

    /** Where a look takes long, the other machine's reports do as well: so many times as long is watched. */
    private static final int SLOWLY = 5;

    /** One report more may have been on its way when this machine went down. */
    private static final int CERTAIN = 2;

    /** While it watches, a machine does not report: it asks this often whether it could. */
    private static final Duration PROBED = Duration.ofSeconds(30);

    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path FIRST_PROCESS = Path.of("/proc/1/stat");
    private static final int STARTED = 19;

    private final MachineReports reports;
    private final AutoMemory memory;
    private final String boot;
    private final Waiter waiter;

    private long own;
    private long highest;
    private Optional<Life> last = Optional.empty();
    private Optional<Instant> since = Optional.empty();
    private Instant looked = Instant.MIN;
    private Duration slowest = Duration.ZERO;
    private Instant probed = Instant.MIN;
    private int moves;

    /** @param boot what is different in each boot */
    public OwnRun(MachineReports reports, AutoMemory memory, String boot, Waiter waiter) {
        this.reports = reports;
        this.memory = memory;
        this.boot = boot;
        this.waiter = waiter;
    }

    /** What is different in each boot of a machine, and in each start of a container. */
    public static String boot(HostFiles files) {
        String stat = files.read(FIRST_PROCESS).orElse("");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        return files.read(BOOT).orElse("").strip()
                + (fields.length > STARTED ? ":" + fields[STARTED] : "");
    }

    /** Looks at the reports that were read last; empty if no other machine is known to have its ID. */
    public Optional<Copy> look() {
        MachineId id = memory.id();
        boolean only = memory.boot().filter(boot::equals).isPresent();
        if (own == 0 && only && !reports.overtaken(id, memory.run())) {
            return Optional.empty();
        }
        try {
            return own == 0 ? begin(id) : watch(id);
        } catch (StoreException e) {
            // what is not known now is known later
            since.ifPresent(_ -> watchFromNow());
            return own == 0 ? notCounted() : copy();
        }
    }

    private Optional<Copy> begin(MachineId id) {
        if (!reports.responds()) {
            // it may be the directory that a folder is to be mounted on: the count would stay there
            return notCounted();
        }
        Put put = count(id);
        if (own == 1 && memory.boot().isEmpty()) {
            // nobody else can have an ID that was made a moment ago, and never been counted by
            memory.only(boot, 0);
            own = 0;
            return Optional.empty();
        }
        if (own != 0) {
            return copy();
        }
        return put == Put.CONFLICT || put == Put.EXISTS ? uncounted() : notCounted();
    }

    /** While the store does not respond, nothing is decided that a copy must not do. */
    private Optional<Copy> notCounted() {
        // an ID that was taken over is watched before anything is set up by it
        boolean adopted = memory.boot().isEmpty() && memory.generation() > 0;
        return adopted || reports.responds() ? uncounted() : Optional.empty();
    }

    private Optional<Copy> uncounted() {
        return Optional.of(new Copy(
                false,
                "this machine %s, and the store has not counted that yet".formatted(began())));
    }

    private Put count(MachineId id) {
        long next = Math.max(highest, reports.run(id)) + 1;
        Put put = reports.count(id, next);
        highest = put == Put.EXISTS ? next : highest;
        if (put == Put.CREATED) {
            own = next;
            highest = next;
            last = reports.report(id).map(MachineReport::life);
            watchFromNow();
        }
        return put;
    }

    private Optional<Copy> watch(MachineId id) {
        if (!reports.responds() || !takesWrites(id)) {
            // such a store shows no report of the other machine either
            watchFromNow();
            return copy();
        }
        Duration look = Duration.between(looked, waiter.now());
        looked = waiter.now();
        slowest = look.compareTo(slowest) > 0 ? look : slowest;
        if (slowest.compareTo(QUIET) >= 0) {
            // this machine stood still, and the other one may have reported and ended meanwhile
            watchFromNow();
        }
        Optional<Life> life = reports.report(id).map(MachineReport::life);
        if (!life.equals(last) || reports.run(id) > highest) {
            moves++;
            last = life;
            highest = Math.max(highest, reports.run(id));
            watchFromNow();
            memory.copied(moves >= CERTAIN);
        }
        Duration watched = Duration.between(since.orElseThrow(), waiter.now());
        boolean quiet = watched.compareTo(QUIET) >= 0
                && watched.compareTo(slowest.multipliedBy(SLOWLY)) >= 0;
        if (quiet && own < highest) {
            count(id);
        } else if (quiet) {
            memory.only(boot, life.map(Life::run).orElse(0L));
            own = 0;
            moves = 0;
            since = Optional.empty();
            return Optional.empty();
        }
        return copy();
    }

    private void watchFromNow() {
        since = Optional.of(waiter.now());
        looked = waiter.now();
        slowest = Duration.ZERO;
    }

    /** By the number that this machine has counted itself by, which is there. */
    private boolean takesWrites(MachineId id) {
        if (Duration.between(probed, waiter.now()).compareTo(PROBED) < 0) {
            return true;
        }
        Put put = reports.count(id, own);
        if (put != Put.CREATED && put != Put.EXISTS) {
            return false;
        }
        probed = waiter.now();
        return true;
    }

    private Optional<Copy> copy() {
        if (since.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                moves >= CERTAIN
                        ? new Copy(true, "another machine reports by the ID of this one")
                        : new Copy(
                                false,
                                "this machine %s, and watches for %d s whether another one reports by its ID"
                                        .formatted(began(), QUIET.toSeconds())));
    }

    private String began() {
        return memory.boot().filter(boot::equals).isEmpty()
                ? "has booted"
                : "did not report for long";
    }
}
