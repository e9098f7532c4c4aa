package io.kjadm.e2e.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the report says of small suites that JUnit really runs. */
final class SuiteReportTest {
    static final class MixedIT {
        @Test
        void passes() {}

        @Test
        void fails() {
            fail("as it should");
        }

        @Test
        void isAborted() {
            Assumptions.abort("no etcd 3.3");
        }

        @Test
        @Disabled("no kubeadm")
        void isDisabled() {}
    }

    @Disabled("no kubeadm")
    static final class DisabledIT {
        @Test
        void one() {}

        @Test
        void two() {}
    }

    static final class AbortedIT {
        @BeforeAll
        static void look() {
            Assumptions.assumeTrue(false, "no kubeadm");
        }

        @Test
        void one() {}
    }

    static final class BrokenIT {
        @BeforeAll
        static void start() {
            fail("the lab does not start");
        }

        @Test
        void one() {}
    }

    static final class DynamicIT {
        @TestFactory
        Stream<DynamicTest> cases() {
            return Stream.of("one", "two").map(name -> DynamicTest.dynamicTest(name, () -> {}));
        }
    }

    static final class UnitCase {
        @Test
        void passes() {}
    }

    private static List<String> report(Class<?>... classes) {
        var lines = new ArrayList<String>();
        // not the service, which would print these among the results of this very run
        var config = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(new SuiteReport(lines::add))
                .build();
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(classes).map(type -> selectClass(type)).toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                .build();
        LauncherFactory.create(config).execute(request);
        return lines;
    }

    /** The counts of the row that begins with {@code name}: passed, failed, skipped. */
    private static List<Integer> counts(List<String> report, String name) {
        var row = report.stream()
                .map(line -> line.replace("[e2e]", "").strip())
                .filter(line -> line.startsWith(name + " "))
                .findFirst()
                .orElseThrow();
        return Stream.of(row.split(" +")).skip(1).limit(3).map(Integer::valueOf).toList();
    }

    @Test
    void countsWhatPassedFailedAndWasSkipped() {
        var report = report(MixedIT.class);
        assertEquals(List.of(1, 1, 2), counts(report, "MixedIT"));
        assertEquals(
                List.of(
                        "[e2e]   skipped: MixedIT (1): no etcd 3.3",
                        "[e2e]   skipped: MixedIT (1): no kubeadm"),
                report.stream()
                        .filter(line -> line.startsWith("[e2e]   skipped: "))
                        .toList());
    }

    @Test
    void suiteThatDoesNotBeginCountsWithAllItsTests() {
        var report = report(DisabledIT.class, AbortedIT.class);
        assertEquals(List.of(0, 0, 2), counts(report, "DisabledIT"));
        assertEquals(List.of(0, 0, 1), counts(report, "AbortedIT"));
        assertEquals(List.of(0, 0, 3), counts(report, "all"));
        assertEquals(
                "[e2e]   skipped: AbortedIT (1), DisabledIT (2): no kubeadm",
                report.getLast(),
                "one line per reason");
    }

    @Test
    void suiteWhoseSetUpFailsHasFailed() {
        assertEquals(List.of(0, 1, 0), counts(report(BrokenIT.class), "BrokenIT"));
    }

    @Test
    void dynamicTestsAreCountedOneByOne() {
        assertEquals(List.of(2, 0, 0), counts(report(DynamicIT.class), "DynamicIT"));
    }

    @Test
    void unitTestsAreNotReported() {
        assertEquals(List.of(), report(UnitCase.class));
        var both = report(UnitCase.class, DynamicIT.class);
        assertEquals(List.of(2, 0, 0), counts(both, "all"));
    }

    @Test
    void firstLineSaysOnWhatTheSuitesRan() {
        assertTrue(report(DynamicIT.class)
                .getFirst()
                .matches("\\[e2e] whole-program tests, (on real components|in the sandbox): .*"));
    }
}
