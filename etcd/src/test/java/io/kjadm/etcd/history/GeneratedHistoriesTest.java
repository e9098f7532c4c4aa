package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.history.LinearizabilityChecker.Verdict;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;
import io.kjadm.etcd.history.SequentialModel.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What a sequential store answered is accepted; with one answer changed it is refused. */
class GeneratedHistoriesTest {

    private static final int SEEDS = 200;
    private static final int OPERATIONS = 200;
    private static final int KEYS = 3;

    @Test
    void whatAStoreAnsweredIsAccepted() {
        for (long seed = 0; seed < SEEDS; seed++) {
            List<Operation> history = new SequentialModel(seed, KEYS).history(OPERATIONS, 0);
            assertRight(seed, history);
        }
    }

    @Test
    void whatAStoreDidWithoutAnAnswerIsAccepted() {
        for (long seed = 0; seed < SEEDS; seed++) {
            List<Operation> history = new SequentialModel(seed, KEYS).history(OPERATIONS, 4);
            assertRight(seed, history);
        }
    }

    private static void assertRight(long seed, List<Operation> history) {
        Verdict verdict = new LinearizabilityChecker().check(history);
        assertInstanceOf(
                Verdict.Linearizable.class, verdict, () -> "seed " + seed + ": " + verdict);
        assertEquals(List.of(), RevisionOrder.violations(history), () -> "seed " + seed);
    }

    /** What is done to one operation of a history. */
    enum Change {
        /** What the key held before. */
        OLD_VALUE {
            @Override
            Optional<Operation> of(Operation operation, List<Operation> history) {
                return read(operation)
                        .flatMap(found -> history.stream()
                                .filter(other -> other.key().equals(operation.key()))
                                .filter(other -> read(other)
                                        .filter(old -> old.modRevision() < found.modRevision())
                                        .isPresent())
                                .findFirst())
                        .map(other -> with(operation, other.response().orElseThrow()));
            }
        },
        /** A value that nobody wrote. */
        NO_VALUE {
            @Override
            Optional<Operation> of(Operation operation, List<Operation> history) {
                return read(operation)
                        .map(found -> reading(
                                operation, new Found("x", found.version(), found.modRevision())));
            }
        },
        VERSION {
            @Override
            Optional<Operation> of(Operation operation, List<Operation> history) {
                return read(operation)
                        .map(found -> reading(
                                operation,
                                new Found(
                                        found.value(), found.version() + 1, found.modRevision())));
            }
        },
        MOD_REVISION {
            @Override
            Optional<Operation> of(Operation operation, List<Operation> history) {
                return read(operation)
                        .map(found -> reading(
                                operation,
                                new Found(
                                        found.value(), found.version(), found.modRevision() - 1)));
            }
        },
        /** The key was there. */
        ABSENT {
            @Override
            Optional<Operation> of(Operation operation, List<Operation> history) {
                return read(operation)
                        .map(found ->
                                with(operation, new Read(revision(operation), Optional.empty())));
            }
        },
        /** Another write has that revision. */
        REVISION_OF_A_WRITE {
            @Override
            Optional<Operation> of(Operation operation, List<Operation> history) {
                return operation.response().orElseThrow() instanceof Written written
                        ? Optional.of(with(operation, new Written(written.revision() - 1)))
                        : Optional.empty();
            }
        },
        /** The answer of a delete turned round. */
        DELETED {
            @Override
            Optional<Operation> of(Operation operation, List<Operation> history) {
                return operation.response().orElseThrow() instanceof Deleted deleted
                        ? Optional.of(with(
                                operation, new Deleted(deleted.revision(), !deleted.existed())))
                        : Optional.empty();
            }
        };

        abstract Optional<Operation> of(Operation operation, List<Operation> history);
    }

    private static Optional<Found> read(Operation operation) {
        return operation
                .response()
                .flatMap(response ->
                        response instanceof Read read && operation.request() instanceof Request.Get
                                ? read.found()
                                : Optional.empty());
    }

    private static long revision(Operation operation) {
        return operation.response().orElseThrow().revision();
    }

    private static Operation reading(Operation operation, Found found) {
        return with(operation, new Read(revision(operation), Optional.of(found)));
    }

    private static Operation with(Operation operation, Response response) {
        return Operation.answered(
                operation.client(),
                operation.request(),
                operation.called(),
                operation.returned(),
                response);
    }

    /**
     * The old value of a read that overlaps the write of the new one may be right, so that not every
     * change is one that can be found.
     */
    @ParameterizedTest
    @EnumSource
    void oneChangedAnswerIsFound(Change change) {
        int made = 0;
        int found = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            List<Operation> history = new SequentialModel(seed, KEYS).history(OPERATIONS, 0);
            Random random = new Random(seed);
            for (int attempt = 0; attempt < OPERATIONS; attempt++) {
                int at = random.nextInt(history.size());
                Optional<Operation> changed = change.of(history.get(at), history);
                if (changed.isPresent()) {
                    made++;
                    List<Operation> wrong = new ArrayList<>(history);
                    wrong.set(at, changed.get());
                    found += refused(wrong) ? 1 : 0;
                    break;
                }
            }
        }
        assertEquals(SEEDS, made);
        assertTrue(found >= 0.97 * made, found + " of " + made + " were found");
    }

    /** Not in every case: the key may be deleted before it is read. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aStoreThatErrsOnceIsFound(Fault fault) {
        int found = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            found += refused(new SequentialModel(seed, KEYS).with(fault).history(OPERATIONS, 0))
                    ? 1
                    : 0;
        }
        assertTrue(found >= 0.8 * SEEDS, found + " of " + SEEDS + " were found");
    }

    private static boolean refused(List<Operation> history) {
        return !(new LinearizabilityChecker().check(history) instanceof Verdict.Linearizable)
                || !RevisionOrder.violations(history).isEmpty();
    }
}
