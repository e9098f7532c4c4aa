package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.AutoDecider;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.Provided;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.store.ObjectStore;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

class AutoMetricsTest {

    private static final Path FILE = Path.of("/var/lib/node_exporter/kjadm.prom");

    private final MemoryFiles files =
            new MemoryFiles().withDirectory(FILE.getParent().toString());

    private static Turn turn(StoreView store) {
        LogLab lab = new LogLab();
        MemoryFiles machine = new MemoryFiles();
        AutoLog log = lab.machine(machine);
        log.refresh();
        AutoFacts facts = new AutoFacts(
                new Self(
                        LogLab.id(machine),
                        new Step.Own(
                                "etcd1",
                                "10.0.0.11",
                                log.charter().seed().spec().version(),
                                List.of()),
                        URI.create("https://10.0.0.11:2380"),
                        URI.create("https://10.0.0.11:2379"),
                        new AutoFacts.Backup(
                                new Step.Save("/backups", "age1"), "/backup.identity")),
                store,
                log.charter(),
                Map.of(),
                new Local(
                        new Data.OtherDisk("", ""),
                        UnitState.SKIPPED,
                        SetUp.JOIN,
                        new Readiness(List.of()),
                        new Provided(true, true, Optional.empty()),
                        Optional.empty(),
                        Stops.none()),
                new EtcdView.Silent(""),
                new Memory(
                        Map.of(),
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.empty(),
                        Instant.EPOCH));
        return new Turn(facts, new AutoDecider().decide(facts), Optional.empty(), Duration.ZERO);
    }

    /** What the file tells, by name and label. */
    private Map<String, String> values() {
        return files.text(FILE.toString())
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(words -> words[0], words -> words[1]));
    }

    @Test
    void requestsToTheStoreAreCounted() {
        AutoMetrics metrics = new AutoMetrics(files, Optional.of(FILE));
        ObjectStore store = metrics.counting(new LogLab().store);
        store.list(AutoObjects.MACHINES);
        store.read(AutoObjects.CLUSTER, ClusterFile.LIMIT);
        store.read(AutoObjects.entry(1), ClusterFile.LIMIT);
        metrics.after(turn(new StoreView.Silent("")));
        String requests = "kjadm_etcd_auto_store_requests_total{request=\"%s\"}";
        assertEquals("2", values().get(requests.formatted("read")));
        assertEquals("1", values().get(requests.formatted("list")));
        assertEquals("0", values().get(requests.formatted("put")));
    }

    @Test
    void theFileTellsWhatAMachineWaitsFor() {
        new AutoMetrics(files, Optional.of(FILE)).after(turn(new StoreView.Silent("")));
        assertEquals("0", values().get("kjadm_etcd_auto_store_up"));
        assertEquals("0", values().get("kjadm_etcd_auto_waiting{code=\"clone\"}"));
        assertEquals(
                Set.of(
                        "kjadm_etcd_auto_waiting{code=\"disk\"}",
                        "kjadm_etcd_auto_disk_state{state=\"other_disk\"}",
                        "kjadm_etcd_auto_phase{phase=\"none\"}"),
                values().entrySet().stream()
                        .filter(value -> value.getValue().equals("1"))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet()));
    }

    /** A name has one help and one type, before its values. */
    @Test
    void eachFamilyIsDescribedOnce() {
        new AutoMetrics(files, Optional.of(FILE)).after(turn(new StoreView.Silent("")));
        String text = files.text(FILE.toString());
        List<String> types =
                text.lines().filter(line -> line.startsWith("# TYPE")).toList();
        assertEquals(types.stream().distinct().count(), types.size());
        assertTrue(text.lines()
                .filter(line -> !line.startsWith("#"))
                .allMatch(line -> line.matches("[a-z0-9_]+(\\{[a-z]+=\"[a-z_]+\"})? -?\\d+")));
    }

    @Test
    void aFileThatCannotBeWrittenStopsNothing() {
        files.refusing(FILE.toString(), "no space left");
        Turn turn = turn(new StoreView.Silent(""));
        assertDoesNotThrow(() -> new AutoMetrics(files, Optional.of(FILE)).after(turn));
        assertEquals(turn, new AutoMetrics(files, Optional.empty()).after(turn));
    }
}
