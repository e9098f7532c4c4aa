package io.kjadm.core.config;

import io.kjadm.core.config.UpgradeConfiguration.Apply;
import io.kjadm.core.config.UpgradeConfiguration.Diff;
import io.kjadm.core.config.UpgradeConfiguration.ImagePull;
import io.kjadm.core.config.UpgradeConfiguration.NodeUpgrade;
import io.kjadm.core.config.UpgradeConfiguration.Plan;
import io.kjadm.core.config.UpgradeConfiguration.Scope;
import io.kjadm.core.config.UpgradeConfiguration.Target;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads UpgradeConfiguration, then lets flags override it. */
final class UpgradeReader {

    private final TreeView view;

    UpgradeReader(Document document, FieldErrors errors) {
        this.view = TreeView.of(document, errors);
    }

    UpgradeConfiguration read() {
        return new UpgradeConfiguration(
                apply(view.object("apply")),
                node(view.object("node")),
                plan(view.object("plan")),
                diff(view.object("diff")),
                CommonReader.timeouts(view.object("timeouts")));
    }

    private static Apply apply(TreeView apply) {
        return new Apply(
                node(apply),
                target(apply),
                apply.flag("forceUpgrade", false),
                false,
                apply.flag("printConfig", false));
    }

    private static NodeUpgrade node(TreeView node) {
        Optional<Path> patches = CommonReader.patches(node);
        if (node.has("patches") && patches.filter(Path::isAbsolute).isEmpty()) {
            node.invalid(
                    "patches.directory",
                    patches.map(Path::toString).orElse(""),
                    "must be an absolute path");
        }
        return new NodeUpgrade(
                new Scope(
                        node.flag("certificateRenewal", true),
                        node.flag("etcdUpgrade", true),
                        false,
                        false,
                        Duration.ZERO),
                node.flag("dryRun", false),
                node.texts("ignorePreflightErrors"),
                CommonReader.skipPhases(node),
                new ImagePull(
                        CommonReader.imagePullPolicy(node), node.flag("imagePullSerial", true)),
                patches);
    }

    private static Plan plan(TreeView plan) {
        return new Plan(
                target(plan),
                plan.flag("etcdUpgrade", true),
                plan.texts("ignorePreflightErrors"),
                plan.flag("printConfig", false));
    }

    private static Diff diff(TreeView diff) {
        Optional<Integer> lines = diff.number("contextLines");
        lines.filter(number -> number < 0)
                .ifPresent(
                        number -> diff.invalid("contextLines", number, "must be 0 or more lines"));
        return new Diff(diff.text("kubernetesVersion"), lines);
    }

    private static Target target(TreeView section) {
        return new Target(
                section.text("kubernetesVersion"),
                section.flag("allowExperimentalUpgrades", false),
                section.flag("allowRCUpgrades", false));
    }

    /**
     * What the flags say counts more than what was read; ignored checks are united.
     *
     * @param version the positional argument
     */
    static UpgradeConfiguration override(
            UpgradeConfiguration read, CommandFlags flags, Optional<String> version) {
        Apply apply = read.apply();
        Plan plan = read.plan();
        return new UpgradeConfiguration(
                new Apply(
                        override(apply.node(), flags),
                        override(apply.target(), flags, version),
                        flags.bool(Flag.FORCE).orElse(apply.force()),
                        flags.bool(Flag.YES).orElse(apply.yes()),
                        flags.bool(Flag.PRINT_CONFIG).orElse(apply.printConfig())),
                override(read.node(), flags),
                new Plan(
                        override(plan.target(), flags, version),
                        flags.bool(Flag.ETCD_UPGRADE).orElse(plan.etcdUpgrade()),
                        flags.ignoredChecks(plan.ignorePreflightErrors()),
                        flags.bool(Flag.PRINT_CONFIG).orElse(plan.printConfig())),
                new Diff(
                        version.or(read.diff()::version),
                        flags.number(Flag.CONTEXT_LINES).or(read.diff()::chosenContextLines)),
                read.timeouts());
    }

    private static NodeUpgrade override(NodeUpgrade node, CommandFlags flags) {
        Scope scope = node.scope();
        List<String> phases = flags.list(Flag.SKIP_PHASES);
        return new NodeUpgrade(
                new Scope(
                        flags.bool(Flag.CERTIFICATE_RENEWAL).orElse(scope.certificateRenewal()),
                        flags.bool(Flag.ETCD_UPGRADE).orElse(scope.etcdUpgrade()),
                        flags.bool(Flag.RESTART_KUBELET).orElse(scope.restartKubelet()),
                        flags.bool(Flag.ADOPT_CHANGES).orElse(scope.adoptChanges()),
                        flags.duration(Flag.ETCD_PATCH_WAIT).orElse(scope.etcdPatchWait())),
                flags.bool(Flag.DRY_RUN).orElse(node.dryRun()),
                flags.ignoredChecks(node.ignorePreflightErrors()),
                phases.isEmpty() ? node.skipPhases() : phases,
                node.images(),
                flags.text(Flag.PATCHES)
                        .filter(text -> !text.isBlank())
                        .map(Path::of)
                        .or(node::patchesDirectory));
    }

    private static Target override(Target target, CommandFlags flags, Optional<String> version) {
        return new Target(
                version.or(target::version),
                flags.bool(Flag.ALLOW_EXPERIMENTAL_UPGRADES).orElse(target.experimental()),
                flags.bool(Flag.ALLOW_RELEASE_CANDIDATE_UPGRADES)
                        .orElse(target.releaseCandidate()));
    }
}
