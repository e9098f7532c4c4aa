package io.kjadm.cli.listing;

import io.kjadm.cli.console.PlainText;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.plan.PlannedCommand;
import io.kjadm.core.upgrade.plan.UpgradePlan;
import io.kjadm.core.upgrade.plan.UpgradePlan.Change;
import io.kjadm.core.upgrade.plan.UpgradePlan.Upgrade;
import io.kjadm.core.value.KubernetesVersion;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A plan as {@code upgrade plan} shows it: kubeadm's tables, then what was found and the steps.
 *
 * @param name under which the program stands in the table of components
 */
public record UpgradePlanListing(UpgradePlan plan, ProgramName name) {

    private static final List<String> HEADER = List.of("COMPONENT", "NODE", "CURRENT", "TARGET");
    private static final String LINE = "_".repeat(69) + "\n";

    /** Component configuration; a cluster with other versions of it is not even read. */
    private static final List<ComponentGroup> GROUPS = List.of(
            new ComponentGroup("kubeproxy.config.k8s.io", "v1alpha1"),
            new ComponentGroup("kubelet.config.k8s.io", "v1beta1"));

    private record ComponentGroup(String group, String version) {}

    public String text() {
        if (plan.target().isEmpty()) {
            return "The cluster has %s; there is no newer version to upgrade to.\n"
                    .formatted(plan.current());
        }
        StringBuilder text = new StringBuilder();
        plan.upgrades()
                .forEach(upgrade -> text.append(upgrade(upgrade)).append(LINE).append('\n'));
        return text.append(groups())
                .append('\n')
                .append(findings())
                .append('\n')
                .append(steps())
                .toString();
    }

    private String upgrade(Upgrade upgrade) {
        StringBuilder text = new StringBuilder();
        List<Change> manual = upgrade.changes().stream().filter(Change::manual).toList();
        if (!manual.isEmpty()) {
            text.append(
                            "Components that must be upgraded manually after you have upgraded the control plane with 'kjadm upgrade apply':\n")
                    .append(table(manual))
                    .append('\n');
        }
        return text.append("Upgrade to the latest %s:\n\n"
                        .formatted(upgrade.candidate().description()))
                .append(table(upgrade.changes().stream()
                        .filter(change -> !change.manual())
                        .toList()))
                .append('\n')
                .append(command(upgrade.candidate().version()))
                .append('\n')
                .toString();
    }

    private String command(KubernetesVersion version) {
        if (!version.equals(target())) {
            return "It was not checked. To check it, run:\n\n\tkjadm upgrade plan %s\n"
                    .formatted(version);
        }
        return plan.mayGoOn()
                ? "You can now apply the upgrade by executing the following command:\n\n\tkjadm upgrade apply %s%s\n"
                        .formatted(version, UpgradePlan.flag(version))
                : "This upgrade cannot start yet; see the problems below.\n";
    }

    private String table(List<Change> changes) {
        TextTable table = new TextTable(HEADER);
        changes.forEach(change ->
                table.row(List.of(component(change), change.node(), change.from(), change.to())));
        return table.text();
    }

    private String component(Change change) {
        return change.name().equals(ProgramName.KJADM.toString()) ? name.toString() : change.name();
    }

    private static String groups() {
        TextTable table = new TextTable(List.of(
                "API GROUP", "CURRENT VERSION", "PREFERRED VERSION", "MANUAL UPGRADE REQUIRED"));
        GROUPS.forEach(
                group -> table.row(List.of(group.group(), group.version(), group.version(), "no")));
        return table.text() + LINE;
    }

    private String findings() {
        if (plan.findings().isEmpty()) {
            return "No problems were found for the upgrade to %s.\n".formatted(target());
        }
        StringBuilder text =
                new StringBuilder("Findings for the upgrade to %s:\n".formatted(target()));
        // what stops comes first
        Stream.concat(
                        plan.stopping().stream(),
                        plan.findings().stream()
                                .filter(finding -> !plan.stopping().contains(finding)))
                .forEach(finding -> text.append(finding(finding)));
        return text.toString();
    }

    private String finding(UpgradeFinding finding) {
        String level = plan.stopping().contains(finding) ? "ERROR" : "WARNING";
        String next = finding.problem().next();
        return "\t[%s %s]: %s\n%s"
                .formatted(
                        level,
                        finding.rule().checkName(),
                        PlainText.of(finding.problem().facts()),
                        next.isBlank() ? "" : "\t\tNext: %s\n".formatted(PlainText.of(next)));
    }

    private String steps() {
        StringBuilder text = new StringBuilder(
                "Run these commands in this order; every node needs kjadm and the package repository of %s:\n"
                        .formatted(target().minorText()));
        String node = "";
        for (PlannedCommand step : plan.steps()) {
            if (!step.node().equals(node)) {
                node = step.node();
                text.append("\nnode %s\n".formatted(node));
            }
            text.append(
                    "  on %s, %s:\n\t%s\n".formatted(step.on(), step.purpose(), step.command()));
        }
        return text.toString();
    }

    private KubernetesVersion target() {
        return plan.target().orElseThrow();
    }

    /** kubeadm's object, with what it has not behind. */
    public Map<String, Object> object() {
        return new Fields()
                .put("availableUpgrades", plan.upgrades(), this::fields)
                .put("configVersions", GROUPS, UpgradePlanListing::fields)
                .put("clusterVersion", plan.current().text())
                .ifAny("targetVersion", plan.target().map(KubernetesVersion::text))
                .put("mayGoOn", plan.mayGoOn())
                .put("findings", plan.findings(), this::fields)
                .put("steps", plan.steps(), UpgradePlanListing::fields)
                .object("UpgradePlan");
    }

    private Fields fields(Upgrade upgrade) {
        return new Fields()
                .put("description", upgrade.candidate().description())
                .put("components", upgrade.changes(), this::fields);
    }

    private Fields fields(Change change) {
        return new Fields()
                .put("name", component(change))
                .put("currentVersion", change.from())
                .put("newVersion", change.to())
                .ifAny("nodeName", change.node());
    }

    private static Fields fields(ComponentGroup group) {
        return new Fields()
                .put("group", group.group())
                .put("currentVersion", group.version())
                .put("preferredVersion", group.version())
                .put("manualUpgradeRequired", false);
    }

    private Fields fields(UpgradeFinding finding) {
        return new Fields()
                .put("check", finding.rule().checkName())
                .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
                .put("stops", plan.stopping().contains(finding))
                .put("what", finding.problem().what())
                .put("why", finding.problem().why())
                .put("next", finding.problem().next());
    }

    private static Fields fields(PlannedCommand step) {
        return new Fields()
                .put("node", step.node())
                .put("on", step.on())
                .put("purpose", step.purpose())
                .put("command", step.command());
    }
}
