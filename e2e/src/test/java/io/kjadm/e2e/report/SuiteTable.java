package io.kjadm.e2e.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The results of suites as lines of text: a table, and below it each reason for skipping once. */
final class SuiteTable {
    private static final String ROW = "  %-24s %7s %7s %8s %9s";

    private SuiteTable() {}

    static List<String> lines(Collection<SuiteResult> suites) {
        var lines = new ArrayList<String>();
        lines.add(ROW.formatted("suite", "passed", "failed", "skipped", "seconds"));
        suites.forEach(suite -> lines.add(ROW.formatted(
                suite.name(),
                suite.passed(),
                suite.failed(),
                suite.skips().size(),
                "%.1f".formatted(suite.took().toMillis() / 1000.0))));
        lines.add(ROW.formatted(
                        "all",
                        suites.stream().mapToInt(SuiteResult::passed).sum(),
                        suites.stream().mapToInt(SuiteResult::failed).sum(),
                        suites.stream().mapToInt(suite -> suite.skips().size()).sum(),
                        "")
                .stripTrailing());
        reasons(suites)
                .forEach((reason, names) -> lines.add("  skipped: "
                        + names.entrySet().stream()
                                .map(name -> name.getKey() + " (" + name.getValue() + ")")
                                .collect(Collectors.joining(", "))
                        + ": " + reason));
        return lines;
    }

    /** For each reason the suites it kept from running, with the number of their tests. */
    private static Map<String, Map<String, Integer>> reasons(Collection<SuiteResult> suites) {
        var reasons = new LinkedHashMap<String, Map<String, Integer>>();
        for (var suite : suites) {
            for (var reason : suite.skips()) {
                reasons.computeIfAbsent(reason, unused -> new LinkedHashMap<>())
                        .merge(suite.name(), 1, Integer::sum);
            }
        }
        return reasons;
    }
}
