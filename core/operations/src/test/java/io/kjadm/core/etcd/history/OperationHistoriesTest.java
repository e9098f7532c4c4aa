package io.kjadm.core.etcd.history;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.history.Recorder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Eight clients read and write while commands of {@code kjadm etcd} change real members: every
 * answer has to be that of a linearizable store. Each build records one history; {@code
 * e2e/histories} records more. Skipped where there is no etcd.
 */
class OperationHistoriesTest {

    private static final String SECONDS = "kjadm.history.seconds";
    private static final int VOTERS = 3;

    @TempDir
    Path folder;

    @Test
    @DisabledIfSystemProperty(named = SECONDS, matches = "\\d+")
    void clientsSeeOneStoreInEachBuild() throws IOException {
        record(
                "short run",
                List.of(
                        RecordedOperation.PROMOTE_A_LEARNER,
                        RecordedOperation.SNAPSHOT,
                        RecordedOperation.DEFRAGMENT,
                        RecordedOperation.REPLACE_THE_LEADER),
                folder);
    }

    /** All, or those of {@code -Dkjadm.history.operations}. */
    static List<RecordedOperation> operations() {
        String names = System.getProperty("kjadm.history.operations", "");
        return Stream.of(RecordedOperation.values())
                .filter(operation ->
                        names.isEmpty() || List.of(names.split(",")).contains(operation.name()))
                .toList();
    }

    /** All operations have the same part of the time; each is recorded at least once. */
    @ParameterizedTest
    @MethodSource("operations")
    @EnabledIfSystemProperty(named = SECONDS, matches = "\\d+")
    void clientsSeeOneStore(RecordedOperation operation) throws IOException {
        Duration time =
                Duration.ofSeconds(Long.getLong(SECONDS)).dividedBy(operations().size());
        long end = System.nanoTime() + time.toNanos();
        int number = 0;
        do {
            number++;
            record(operation.toString(), List.of(operation), folder.resolve("" + number));
        } while (System.nanoTime() < end);
    }

    private static void record(String name, List<RecordedOperation> operations, Path folder)
            throws IOException {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        assumeTrue(
                operations.stream().allMatch(each -> each.possibleWith(binary.version())),
                () -> "kjadm promotes no learner of " + binary);
        try (var members = new RecordedMembers(binary, folder, VOTERS, Recorder.anySeed())) {
            members.record(operations).requireRight(name, binary);
        }
    }
}
