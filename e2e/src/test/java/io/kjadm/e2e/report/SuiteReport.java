package io.kjadm.e2e.report;

import io.kjadm.e2e.lab.Components;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Says at the end of a run on what the suites ran, how many of their tests passed, failed and were
 * skipped, how long each took, and why tests were skipped. JUnit's launcher finds it as a service.
 * Only suites, classes called {@code …IT}, are reported: unit tests are Maven's to count.
 */
public final class SuiteReport implements TestExecutionListener {
    private final Consumer<String> out;
    private final Map<String, SuiteResult> suites = new TreeMap<>();
    private final Map<String, Long> began = new ConcurrentHashMap<>();
    private volatile TestPlan plan;

    /** As the launcher makes it: prints to standard output. */
    public SuiteReport() {
        this(System.out::println);
    }

    SuiteReport(Consumer<String> out) {
        this.out = out;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        began.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        var suite = suite(test);
        if (suite != null) {
            suite.addSkipped(testsOf(test), reason);
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        var suite = suite(test);
        if (suite == null) {
            return;
        }
        if (isSuite(test)) {
            suite.took(Duration.ofNanos(System.nanoTime() - began.get(test.getUniqueId())));
        }
        switch (result.getStatus()) {
            case FAILED -> suite.addFailed();
            case ABORTED -> suite.addSkipped(testsOf(test), reason(result));
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    suite.addPassed();
                }
            }
        }
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan finished) {
        if (suites.isEmpty()) {
            return;
        }
        out.accept("[e2e] whole-program tests, " + Components.atHand().description());
        SuiteTable.lines(suites.values()).forEach(line -> out.accept("[e2e] " + line));
    }

    private static String reason(TestExecutionResult result) {
        return result.getThrowable()
                .map(Throwable::getMessage)
                .orElse("no reason was given")
                .replaceFirst("^Assumption failed: ", "");
    }

    /** How many tests a test or a container of tests stands for; one, if they are not known yet. */
    private int testsOf(TestIdentifier test) {
        return Math.max(1, (int) plan.getDescendants(test).stream()
                .filter(TestIdentifier::isTest)
                .count());
    }

    /** The suite that a test belongs to, or null if it belongs to none. */
    private SuiteResult suite(TestIdentifier test) {
        for (var at = test; at != null; at = plan.getParent(at).orElse(null)) {
            if (isSuite(at)) {
                return suites.computeIfAbsent(className(at), SuiteResult::new);
            }
        }
        return null;
    }

    private static boolean isSuite(TestIdentifier test) {
        return className(test).endsWith("IT");
    }

    private static String className(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(source -> ((ClassSource) source).getJavaClass().getSimpleName())
                .orElse("");
    }
}
