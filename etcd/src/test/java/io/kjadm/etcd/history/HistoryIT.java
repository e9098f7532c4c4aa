package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.history.LinearizabilityChecker.Verdict;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Eight clients read and write while production code changes the members of a real cluster, and its
 * leader is killed; every answer has to be that of a linearizable store. {@code e2e/histories} runs
 * it.
 */
@EnabledIfSystemProperty(named = "kjadm.history.seconds", matches = "\\d+")
class HistoryIT {

    /** How long members are changed; at least one round of changes is made. */
    private static final Duration TIME =
            Duration.ofSeconds(Integer.getInteger("kjadm.history.seconds", 1));

    private static final int VOTERS = 3;

    @TempDir
    Path folder;

    @Test
    void etcdAnswersRightlyWhileItsMembersChange() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        List<String> changes = new ArrayList<>();
        Recording recording;
        try (HistoryCluster cluster = new HistoryCluster(binary, folder, VOTERS)) {
            recording = cluster.record(
                    number -> new EtcdCalls(cluster.endpoints(), number),
                    () -> change(cluster, changes));
        }
        Verdict verdict = recording.verdict();
        List<String> violations = recording.violations();
        System.out.printf(
                "[history] %s: %s, member changes: %s%n",
                binary,
                recording.summary(
                        verdict,
                        violations.size() + (verdict instanceof Verdict.Linearizable ? 0 : 1)),
                String.join(", ", changes));
        assertInstanceOf(Verdict.Linearizable.class, verdict, verdict::toString);
        assertEquals(
                List.of(),
                violations.stream().limit(5).toList(),
                () -> violations.size() + " violations");
        // nothing is right because nothing was asked
        assertTrue(
                Recording.lastRevision(recording.history()) > 200,
                () -> "revision " + Recording.lastRevision(recording.history()));
        assertTrue(recording.watched().events().size() > 200);
    }

    private static void change(HistoryCluster cluster, List<String> changes) throws IOException {
        long end = System.nanoTime() + TIME.toNanos();
        int name = VOTERS + 1;
        cluster.join("cp-" + name);
        changes.add("cp-" + name + " joined");
        do {
            name++;
            changes.add("leader " + cluster.removeLeader() + " removed");
            cluster.join("cp-" + name);
            changes.add("cp-" + name + " joined");
            changes.add("leader " + cluster.killLeader() + " killed and started");
        } while (System.nanoTime() < end);
    }
}
