package io.kjadm.core.etcd.check;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.EtcdRule;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Findings about etcd as the checks that preflight tells and operators ignore. */
public final class EtcdFindings {

    private EtcdFindings() {}

    /** Warnings and errors, one check for each rule; the notes are told as steps. */
    public static List<Check> checks(List<EtcdFinding> findings, String area, Reporter out) {
        Map<EtcdRule, List<Finding>> byRule = findings.stream()
                .collect(Collectors.groupingBy(
                        EtcdFinding::rule,
                        LinkedHashMap::new,
                        Collectors.flatMapping(
                                finding -> told(finding, area, out), Collectors.toList())));
        return byRule.entrySet().stream()
                .map(entry -> check(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** One check of several findings; asking was done before. */
    private static Check check(EtcdRule rule, List<Finding> found) {
        return rule.protectsCluster()
                ? Check.required(rule.checkName(), () -> found)
                : Check.of(rule.checkName(), () -> found);
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
