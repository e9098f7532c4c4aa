package io.kjadm.cli.kube;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.UpgradeRule;
import io.kjadm.core.upgrade.UpgradeRun;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.upgrade.check.UpgradeChecklist;
import io.kjadm.core.upgrade.check.UpgradeCheckup;
import io.kjadm.core.upgrade.check.UpgradeGoal;
import io.kjadm.etcd.Severity;

import java.util.List;
import java.util.function.Function;

/**
 * What {@code upgrade plan} finds, as checks of a run: what stops there stops here, under the names
 * by which an operator ignores what may be ignored.
 */
public record UpgradeChecks(UpgradeCheckup checkup, PreReleases allowed)
        implements Function<UpgradeRun, List<Check>> {

    @Override
    public List<Check> apply(UpgradeRun run) {
        UpgradeGoal goal = new UpgradeGoal(
                run.target(),
                allowed,
                run.settings().scope().etcdUpgrade(),
                run.settings().patchesDirectory(),
                run.timeouts());
        return UpgradeChecklist.findings(checkup.gather(run.stored(), run.installed(), goal))
                .stream()
                .map(finding -> check(finding, run.order().first(), run.order().force()))
                .toList();
    }

    /**
     * As a check of a run. {@code upgrade node} takes the version that the cluster has stored: as in
     * kubeadm, a program of a later minor may do that, for example to give etcd the patch release
     * that the later minor requires.
     *
     * @param first whether it is {@code upgrade apply}
     * @param force whether the operator goes on in spite of what may be skipped
     */
    static Check check(UpgradeFinding finding, boolean first, boolean force) {
        boolean skipped = force || !first && finding.rule() == UpgradeRule.PROGRAM_TOO_NEW;
        Finding told = finding.severity().stops(skipped)
                ? Finding.error(finding.problem().toString())
                : Finding.warning(finding.problem().toString());
        String name = finding.rule().checkName();
        return finding.severity() == Severity.MANDATORY
                ? Check.required(name, () -> List.of(told))
                : Check.of(name, () -> List.of(told));
    }
}
