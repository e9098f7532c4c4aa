package io.kjadm.core.auto;

import io.kjadm.core.auto.AutoMemory.Pending;
import io.kjadm.core.auto.EntryJson.Reading;
import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.StoreException;
import io.kjadm.store.StoreUrl;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The log of a cluster in a store, as one machine or person reads and writes it. An entry is written
 * to the slot after the newest one that its writer has read, and the store takes one object for a
 * slot, so nobody writes without knowing all that is before.
 *
 * <p>What was read is kept on the machine. A store that holds less, or something else, is unsafe for
 * the rest of the run.
 */
public final class AutoLog {

    private static final String AREA = "auto";

    /** More than any entry has: whatever lies at a slot takes it, and has to be read once. */
    static final int LARGEST = 8 * 1024 * 1024;

    private static final Duration CHECK = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int CONFLICTS = 10;
    private static final int SHORTEST_MILLIS = 50;
    private static final int LONGEST_MILLIS = 500;

    /** Before anything was read. Nothing is decided by it. */
    private static final Charter NO_CLUSTER = Charter.seeded(
            new Charter.Seed("", ClusterSpec.of(new EtcdVersion(0, 0, 0), 1), Optional.empty()),
            "");

    private final ObjectStore store;
    private final AutoToken token;
    private final AutoMemory memory;
    private final MachineReports reports;
    private final Waiter waiter;
    private final RandomGenerator random;

    private final List<Slot> slots = new ArrayList<>();
    private Optional<ClusterFile> cluster = Optional.empty();
    private Charter charter = NO_CLUSTER;
    private EntryJson json;
    private Optional<Instant> seeded = Optional.empty();
    private Optional<Instant> checked = Optional.empty();
    private String unsafe = "";
    private String trouble = "";

    /** What became of an entry. */
    public enum Appended {
        /** It is in the log. */
        WRITTEN,
        /** Another entry has the slot, and is read: the caller decides again. */
        LOST,
        /** The store does not tell. The entry may be in the log, or come to be there. */
        UNSETTLED
    }

    private record Slot(String hash, Optional<Entry> entry) {}

    AutoLog(
            ObjectStore store,
            AutoToken token,
            AutoMemory memory,
            MachineReports reports,
            Waiter waiter,
            RandomGenerator random) {
        this.store = store;
        this.token = token;
        this.json = new EntryJson(token);
        this.memory = memory;
        this.reports = reports;
        this.waiter = waiter;
        this.random = random;
    }

    /**
     * Takes what the machine remembers; the store is not asked.
     *
     * @param memory of a machine that was {@link AutoMemory#start started}, or {@link
     *               AutoMemory#none}
     * @param random makes entries different from each other
     * @throws HostException if the machine remembers another cluster than the token's
     */
    public static AutoLog open(
            ObjectStore store,
            AutoToken token,
            AutoMemory memory,
            Waiter waiter,
            RandomGenerator random) {
        MachineReports reports =
                new MachineReports(store, new ReportJson(token), memory.machine(), waiter);
        return new AutoLog(store, token, memory, reports, waiter, random).remember();
    }

    /**
     * The state up to the newest entry that a machine remembers.
     *
     * @throws HostException if it remembers that of another cluster than the token's
     */
    public static Charter remembered(AutoToken token, AutoMemory memory, Waiter waiter) {
        return open(null, token, memory, waiter, null).charter();
    }

    AutoLog remember() {
        Optional<byte[]> remembered = memory.cluster();
        if (remembered.isEmpty()) {
            return this;
        }
        if (!token.fits(remembered.get())) {
            throw new HostException(
                    "this machine belongs to another cluster than its token",
                    "it has read the log of that cluster before",
                    "copy the token of its cluster to it; or, if it has no etcd member any more, or the automatic mode of that cluster has ended, move the directory with its memory away");
        }
        begin(remembered.get());
        for (Optional<byte[]> entry = memory.entry(1);
                entry.isPresent();
                entry = memory.entry(charter.tail().slot() + 1)) {
            Reading reading = json.read(charter.tail().slot() + 1, entry.get());
            if (!objection(reading).isEmpty()) {
                break;
            }
            take(entry.get(), reading);
        }
        return this;
    }

    private void begin(byte[] clusterFile) {
        ClusterFile file = ClusterFile.parse(clusterFile);
        charter = Charter.seeded(file.seed(), AutoObjects.hash(clusterFile));
        json = new EntryJson(token, file.keys());
        cluster = Optional.of(file);
    }

    /** What the operator wants; empty before it was read. */
    public synchronized Optional<ClusterFile> cluster() {
        return cluster;
    }

    /** The state up to the newest entry that was read, also without the store. */
    public synchronized Charter charter() {
        return charter;
    }

    /** What the machines say of themselves; what they have read is held against the log. */
    public MachineReports reports() {
        return reports;
    }

    /** The entries that were read, from a slot on; without objects that are none. */
    public synchronized List<Entry> entries(long from) {
        return slots.stream()
                .flatMap(slot -> slot.entry().stream())
                .filter(entry -> entry.place().slot() >= from)
                .toList();
    }

    /** Why the last entry was not written; empty if it was. */
    public synchronized String trouble() {
        return trouble;
    }

    /** Reads what is new in the log. */
    public StoreView refresh() {
        return refresh(CHECK);
    }

    /** The same; that the newest entry is still in the store was seen within that time. */
    synchronized StoreView refresh(Duration notSince) {
        if (!unsafe.isEmpty()) {
            return new StoreView.Unsafe(unsafe);
        }
        try {
            Optional<StoreView> without = readCluster();
            if (without.isPresent()) {
                return without.get();
            }
            // what others have read by now is in the log that is read after this
            Map<MachineId, Known> known = reports.known();
            checkNewest(notSince);
            read();
            known.forEach(this::compare);
            return unsafe.isEmpty()
                    ? new StoreView.Answers(reports.youth(seeded.orElseThrow()), reports.ahead())
                    : new StoreView.Unsafe(unsafe);
        } catch (StoreException e) {
            return new StoreView.Silent(e.getMessage());
        }
    }

    private Optional<StoreView> readCluster() {
        // a folder that was mounted may be an empty one now
        if (seeded.isPresent() && store.location().kind() != StoreUrl.Kind.FOLDER) {
            return Optional.empty();
        }
        Optional<Stored> stored = store.read(AutoObjects.CLUSTER, ClusterFile.LIMIT);
        if (stored.isEmpty()) {
            // as where a folder is not mounted: nothing is written there, no report either
            return Optional.of(
                    cluster.isEmpty()
                            ? new StoreView.NotSeeded()
                            : new StoreView.Silent(
                                    "the cluster file is not in it, which this machine has read before"));
        }
        byte[] content = stored.get().content();
        if (!token.fits(content)) {
            return Optional.of(new StoreView.OtherToken());
        }
        if (cluster.isEmpty()) {
            try {
                begin(content);
            } catch (IllegalArgumentException e) {
                return Optional.of(
                        new StoreView.Unsafe("the cluster file cannot be used: " + e.getMessage()));
            }
            memory.keepCluster(content);
        }
        StoreUrl place = StoreUrl.parse(cluster.orElseThrow().place());
        if (!place.isSamePlaceAs(store.location())) {
            // a copy is continued beside the original, and each has a founder
            return Optional.of(
                    new StoreView.Unsafe("the store is %s, and this cluster was seeded in %s"
                            .formatted(store.location(), place)));
        }
        seeded = Optional.of(stored.get().modified());
        return Optional.empty();
    }

    /** Whether the newest slot that is known is still there: a store may have been put back. */
    private void checkNewest(Duration notSince) {
        if (checked.filter(last -> Duration.between(last, waiter.now()).compareTo(notSince) < 0)
                .isPresent()) {
            return;
        }
        Known newest = charter.tail();
        String key = newest.slot() == 0 ? AutoObjects.CLUSTER : AutoObjects.entry(newest.slot());
        Optional<Stored> stored = store.read(key, LARGEST);
        if (stored.isEmpty()) {
            unsafe = "%s, which this machine has read before, is not in the store".formatted(key);
        } else if (!AutoObjects.hash(stored.get().content()).equals(newest.hash())) {
            unsafe = "%s is not what this machine has read before".formatted(key);
        }
        checked = Optional.of(waiter.now());
    }

    private void read() {
        while (unsafe.isEmpty()) {
            Optional<Stored> next =
                    store.read(AutoObjects.entry(charter.tail().slot() + 1), LARGEST);
            if (next.isEmpty()) {
                break;
            }
            fold(next.get().content());
        }
        memory.pending()
                .filter(entry -> entry.slot() <= charter.tail().slot())
                .ifPresent(_ -> memory.forgetPending());
    }

    private void fold(byte[] bytes) {
        Reading reading = json.read(charter.tail().slot() + 1, bytes);
        unsafe = objection(reading);
        if (unsafe.isEmpty()) {
            memory.keepEntry(charter.tail().slot() + 1, bytes);
            take(bytes, reading);
        }
    }

    /** Why what is at the next slot shows that the log is not safe to use; empty if it does not. */
    private String objection(Reading reading) {
        long slot = charter.tail().slot() + 1;
        return switch (reading) {
            case Reading.Newer _ ->
                "slot %d of the log was written by a newer kjadm".formatted(slot);
            case Reading.Authentic(Entry entry)
            when !entry.place().previous().equals(charter.tail().hash()) ->
                "slot %d of the log does not follow what is at slot %d".formatted(slot, slot - 1);
            default -> "";
        };
    }

    private void take(byte[] bytes, Reading reading) {
        Optional<Entry> entry = reading instanceof Reading.Authentic(Entry authentic)
                ? Optional.of(authentic)
                : Optional.empty();
        String hash = AutoObjects.hash(bytes);
        slots.add(new Slot(hash, entry));
        charter = charter.after(hash, entry);
    }

    private void compare(MachineId machine, Known known) {
        long tail = charter.tail().slot();
        if (unsafe.isEmpty() && known.slot() > tail) {
            unsafe = "machine %s has read slot %d, and the log in the store ends at slot %d"
                    .formatted(machine, known.slot(), tail);
        } else if (unsafe.isEmpty()
                && known.slot() > 0
                && !slots.get((int) known.slot() - 1).hash().equals(known.hash())) {
            unsafe = "machine %s has read another entry at slot %d than is in the store"
                    .formatted(machine, known.slot());
        }
    }

    /**
     * Writes an entry to the slot after those that were read. While it is not known what became of an
     * earlier one of this machine, that one alone is sent to its slot, also after a restart.
     *
     * @throws IllegalStateException    if the log was not read, or the store is unsafe
     * @throws IllegalArgumentException if the entry would be void
     */
    public Appended append(EntryBody body, String why, String command) {
        return append(body, why, command, Optional.empty());
    }

    /**
     * The same for what an operator alone says.
     *
     * @param operator who signs it; empty if the token suffices
     */
    public synchronized Appended append(
            EntryBody body, String why, String command, Optional<SigningKey> operator) {
        if (seeded.isEmpty() || !unsafe.isEmpty()) {
            throw new IllegalStateException("the log is not readable: " + unsafe);
        }
        try {
            checkNewest(Duration.ZERO);
        } catch (StoreException e) {
            return unsettled(e.getMessage());
        }
        if (!unsafe.isEmpty()) {
            return unsettled(unsafe);
        }
        boolean behind = reports.known().values().stream()
                .anyMatch(known -> known.slot() > charter.tail().slot());
        if (behind) {
            return Appended.LOST;
        }
        Optional<Pending> pending = memory.pending();
        if (pending.isPresent()) {
            Appended settled = settle(pending.get(), true);
            boolean other = settled == Appended.WRITTEN
                    && !at(pending.get().slot()).equals(Optional.of(body));
            return other ? Appended.LOST : settled;
        }
        Entry.Author author = new Entry.Author(
                memory.machine(),
                memory.run(),
                HexFormat.of().toHexDigits(random.nextLong()),
                waiter.now());
        Entry entry = new Entry(charter.next(), author, body, why, command);
        charter.objection(entry).ifPresent(objection -> {
            throw new IllegalArgumentException("the entry would be void: " + objection);
        });
        Pending next = new Pending(entry.place().slot(), json.write(entry, operator));
        memory.keepPending(next);
        return settle(next, false);
    }

    private Optional<EntryBody> at(long slot) {
        return slots.get((int) slot - 1).entry().map(Entry::body);
    }

    /** @param sent whether the entry may have been sent before */
    private Appended settle(Pending entry, boolean sent) {
        Instant begun = waiter.now();
        boolean maybeSent = sent;
        int conflicts = 0;
        while (charter.tail().slot() < entry.slot()) {
            if (charter.tail().slot() + 1 != entry.slot()) {
                unsafe = "this machine has read slot %d, and the log in the store ends at slot %d"
                        .formatted(entry.slot() - 1, charter.tail().slot());
                return unsettled(unsafe);
            }
            Put put;
            try {
                put = store.put(AutoObjects.entry(entry.slot()), entry.bytes());
            } catch (StoreException e) {
                if (!maybeSent) {
                    memory.forgetPending();
                }
                return unsettled(e.getMessage());
            }
            maybeSent = true;
            if (put == Put.CREATED) {
                fold(entry.bytes());
            } else if (put == Put.CONFLICT && conflicts < CONFLICTS) {
                conflicts++;
                Duration pause = Duration.ofMillis(random.nextInt(SHORTEST_MILLIS, LONGEST_MILLIS));
                waiter.pause(AREA, "the store is busy", pause);
            } else if (!found(entry.slot())) {
                if (Duration.between(begun, waiter.now()).compareTo(PATIENCE) >= 0) {
                    return unsettled("the store does not tell whether slot %d was written"
                            .formatted(entry.slot()));
                }
                waiter.pause(AREA, "the store does not tell whether it has written", RETRY);
            }
            if (!unsafe.isEmpty()) {
                return unsettled(unsafe);
            }
        }
        memory.forgetPending();
        trouble = "";
        String hash = slots.get((int) entry.slot() - 1).hash();
        return hash.equals(AutoObjects.hash(entry.bytes())) ? Appended.WRITTEN : Appended.LOST;
    }

    /** Reads what is at the next slot, if there is anything. */
    private boolean found(long slot) {
        try {
            Optional<Stored> stored = store.read(AutoObjects.entry(slot), LARGEST);
            // a wait may have read it already
            stored.filter(_ -> charter.tail().slot() + 1 == slot)
                    .ifPresent(there -> fold(there.content()));
            return stored.isPresent();
        } catch (StoreException e) {
            return false;
        }
    }

    private Appended unsettled(String why) {
        trouble = why;
        return Appended.UNSETTLED;
    }
}
