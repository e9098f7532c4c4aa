package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.core.value.Timeouts;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What the {@code upgrade} commands need to know, a section for each. It never says how the cluster
 * is to be: that is what the cluster itself has stored.
 */
public record UpgradeConfiguration(
        Apply apply, NodeUpgrade node, Plan plan, Diff diff, Timeouts timeouts) {

    /** As many lines around a difference as {@code diff} shows without anybody's choice. */
    public static final int CONTEXT_LINES = 3;

    public UpgradeConfiguration {
        Objects.requireNonNull(apply, "apply");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(diff, "diff");
        Objects.requireNonNull(timeouts, "timeouts");
    }

    /** The same that leaves etcd as it is. */
    public UpgradeConfiguration withoutEtcd() {
        return new UpgradeConfiguration(
                new Apply(
                        apply.node().withoutEtcd(),
                        apply.target(),
                        apply.force(),
                        apply.yes(),
                        apply.printConfig()),
                node.withoutEtcd(),
                plan,
                diff,
                timeouts);
    }

    /** Upgrades in which nothing was chosen. */
    public static UpgradeConfiguration defaults() {
        return new UpgradeConfiguration(
                new Apply(NodeUpgrade.defaults(), Target.NONE, false, false, false),
                NodeUpgrade.defaults(),
                new Plan(Target.NONE, true, List.of(), false),
                new Diff(Optional.empty(), Optional.empty()),
                Timeouts.DEFAULTS);
    }

    /**
     * What to upgrade to.
     *
     * @param version a version or a label such as {@code stable-1}, as written
     * @param experimental whether it may be an alpha, a beta or a release candidate
     * @param releaseCandidate whether it may be a release candidate
     */
    public record Target(Optional<String> version, boolean experimental, boolean releaseCandidate) {

        /** Nothing said. */
        public static final Target NONE = new Target(Optional.empty(), false, false);

        public Target {
            version = version.filter(text -> !text.isBlank());
        }
    }

    /**
     * What an upgrade of a node changes besides its components.
     *
     * @param certificateRenewal whether the node's certificates get a new term
     * @param etcdUpgrade whether a stacked etcd is upgraded too
     * @param restartKubelet whether the kubelet is restarted with its new configuration; only a
     *     flag says so
     * @param adoptChanges whether changes made to manifests by hand become patches; only a flag
     *     says so
     * @param etcdPatchWait how long other members of etcd are waited for that need a patch release
     *     before the next minor; only a flag says so
     */
    public record Scope(
            boolean certificateRenewal,
            boolean etcdUpgrade,
            boolean restartKubelet,
            boolean adoptChanges,
            Duration etcdPatchWait) {}

    /** How images are pulled beforehand: when, and whether one by one. */
    public record ImagePull(ImagePullPolicy policy, boolean serial) {}

    /** What the upgrade of the first node and that of all others have in common. */
    public record NodeUpgrade(
            Scope scope,
            boolean dryRun,
            List<String> ignorePreflightErrors,
            List<String> skipPhases,
            ImagePull images,
            Optional<Path> patchesDirectory) {

        public NodeUpgrade {
            ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
            skipPhases = List.copyOf(skipPhases);
        }

        /** The same with another directory of patches. */
        public NodeUpgrade withPatches(Path directory) {
            return new NodeUpgrade(
                    scope,
                    dryRun,
                    ignorePreflightErrors,
                    skipPhases,
                    images,
                    Optional.of(directory));
        }

        NodeUpgrade withoutEtcd() {
            return new NodeUpgrade(
                    new Scope(
                            scope.certificateRenewal(),
                            false,
                            scope.restartKubelet(),
                            scope.adoptChanges(),
                            scope.etcdPatchWait()),
                    dryRun,
                    ignorePreflightErrors,
                    skipPhases,
                    images,
                    patchesDirectory);
        }

        static NodeUpgrade defaults() {
            return new NodeUpgrade(
                    new Scope(true, true, false, false, Duration.ZERO),
                    false,
                    List.of(),
                    List.of(),
                    new ImagePull(ImagePullPolicy.IF_NOT_PRESENT, true),
                    Optional.empty());
        }
    }

    /**
     * {@code upgrade apply}.
     *
     * @param force whether findings that may be skipped are, and nobody is asked
     * @param yes whether nobody is asked; only a flag says so
     */
    public record Apply(
            NodeUpgrade node, Target target, boolean force, boolean yes, boolean printConfig) {

        /** Whether somebody is to be asked before the first change. */
        public boolean interactive() {
            return !force && !yes && !node.dryRun();
        }

        /**
         * The version to upgrade to, as written.
         *
         * @throws UsageException if there is none
         */
        public String requiredVersion() {
            return target.version()
                    .orElseThrow(
                            () -> new UsageException(
                                    "the version to upgrade to is missing",
                                    "",
                                    "give it as an argument, or as apply.kubernetesVersion of the configuration file; \"kjadm upgrade plan\" shows the available versions"));
        }
    }

    /** {@code upgrade plan}. */
    public record Plan(
            Target target,
            boolean etcdUpgrade,
            List<String> ignorePreflightErrors,
            boolean printConfig) {

        public Plan {
            ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
        }
    }

    /**
     * {@code upgrade diff}.
     *
     * @param version as written; without one the version that the cluster has stored
     * @param chosenContextLines not negative
     */
    public record Diff(Optional<String> version, Optional<Integer> chosenContextLines) {

        public Diff {
            version = version.filter(text -> !text.isBlank());
        }

        /** How many unchanged lines to show before and after a difference. */
        public int contextLines() {
            return chosenContextLines.orElse(CONTEXT_LINES);
        }
    }
}
