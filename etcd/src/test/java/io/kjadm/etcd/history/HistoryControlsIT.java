package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdProcesses;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.history.FaultyCalls.Fault;
import io.kjadm.etcd.history.LinearizabilityChecker.Verdict;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Between one of the clients and a real etcd there is something that is at fault: the rules have to
 * find it, or their silence in {@link HistoryIT} says nothing. Skipped where there is no etcd.
 */
class HistoryControlsIT {

    private static final int FAULTS = 3;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void eachFaultIsFound(Fault fault) throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        List<FaultyCalls> faulty = new ArrayList<>();
        Recording recording;
        try (HistoryCluster cluster = new HistoryCluster(binary, folder, 1)) {
            Recorder recorder = new Recorder(cluster::endpoints, 1);
            faulty.add(new FaultyCalls(recorder.calls(0), fault));
            recording = recorder.record(
                    number -> number == 0 ? faulty.getFirst() : recorder.calls(number),
                    () -> EtcdProcesses.until(
                            FAULTS + " faults", () -> faulty.getFirst().faults() >= FAULTS),
                    cluster::end);
        }
        Verdict.Violated verdict = assertInstanceOf(Verdict.Violated.class, recording.verdict());
        assertLinesMatch(
                List.of(
                        "key .*: no order of the operations explains",
                        "  .*",
                        "The key was then: .* Around it:",
                        ">> operations >>"),
                verdict.text().lines().toList());
        // the order of revisions, or the log, tells it, too
        assertFalse(recording.violations().isEmpty());
        System.out.printf("[history] %s is found: %s%n", fault, verdict.text());
    }
}
