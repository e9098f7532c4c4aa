package io.kjadm.core.etcd.check;

import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.Check;
import io.kjadm.core.preflight.Finding;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.EtcdRule;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Findings about etcd as the checks that preflight tells and operators ignore. */
public final class EtcdFindings {

    private EtcdFindings() {}

    /**
     * One check of several findings; asking was done, or at least begun, before.
     *
     * @param answer waits for what is still on its way
     */
    record Found(EtcdRule rule, Supplier<List<Finding>> answer) implements Check {

        @Override
        public String name() {
            return rule.checkName();
        }

        @Override
        public List<Finding> run() {
            return answer.get();
        }

        @Override
        public boolean ignorable() {
            return !rule.protectsCluster();
        }
    }

    /** Warnings and errors, one check for each rule; the notes are told as steps. */
    public static List<Check> checks(List<EtcdFinding> findings, String area, Reporter out) {
        Map<EtcdRule, List<Finding>> byRule = findings.stream()
                .collect(Collectors.groupingBy(
                        EtcdFinding::rule,
                        LinkedHashMap::new,
                        Collectors.flatMapping(
                                finding -> told(finding, area, out), Collectors.toList())));
        return byRule.entrySet().stream()
                .<Check>map(entry -> new Found(entry.getKey(), entry::getValue))
                .toList();
    }

    private static Stream<Finding> told(EtcdFinding finding, String area, Reporter out) {
        return switch (finding.level()) {
            case NOTE -> {
                out.step(area, finding.text());
                yield Stream.empty();
            }
            case WARNING, ERROR -> Stream.of(finding(finding));
        };
    }

    /** One finding that is more than a note. */
    static Finding finding(EtcdFinding finding) {
        return finding.level() == EtcdFinding.Level.ERROR
                ? Finding.error(finding.text())
                : Finding.warning(finding.text());
    }
}
