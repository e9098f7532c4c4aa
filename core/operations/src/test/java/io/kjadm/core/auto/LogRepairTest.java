package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.kjadm.core.auto.FlakyStore.Fate;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.store.StoreUrl;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class LogRepairTest {

    private static final LogRepair.Person EMPTIED = new LogRepair.Person() {
        @Override
        public void confirmEmptied(StoreUrl store) {
            // it was
        }

        @Override
        public void confirmNewest(List<String> silent, long slot) {
            fail("all machines report");
        }
    };

    /** Whoever is asked says no. */
    private static final LogRepair.Person NOBODY = new LogRepair.Person() {
        @Override
        public void confirmEmptied(StoreUrl store) {
            throw new IllegalStateException(store + " is not mounted");
        }

        @Override
        public void confirmNewest(List<String> silent, long slot) {
            throw new IllegalStateException("%s, and slot %d".formatted(silent, slot));
        }
    };

    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles();
    private final AutoLog log = lab.machine(files);
    private Map<String, String> before;

    @BeforeEach
    void threeEntriesAreInTheLog() {
        log.refresh();
        log.append(LogLab.pause("a"), "", "");
        log.append(new Resume(1), "", "");
        log.append(LogLab.pause("b"), "", "");
        before = objects();
        assertEquals(3, log.charter().tail().slot());
    }

    private Map<String, String> objects() {
        Map<String, String> objects = new TreeMap<>();
        lab.memory.objects.forEach((key, bytes) -> {
            if (key.startsWith("v1/auto/log/") || key.equals(AutoObjects.CLUSTER)) {
                objects.put(key, AutoObjects.hash(bytes));
            }
        });
        return objects;
    }

    private void lose(String... keys) {
        Arrays.stream(keys).forEach(lab.memory.objects::remove);
    }

    private LogRepair repair(MemoryFiles machine) {
        return new LogRepair(
                lab.store, lab.token, AutoMemory.of(machine, LogLab.STATE), lab.waiter);
    }

    @Test
    void whatIsMissingIsWrittenAgainByteForByte() {
        lose(AutoObjects.entry(2), AutoObjects.entry(3), AutoObjects.CLUSTER);
        assertEquals(3, repair(files).repair(EMPTIED).written());
        assertEquals(before, objects());
        assertEquals(0, repair(files).repair(EMPTIED).written());
        assertInstanceOf(StoreView.Answers.class, lab.machine(files).refresh());
        assertInstanceOf(StoreView.Answers.class, lab.machine(new MemoryFiles()).refresh());
    }

    /** A folder that is not mounted looks the same, and other machines use what is mounted. */
    @Test
    void aStoreWithoutTheClusterFileIsWrittenToOnlyIfAPersonSaysSo() {
        lose(before.keySet().toArray(String[]::new));
        assertEquals(
                "s3://memory/ is not mounted",
                assertThrows(IllegalStateException.class, () -> repair(files).repair(NOBODY))
                        .getMessage());
        assertEquals(Map.of(), objects());
        assertEquals(4, repair(files).repair(EMPTIED).written());
        lose(AutoObjects.entry(3));
        repair(files).repair(NOBODY);
    }

    @Test
    void whatTheStoreDoesNotAnswerIsAskedAgain() {
        lose(AutoObjects.entry(2), AutoObjects.entry(3));
        lab.store.fates.addAll(List.of(Fate.LOST, Fate.ANSWER_LOST, Fate.BUSY, Fate.LATE));
        assertEquals(2, repair(files).repair(EMPTIED).written());
        assertEquals(before, objects());
    }

    @Test
    void nothingIsWrittenIfTheStoreHoldsSomethingElse() {
        lose(AutoObjects.entry(1), AutoObjects.entry(2), AutoObjects.entry(3));
        AutoLog other = lab.machine(new MemoryFiles());
        other.refresh();
        other.append(LogLab.pause("another"), "", "");
        Map<String, String> others = objects();
        assertThrows(ClusterException.class, () -> repair(files).repair(EMPTIED));
        assertEquals(others, objects());
    }

    @Test
    void aMachineThatKnowsLessDoesNotRepair() {
        MemoryFiles behind = new MemoryFiles();
        lab.machine(behind).refresh();
        log.append(new Resume(3), "", "");
        log.reports().write(LogLab.report(LogLab.id(files), 1, 1, log.charter().tail()));
        lose(AutoObjects.entry(4), AutoObjects.entry(3));
        assertThrows(ClusterException.class, () -> repair(behind).repair(EMPTIED));
        assertFalse(lab.memory.objects.containsKey(AutoObjects.entry(3)));
        repair(files).repair(EMPTIED);
        assertEquals(4, lab.machine(files).charter().tail().slot());
    }

    /** Its copy was put back with it; what it had reported before was not. */
    @Test
    void aMachineThatWasPutBackDoesNotRepair() {
        log.reports().write(LogLab.report(LogLab.id(files), 1, 1, new Known(4, "e02b")));
        log.reports().write(LogLab.report(LogLab.id(files), 2, 1, log.charter().tail()));
        String next = assertThrows(ClusterException.class, () -> repair(files).repair(EMPTIED))
                .next();
        assertEquals(
                "run 'kjadm etcd auto repair-log' on another machine; if none has slot 4, use another store ('kjadm etcd auto adopt' for a cluster that runs)",
                next);
    }

    /** The reports were deleted with the log, and the founder is off: it may have a cluster. */
    @Test
    void whereMachinesDoNotReportAPersonIsAsked() {
        MemoryFiles founder = new MemoryFiles();
        AutoLog founding = lab.machine(founder);
        log.append(new Resume(3), "", "");
        founding.refresh();
        founding.append(LogLab.form(LogLab.id(founder)), "", "");
        log.refresh();
        lose(AutoObjects.entry(4), AutoObjects.entry(5));
        Map<String, String> cut = objects();

        String asked = assertThrows(
                        IllegalStateException.class, () -> repair(files).repair(NOBODY))
                .getMessage();
        assertEquals("[etcd1-%s], and slot 5".formatted(LogLab.id(founder).digits()), asked);
        assertEquals(cut, objects());

        founding.reports()
                .write(LogLab.report(LogLab.id(founder), 1, 1, log.charter().tail()));
        lab.waiter.pause("", "", Duration.ofMinutes(3));
        log.reports().write(LogLab.report(LogLab.id(files), 1, 1, log.charter().tail()));
        assertThrows(IllegalStateException.class, () -> repair(files).repair(NOBODY));

        founding.reports()
                .write(LogLab.report(LogLab.id(founder), 1, 2, log.charter().tail()));
        assertEquals(2, repair(files).repair(NOBODY).written());
        assertEquals(0, repair(founder).repair(NOBODY).written());
    }

    @Test
    void aMachineWithoutACopyRepairsNothing() {
        MemoryFiles blank = new MemoryFiles();
        assertThrows(HostException.class, () -> repair(blank).repair(EMPTIED));
    }

    @Test
    void theClusterFileIsWrittenLast() {
        lose(AutoObjects.entry(3), AutoObjects.CLUSTER);
        lab.store.afterPuts(1, List.of(Fate.DENIED));
        assertThrows(RuntimeException.class, () -> repair(files).repair(EMPTIED));
        assertFalse(lab.memory.objects.containsKey(AutoObjects.CLUSTER));
        repair(files).repair(EMPTIED);
        assertEquals(before, objects());
    }
}
