package io.kjadm.core.etcd.leave;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.journal.UnfinishedOperationsTest;
import io.kjadm.core.phase.RecordingReporter;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A later member of this machine must not be changed to what the previous one was. */
public class LeftJournalsTest {

    /** Those of a reset itself, and of what it takes back. */
    private static final Set<Operation> OWN =
            EnumSet.of(Operation.RESET, Operation.JOIN, Operation.INIT);

    /** The journals of a machine that have to be gone after a reset of it. */
    public static Stream<Arguments> ended(String directory) {
        return UnfinishedOperationsTest.journals()
                .filter(journal -> !OWN.contains(journal.get()[0]))
                .filter(journal -> journal.get()[1].toString().startsWith(directory));
    }

    static Stream<Arguments> onANode() {
        return ended("/etc/kubernetes/tmp/");
    }

    @ParameterizedTest
    @MethodSource("onANode")
    void noJournalStaysOnANodeThatIsReset(Operation operation, String path, String text) {
        MemoryFiles files = new MemoryFiles().with(path, text);
        assertEquals(operation, UnfinishedOperations.on(files).all().getFirst().operation());

        EndedJournals.end(files, Instant.EPOCH, new RecordingReporter());

        assertEquals(List.of(), UnfinishedOperations.on(files).all());
    }
}
