package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Stored;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

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
     * @param ask whether to write to a store without the cluster file, as a folder is that is not
     *            mounted; throws if not
     * @throws HostException    if this machine has no copy, or another cluster's
     * @throws ClusterException if the store holds something else, another machine knows more, or the
     *                          store does not tell whether it has written
     */
    public Repaired repair(Runnable ask) {
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
        requireNewest(log);
        if (missing.containsKey(AutoObjects.CLUSTER)) {
            ask.run();
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
    private void requireNewest(Charter log) {
        MachineReports reports =
                new MachineReports(store, new ReportJson(token), memory.machine(), waiter);
        reports.read();
        for (Map.Entry<MachineId, Known> other : reports.known().entrySet()) {
            if (other.getValue().slot() > log.tail().slot()) {
                throw new ClusterException(
                        "the log cannot be repaired from this machine",
                        "machine %s has read slot %d, and this one ends at slot %d"
                                .formatted(
                                        other.getKey(),
                                        other.getValue().slot(),
                                        log.tail().slot()),
                        "run '%s' on that machine".formatted(COMMAND));
            }
        }
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
