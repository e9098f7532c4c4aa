package io.kjadm.etcd.history;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Eight clients read and write while production code changes the members of a real cluster, and its
 * leader is killed; every answer has to be that of a linearizable store. {@code e2e/histories} runs
 * it.
 */
@EnabledIfSystemProperty(named = "kjadm.history.seconds", matches = "\\d+")
class HistoryIT {

    /** How long members are changed, a tenth of all; at least one round of changes is made. */
    private static final Duration TIME =
            Duration.ofSeconds(Integer.getInteger("kjadm.history.seconds", 1)).dividedBy(10);

    private static final int VOTERS = 3;

    @TempDir
    Path folder;

    @Test
    void etcdAnswersRightlyWhileItsMembersChange() throws Exception {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        Recording recording;
        try (HistoryCluster cluster = new HistoryCluster(binary, folder, VOTERS)) {
            Recorder recorder = new Recorder(cluster::endpoints, Recorder.anySeed());
            recording = recorder.record(() -> change(cluster, recorder), cluster::end);
        }
        recording.requireRight("joins, removals and kills of the leader", binary);
    }

    private static void change(HistoryCluster cluster, Recorder recorder) throws IOException {
        long end = System.nanoTime() + TIME.toNanos();
        int number = VOTERS + 1;
        join(cluster, recorder, number);
        do {
            number++;
            recorder.during("remove the leader", cluster::removeLeader);
            join(cluster, recorder, number);
            recorder.during("kill and start the leader", cluster::killLeader);
        } while (System.nanoTime() < end);
    }

    private static void join(HistoryCluster cluster, Recorder recorder, int number)
            throws IOException {
        String name = "cp-" + number;
        recorder.during("join " + name, () -> cluster.join(name));
    }
}
