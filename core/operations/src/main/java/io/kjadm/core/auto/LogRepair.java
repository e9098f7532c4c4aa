package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.StoreUrl;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Puts back what was deleted of the log in a store, from the copy that each machine has. The objects
 * are the same bytes as before, so an operator's signature counts on; none is replaced.
 */
public final class LogRepair {

    private static final String COMMAND = "kjadm etcd auto repair-log";

    private final ObjectStore store;
    private final AutoToken token;
    private final AutoMemory memory;
    private final Waiter waiter;

    /**
     * What was done.
     *
     * @param written objects that were missing
     * @param log     up to the newest entry that this machine has
     */
    public record Repaired(int written, Charter log) {}

    /** A person, who knows what no machine can; each question throws if the answer is no. */
    public interface Person {

        /** Whether a store without the cluster file was emptied: so looks a folder that is not mounted. */
        void confirmEmptied(StoreUrl store);

        /**
         * Whether this machine has read most of the log.
         *
         * @param silent members whose machines do not report, and may have read more
         * @param slot   the newest that this machine has read
         */
        void confirmNewest(List<String> silent, long slot);
    }

    /** @param memory of this machine */
    public LogRepair(ObjectStore store, AutoToken token, AutoMemory memory, Waiter waiter) {
        this.store = store;
        this.token = token;
        this.memory = memory;
        this.waiter = waiter;
    }

    /**
     * Compares all that this machine has with the store, then writes what is missing: the cluster file
     * last, as nothing uses a log without it.
     *
     * @param person is asked only if something is missing
     * @throws HostException    if this machine has no copy, or another cluster's
     * @throws ClusterException if the store holds something else, another machine knows more, or the
     *                          store does not tell whether it has written
     */
    public Repaired repair(Person person) {
        Charter log = AutoLog.remembered(token, memory, waiter);
        byte[] cluster = memory.cluster()
                .orElseThrow(() -> new HostException(
                        "this machine has no copy of the log",
                        "'kjadm etcd auto' has not run on it",
                        "run '%s' on a machine of the cluster".formatted(COMMAND)));
        Map<String, byte[]> missing = new LinkedHashMap<>();
        for (long slot = 1; slot <= log.tail().slot(); slot++) {
            compare(AutoObjects.entry(slot), memory.entry(slot).orElseThrow(), missing);
        }
        compare(AutoObjects.CLUSTER, cluster, missing);
        Map<MachineId, Seen> reported = requireNewest(log);
        if (missing.containsKey(AutoObjects.CLUSTER)) {
            person.confirmEmptied(store.location());
        }
        List<String> silent = silent(log, reported);
        if (!missing.isEmpty() && !silent.isEmpty()) {
            person.confirmNewest(silent, log.tail().slot());
        }
        missing.forEach(this::write);
        return new Repaired(missing.size(), log);
    }

    private void compare(String key, byte[] own, Map<String, byte[]> missing) {
        Optional<byte[]> there = store.read(key, AutoLog.LARGEST).map(Stored::content);
        if (there.isEmpty()) {
            missing.put(key, own);
        } else if (!Arrays.equals(there.get(), own)) {
            throw other(key);
        }
    }

    private ClusterException other(String key) {
        return new ClusterException(
                "the log cannot be repaired",
                "%s in the store is not what this machine has read before".formatted(key),
                "find out who wrote it: another cluster was begun in this store, or it was put back to an earlier state");
    }

    /** A log that ends too early would be continued with other entries. */
    private Map<MachineId, Seen> requireNewest(Charter log) {
        MachineReports reports =
                new MachineReports(store, new ReportJson(token), memory.machine(), waiter);
        Map<MachineId, Seen> reported = reports.readByClock();
        for (Map.Entry<MachineId, Known> other : reports.known().entrySet()) {
            if (other.getValue().slot() > log.tail().slot()) {
                throw knowsMore(
                        other.getKey(), other.getValue().slot(), log.tail().slot());
            }
        }
        return reported;
    }

    private ClusterException knowsMore(MachineId machine, long slot, long own) {
        boolean wasPutBack = memory.machine().equals(Optional.of(machine));
        return new ClusterException(
                "the log cannot be repaired from this machine",
                wasPutBack
                        ? "it has read slot %d before it was put back, and its copy ends at slot %d"
                                .formatted(slot, own)
                        : "machine %s has read slot %d, and this one ends at slot %d"
                                .formatted(machine, slot, own),
                wasPutBack
                        ? "run '%s' on another machine; if none has slot %d, use another store ('kjadm etcd auto adopt' for a cluster that runs)"
                                .formatted(COMMAND, slot)
                        : "run '%s' on that machine".formatted(COMMAND));
    }

    /** Where the reports were deleted with the log, nothing shows what their machines have read. */
    private List<String> silent(Charter log, Map<MachineId, Seen> reported) {
        Stream<Seat> founder =
                log.phase() == Phase.FORMING ? log.form().map(Form::seat).stream() : Stream.empty();
        return Stream.concat(log.voters().stream(), founder)
                .filter(seat ->
                        seat.machine().filter(it -> isSilent(it, reported)).isPresent())
                .map(Seat::name)
                .distinct()
                .toList();
    }

    private boolean isSilent(MachineId machine, Map<MachineId, Seen> reported) {
        return !memory.machine().equals(Optional.of(machine))
                && Optional.ofNullable(reported.get(machine))
                        .filter(Seen::reports)
                        .isEmpty();
    }

    private void write(String key, byte[] own) {
        byte[] there = new SettledPut(store, waiter)
                .put(key, own, AutoLog.LARGEST)
                .orElseThrow(() -> new ClusterException(
                        "the log is not repaired as a whole",
                        "the store does not tell whether it has taken " + key,
                        "run '%s' again".formatted(COMMAND)));
        if (!Arrays.equals(there, own)) {
            throw other(key);
        }
    }
}
