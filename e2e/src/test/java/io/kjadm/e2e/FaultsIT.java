package io.kjadm.e2e;

import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.faults.FaultCase;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;

import java.util.stream.Stream;

/**
 * What goes wrong around a join or a reset, and what has to become of the cluster
 * (docs/failure-catalogue.md). A numbered writer and a linearizable reader run all the time.
 *
 * <p>Usually a handful of the cases runs; all of them with {@code -Dkjadm.faults=all}, and some
 * with {@code -Dkjadm.faults=F29,F60}.
 */
@Order(2)
@NeedsLab
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FaultsIT {
    private static final int NODES = 4;

    private Trial trial;

    static Stream<FaultCase> cases() {
        var wanted = System.getProperty("kjadm.faults", "");
        return switch (wanted) {
            case "" -> FaultCase.all().filter(FaultCase::usual);
            case "all" -> FaultCase.all();
            default ->
                FaultCase.all()
                        .filter(fault -> Stream.of(wanted.split(",")).anyMatch(fault::hasNumber));
        };
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void endsWell(FaultCase fault) throws Exception {
        prepare();
        try {
            fault.play().on(trial);
            end(fault);
        } catch (TestAbortedException e) {
            // it needs what is not here, and said so before it changed anything
            throw e;
        } catch (Exception | AssertionError e) {
            System.out.println("[faults] failed: " + fault + ": " + e);
            trial.showLogs();
            // nobody knows what it has left
            removeIt();
            throw e;
        }
    }

    /** Nobody's writes are missing, and every node can leave again. */
    private void end(FaultCase fault) {
        switch (fault.tolerance()) {
            case NO_FAILED_WRITE -> trial.report(fault.toString());
            case OUTAGE -> trial.reportLosses(fault.toString());
            case END -> {
                removeIt();
                return;
            }
        }
        trial.clean();
    }

    /** Node 1 alone. */
    private void prepare() {
        if (trial == null) {
            trial = Trial.withNodes(NODES);
        }
        trial.begin();
    }

    @AfterAll
    void removeIt() {
        if (trial != null) {
            trial.close();
            trial = null;
        }
    }
}
