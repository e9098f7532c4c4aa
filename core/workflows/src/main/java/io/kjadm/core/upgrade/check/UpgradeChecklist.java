package io.kjadm.core.upgrade.check;

import io.kjadm.core.upgrade.CorefileRules;
import io.kjadm.core.upgrade.RemovedSettings;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.UpgradeRule;
import io.kjadm.core.upgrade.VersionPolicy;
import io.kjadm.etcd.Severity;

import java.util.ArrayList;
import java.util.List;

/** All rules of an upgrade, applied to what is known before it. */
public final class UpgradeChecklist {

    private UpgradeChecklist() {}

    /**
     * Everything that stands in the way, and what the operator should know: of the versions, of the
     * cluster, of etcd, of this node.
     */
    public static List<UpgradeFinding> findings(UpgradeFacts facts) {
        List<UpgradeFinding> findings = new ArrayList<>(VersionPolicy.findings(facts.versions()));
        facts.cluster().ifPresent(cluster -> {
            findings.addAll(ClusterRules.findings(cluster));
            findings.addAll(dns(cluster.dns()));
        });
        facts.etcd()
                .ifPresent(etcd -> findings.addAll(
                        EtcdRules.findings(etcd, facts.versions().target())));
        findings.addAll(
                RemovedSettings.findings(facts.versions().target(), facts.node().arguments()));
        findings.addAll(NodeRules.findings(facts));
        return List.copyOf(findings);
    }

    private static List<UpgradeFinding> dns(ClusterState.Dns dns) {
        return dns.problem()
                .map(problem -> List.of(new UpgradeFinding(
                        UpgradeRule.COREDNS_MIGRATION, Severity.SKIPPABLE, problem)))
                .orElseGet(() ->
                        CorefileRules.findings(dns.corefile(), dns.installed(), dns.wanted()));
    }
}
