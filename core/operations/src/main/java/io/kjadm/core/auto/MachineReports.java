package io.kjadm.core.auto;

import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.AutoFacts.Youth;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.ObjectStore.StoredObject;
import io.kjadm.store.StoreException;
import io.kjadm.store.StoreUrl;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What the machines say of themselves in the store. A report that is older than one that this run has
 * read is passed over: whoever can write to the store may put it back.
 */
public final class MachineReports {

    /** How old a cluster file is whose age is not known. */
    private static final Duration OLD = Duration.ofDays(36_500);

    /** How often those of others are read while nothing is to be done, and how often they are listed. */
    private static final Duration OPEN = Duration.ofSeconds(60);

    private static final Duration LISTED = Duration.ofMinutes(10);

    private static final Comparator<Life> AGE =
            Comparator.comparingLong(Life::run).thenComparingLong(Life::beat);

    private final ObjectStore store;
    private final ReportJson json;
    private final Optional<MachineId> own;
    private final Waiter waiter;

    private final Map<MachineId, Last> reports = new HashMap<>();
    private final Map<MachineId, byte[]> older = new HashMap<>();
    private final Map<MachineId, Known> known = new HashMap<>();
    private final Map<MachineId, Long> runs = new HashMap<>();
    private Optional<Instant> first = Optional.empty();
    private Instant read = Instant.MIN;
    private Instant listed = Instant.MIN;
    private Optional<String> trouble = Optional.of("they were not read yet");
    private boolean doubted;
    private Optional<Instant> written = Optional.empty();
    private Optional<Life> newest = Optional.empty();
    private Optional<Told> told = Optional.empty();

    /** The store's time, and when this run has learned it. */
    private record Told(Instant time, Instant at) {}

    /** The newest report of a machine, the object that it was read from, and since when this run knows it. */
    private record Last(MachineReport report, byte[] content, Instant modified, Instant since) {

        Last modified(Instant at) {
            return new Last(report, content, at, since);
        }
    }

    /** @param own the machine whose clock is the store's when it has just written; may be empty */
    MachineReports(ObjectStore store, ReportJson json, Optional<MachineId> own, Waiter waiter) {
        this.store = store;
        this.json = json;
        this.own = own;
        this.waiter = waiter;
    }

    /**
     * Writes that of this machine, unless another machine has reported by its ID after it: what that
     * one has written stays, so that this one learns of it. So does how far the member's data were.
     *
     * @throws StoreException if the store does not respond, or does not take it
     */
    public synchronized void write(MachineReport report) {
        String key = AutoObjects.report(report.id());
        Optional<Stored> before = store.read(key, AuthenticJson.LIMIT);
        before.ifPresent(stored -> take(report.id(), stored));
        if (before.isEmpty()) {
            requireCluster("cannot write " + key);
        }
        if (overtaken(report.id(), report.life().run())) {
            return;
        }
        // a write without a reply may be there
        newest = Optional.of(report.life());
        Optional<MachineReport> known =
                Optional.ofNullable(reports.get(report.id())).map(Last::report);
        store.replace(key, json.write(known.map(report::after).orElse(report)));
        written = Optional.of(waiter.now());
    }

    /**
     * Nothing is left in the directory that a folder was mounted on, and another cluster's may be mounted
     * there: such a store shows what no machine of this cluster does.
     */
    private void requireCluster(String what) {
        Optional<Stored> file = store.read(AutoObjects.CLUSTER, ClusterFile.LIMIT);
        if (file.filter(stored -> json.fits(stored.content())).isEmpty()) {
            throw new StoreException(
                    what,
                    file.isEmpty()
                            ? "the store holds no cluster file"
                            : "the store holds the cluster file of another cluster");
        }
    }

    /**
     * How far the store's clock is ahead of this machine's, to some seconds; empty before this run has
     * written a report and read it.
     */
    synchronized Optional<Duration> ahead() {
        return written.filter(at -> !at.isAfter(read))
                .flatMap(at -> ownTime().map(modified -> Duration.between(at, modified)));
    }

    /**
     * Learns the store's time by an object that is deleted again, for a person's command, which writes
     * no report. By the newest report alone, that of a machine that is gone would always be new.
     *
     * @throws StoreException if the store does not respond, or does not take it
     */
    synchronized void learnTime() {
        String key = AutoObjects.PROBES + "clock-" + UUID.randomUUID();
        store.put(key, key.getBytes(StandardCharsets.UTF_8));
        told = store.read(key, AuthenticJson.LIMIT)
                .map(stored -> new Told(stored.modified(), waiter.now()));
        store.delete(key);
    }

    /** The newest of each machine; those that were read before, if the store does not respond. */
    public synchronized Map<MachineId, Seen> read() {
        return read(true);
    }

    /**
     * The same by this machine's clock, unless that is behind the newest report: for a command that
     * only shows them. By the newest report alone, that of a machine that is gone would always be new.
     */
    public synchronized Map<MachineId, Seen> readByClock() {
        read(true);
        Instant now = waiter.now();
        told = reports.values().stream()
                .map(Last::modified)
                .max(Comparator.naturalOrder())
                .map(newest -> new Told(newest.isAfter(now) ? newest : now, now));
        return seen();
    }

    /**
     * The newest of each machine in a cluster in which nothing is to be done: requests cost money, so
     * reports are read each minute, and new machines are looked for every ten minutes.
     */
    synchronized Map<MachineId, Seen> readSeldom() {
        if (!responds() || isOver(read, OPEN)) {
            read(!responds() || isOver(listed, LISTED));
        }
        return seen();
    }

    private boolean isOver(Instant since, Duration period) {
        return Duration.between(since, waiter.now()).compareTo(period) >= 0;
    }

    private Map<MachineId, Seen> read(boolean all) {
        try {
            Set<MachineId> machines = all ? list() : Set.copyOf(reports.keySet());
            boolean shown = false;
            for (MachineId machine : machines) {
                Optional<Stored> report =
                        store.read(AutoObjects.report(machine), AuthenticJson.LIMIT);
                report.ifPresent(stored -> take(machine, stored));
                shown |= report.filter(stored -> isTaken(machine, stored)).isPresent();
            }
            if (!shown && store.location().kind() == StoreUrl.Kind.FOLDER) {
                requireCluster("cannot read the reports");
            }
            boolean vanished = !machines.containsAll(reports.keySet());
            reports.keySet().retainAll(machines);
            read = waiter.now();
            listed = all ? read : listed;
            // who has deleted reports may have deleted more
            if (vanished) {
                doubt();
            }
            first = first.or(() -> Optional.of(read));
            trouble = Optional.empty();
        } catch (StoreException e) {
            trouble = Optional.of(e.getMessage());
        }
        return seen();
    }

    private Set<MachineId> list() {
        Set<MachineId> machines = new HashSet<>();
        for (StoredObject object : store.list(AutoObjects.MACHINES)) {
            AutoObjects.run(object.key())
                    .ifPresent(run -> runs.merge(run.getKey(), run.getValue(), Math::max));
            AutoObjects.machine(object.key())
                    .filter(_ -> object.size() <= AuthenticJson.LIMIT)
                    .ifPresent(machines::add);
        }
        return machines;
    }

    private boolean isTaken(MachineId machine, Stored stored) {
        return Optional.ofNullable(reports.get(machine))
                .filter(last -> Arrays.equals(last.content(), stored.content()))
                .isPresent();
    }

    private void take(MachineId machine, Stored stored) {
        Last last = reports.get(machine);
        if (last != null && Arrays.equals(last.content(), stored.content())) {
            // most reports are the same as at the look before
            reports.put(machine, last.modified(stored.modified()));
            return;
        }
        Optional<MachineReport> report = json.read(AutoObjects.report(machine), stored.content());
        if (report.isEmpty()) {
            return;
        }
        int age = last == null
                ? 1
                : AGE.compare(report.get().life(), last.report().life());
        if (age < 0) {
            byte[] before = older.put(machine, stored.content());
            if (!Arrays.equals(before, stored.content())) {
                doubt();
            }
            return;
        }
        boolean again = age == 0;
        reports.put(
                machine,
                new Last(
                        report.get(),
                        stored.content(),
                        stored.modified(),
                        again ? last.since() : waiter.now()));
        Known newest = report.get().known();
        known.merge(machine, newest, (one, other) -> one.slot() > other.slot() ? one : other);
    }

    /** A store that was put back may lack a log that others have read: they report what they know. */
    private void doubt() {
        doubted = true;
        first = Optional.of(waiter.now());
    }

    private Map<MachineId, Seen> seen() {
        Instant now = waiter.now();
        Map<MachineId, Seen> seen = new TreeMap<>();
        if (reports.isEmpty()) {
            return seen;
        }
        Instant storeTime = told.map(it -> it.time().plus(Duration.between(it.at(), read)))
                .or(this::ownTime)
                .orElseGet(() -> reports.values().stream()
                        .map(Last::modified)
                        .max(Comparator.naturalOrder())
                        .orElseThrow());
        reports.forEach((machine, last) -> {
            Duration age = Duration.between(last.modified(), storeTime);
            seen.put(
                    machine,
                    new Seen(
                            last.report(),
                            (age.isNegative() ? Duration.ZERO : age)
                                    .plus(Duration.between(read, now)),
                            Duration.between(last.since(), now)));
        });
        return seen;
    }

    /** When this machine's report was written, by the store's clock. */
    synchronized Optional<Instant> ownTime() {
        return own.map(reports::get).map(Last::modified);
    }

    /**
     * What shows that an empty log is a new one.
     *
     * @param seeded when the cluster file was written, by the store's clock
     */
    synchronized Youth youth(Instant seeded) {
        return new Youth(
                ownTime()
                        .filter(_ -> !doubted)
                        .map(own -> Duration.between(seeded, own))
                        .orElse(OLD),
                watched(),
                known.values().stream().mapToLong(Known::slot).max().orElse(0));
    }

    /** The newest slot that each machine has said to have read, in the order of their IDs. */
    synchronized Map<MachineId, Known> known() {
        return new TreeMap<>(known);
    }

    /**
     * That of one machine alone, as it is in the store.
     *
     * @throws StoreException if the store does not respond
     */
    Optional<MachineReport> fetch(MachineId machine) {
        String key = AutoObjects.report(machine);
        return store.read(key, AuthenticJson.LIMIT)
                .flatMap(stored -> json.read(key, stored.content()));
    }

    /** The newest report of a machine, if there is any. */
    synchronized Optional<MachineReport> report(MachineId machine) {
        return Optional.ofNullable(reports.get(machine)).map(Last::report);
    }

    /**
     * Whether another machine has reported by this one's ID after it.
     *
     * @param run of this machine
     */
    synchronized boolean overtaken(MachineId machine, long run) {
        Life own = newest.filter(life -> life.run() >= run).orElseGet(() -> new Life(run, 0, ""));
        return report(machine).filter(seen -> AGE.compare(seen.life(), own) > 0).isPresent();
    }

    /** The highest number that a machine has counted a boot by; 0 if it has not. */
    synchronized long run(MachineId machine) {
        return runs.getOrDefault(machine, 0L);
    }

    /** Counts a boot of a machine. */
    Put count(MachineId machine, long number) {
        String key = AutoObjects.runs(machine) + AutoObjects.name(number);
        return store.put(key, json.run(key));
    }

    /** Whether the store responded when reports were read last. */
    synchronized boolean responds() {
        return trouble.isEmpty();
    }

    /** Why reports could not be read last; empty if the store responded. */
    synchronized Optional<String> trouble() {
        return trouble;
    }

    /** How long this run has read reports, and none has vanished. */
    synchronized Duration watched() {
        return first.map(begun -> Duration.between(begun, read)).orElse(Duration.ZERO);
    }
}
