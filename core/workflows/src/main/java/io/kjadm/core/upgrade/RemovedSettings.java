package io.kjadm.core.upgrade;

import static io.kjadm.core.upgrade.UpgradeRule.CHANGED_SETTING;
import static io.kjadm.core.upgrade.UpgradeRule.DEPRECATED_FLAG;
import static io.kjadm.core.upgrade.UpgradeRule.DEPRECATED_GATE;
import static io.kjadm.core.upgrade.UpgradeRule.LOCKED_GATE;
import static io.kjadm.core.upgrade.UpgradeRule.REMOVED_API;
import static io.kjadm.core.upgrade.UpgradeRule.REMOVED_FLAG;
import static io.kjadm.core.upgrade.UpgradeRule.REMOVED_GATE;
import static io.kjadm.etcd.Severity.SKIPPABLE;
import static io.kjadm.etcd.Severity.WARNING;

import io.kjadm.core.value.GoBoolean;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Severity;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.Argument;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Flags, feature gates and API versions that a component does not start with any more: in its next version it
 * would end at once, and the upgrade be rolled back.
 */
public final class RemovedSettings {

    private static final String GATES = "feature-gates";
    private static final String RUNTIME_CONFIG = "runtime-config";
    private static final String ADMISSION_PLUGINS = "able-admission-plugins";
    private static final String KUBELET = "kubelet";

    private final KubernetesVersion target;
    private final List<ReleaseChanges> changes;
    private final List<UpgradeFinding> findings = new ArrayList<>();

    private RemovedSettings(KubernetesVersion target, List<ReleaseChanges> table) {
        this.target = target;
        this.changes = table.stream()
                .filter(release -> release.minor() <= target.minor())
                .toList();
    }

    /**
     * Everything that the target does not have, or will soon not have.
     *
     * @param arguments of each component, {@code kube-apiserver} and so on, also {@code kubelet},
     *     whose flags on this node count; the gates of a configuration file as argument {@code
     *     feature-gates}, its fields by their names
     */
    public static List<UpgradeFinding> findings(
            KubernetesVersion target, Map<String, List<Argument>> arguments) {
        return findings(target, arguments, ReleaseChanges.KNOWN);
    }

    static List<UpgradeFinding> findings(
            KubernetesVersion target,
            Map<String, List<Argument>> arguments,
            List<ReleaseChanges> table) {
        RemovedSettings settings = new RemovedSettings(target, table);
        new TreeMap<>(arguments)
                .forEach((component, args) -> args.forEach(arg -> settings.judge(component, arg)));
        return List.copyOf(settings.findings);
    }

    private void judge(String component, Argument arg) {
        String name = arg.name().replaceFirst("^-+", "");
        if (name.equals(GATES)) {
            for (String pair : arg.value().split(",", -1)) {
                String[] parts = pair.strip().split("=", 2);
                gate(component, parts[0], parts.length == 2 ? parts[1] : "");
            }
            return;
        }
        if (component.equals(ApiServerPod.NAME)) {
            for (String item : arg.value().split(",", -1)) {
                apiServerItem(name, item.strip().split("=", 2)[0]);
            }
        }
        changedValue(component, name + "=" + arg.value());
        Optional<ReleaseChanges> removed = changes.stream()
                .filter(release -> release.removes(component, name))
                .findFirst();
        if (removed.isPresent()) {
            add(
                    REMOVED_FLAG,
                    SKIPPABLE,
                    "%s %s has no flag --%s".formatted(component, target, name),
                    "it was removed in v1.%d, and the component does not start with it"
                            .formatted(removed.get().minor()),
                    takeOutOf(component));
        } else if (changes.stream()
                .anyMatch(release -> release.deprecates(component, name, target.minor()))) {
            add(
                    DEPRECATED_FLAG,
                    WARNING,
                    "flag --%s of %s is deprecated".formatted(name, component),
                    "a later version does not start with it",
                    takeOutOf(component));
        }
    }

    /** An API version of {@code --runtime-config}, or a plugin of the two lists of them. */
    private void apiServerItem(String flag, String item) {
        for (ReleaseChanges release : changes) {
            if (flag.equals(RUNTIME_CONFIG)) {
                release.removedApi(item)
                        .forEach(version -> add(
                                REMOVED_API,
                                WARNING,
                                "%s %s does not serve %s"
                                        .formatted(ApiServerPod.NAME, target, version),
                                "it was removed in v1.%d, and --%s names it"
                                        .formatted(release.minor(), RUNTIME_CONFIG),
                                "move its objects to a newer version or delete them before the upgrade, then remove it from the extra arguments of "
                                        + ApiServerPod.NAME));
            } else if (flag.endsWith(ADMISSION_PLUGINS)
                    && release.api().admissionPlugins().contains(item)) {
                add(
                        REMOVED_FLAG,
                        SKIPPABLE,
                        "%s %s has no admission plugin %s"
                                .formatted(ApiServerPod.NAME, target, item),
                        "it was removed in v1.%d, and the component does not start with it"
                                .formatted(release.minor()),
                        "remove it from --%s in the extra arguments of %s"
                                .formatted(flag, ApiServerPod.NAME));
            }
        }
    }

    private void changedValue(String component, String setting) {
        for (ReleaseChanges release : changes) {
            String meaning =
                    release.changedValues().getOrDefault(component, Map.of()).get(setting);
            if (meaning != null) {
                add(
                        CHANGED_SETTING,
                        WARNING,
                        "%s of %s has another meaning".formatted(setting, component),
                        "since v1.%d: %s".formatted(release.minor(), meaning),
                        "check that this is what you want");
            }
        }
    }

    private static String takeOutOf(String component) {
        return component.equals(KUBELET)
                ? "remove it from /var/lib/kubelet/kubeadm-flags.env on this node, and from kubeletExtraArgs for new nodes"
                : "remove it from the extra arguments of " + component;
    }

    private void gate(String component, String gate, String value) {
        // one that was locked by one release may have been removed by a later one
        for (ReleaseChanges release : changes) {
            if (release.gates().removed().contains(gate)) {
                add(
                        REMOVED_GATE,
                        SKIPPABLE,
                        "%s %s has no feature gate %s".formatted(component, target, gate),
                        "it was removed in v1.%d, and the component does not start with it"
                                .formatted(release.minor()),
                        takeOut(gate, component));
                return;
            }
        }
        for (ReleaseChanges release : changes) {
            Boolean locked = release.gates().locked().get(gate);
            if (locked != null) {
                locked(component, gate, locked, GoBoolean.parse(value).orElse(!locked));
                return;
            }
        }
        if (changes.stream().anyMatch(release -> release.gates().deprecated().contains(gate))) {
            add(
                    DEPRECATED_GATE,
                    WARNING,
                    "feature gate %s of %s is deprecated".formatted(gate, component),
                    "a later version does not start with it",
                    takeOut(gate, component));
        }
    }

    private void locked(String component, String gate, boolean only, boolean chosen) {
        if (chosen == only) {
            add(
                    DEPRECATED_GATE,
                    WARNING,
                    "feature gate %s of %s has no choice left".formatted(gate, component),
                    "it is always %s, and will be removed".formatted(only),
                    takeOut(gate, component));
        } else {
            add(
                    LOCKED_GATE,
                    SKIPPABLE,
                    "%s %s does not start with feature gate %s=%s"
                            .formatted(component, target, gate, chosen),
                    "it can only be %s there".formatted(only),
                    takeOut(gate, component));
        }
    }

    private static String takeOut(String gate, String component) {
        return "remove %s from --feature-gates in the extra arguments of %s"
                .formatted(gate, component);
    }

    private void add(UpgradeRule rule, Severity severity, String what, String why, String next) {
        findings.add(new UpgradeFinding(rule, severity, what, why, next));
    }
}
