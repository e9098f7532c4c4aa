package io.kjadm.e2e.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How the tests of one suite ended; the counts grow while it runs. */
final class SuiteResult {
    private final String name;
    private int passed;
    private int failed;
    private final List<String> skips = new ArrayList<>();
    private Duration took = Duration.ZERO;

    SuiteResult(String name) {
        this.name = name;
    }

    void addPassed() {
        passed++;
    }

    void addFailed() {
        failed++;
    }

    void addSkipped(int tests, String reason) {
        for (int i = 0; i < tests; i++) {
            skips.add(reason);
        }
    }

    void took(Duration duration) {
        took = duration;
    }

    /** The simple name of the suite's class. */
    String name() {
        return name;
    }

    int passed() {
        return passed;
    }

    int failed() {
        return failed;
    }

    /** Why tests were skipped, once for each of them. */
    List<String> skips() {
        return List.copyOf(skips);
    }

    Duration took() {
        return took;
    }
}
