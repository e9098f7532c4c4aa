package io.kjadm.core.upgrade.plan;

import io.kjadm.core.value.KubernetesVersion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A version that the cluster may be upgraded to; which there are is decided as in kubeadm
 * ({@code cmd/kubeadm/app/phases/upgrade/compute.go}).
 *
 * @param description such as {@code version in the v1.37 series}
 */
public record UpgradeCandidate(String description, KubernetesVersion version) {

    /**
     * What there is.
     *
     * @param asked    the version that the operator named; nothing else counts then
     * @param stable   the newest release that this program serves
     * @param inSeries the newest release of the minor that the cluster has; empty if unknown
     * @param unstable the newest pre-releases, if such may be the target
     */
    public record Offers(
            Optional<KubernetesVersion> asked,
            KubernetesVersion stable,
            Optional<KubernetesVersion> inSeries,
            Unstable unstable) {}

    /** The newest release candidate of the next release, and the newest version of all. */
    public record Unstable(
            Optional<KubernetesVersion> candidate, Optional<KubernetesVersion> experimental) {

        /** None may be the target. */
        public static final Unstable NONE = new Unstable(Optional.empty(), Optional.empty());
    }

    /** The candidates, oldest first; none if the cluster has the newest. */
    public static List<UpgradeCandidate> of(KubernetesVersion current, Offers offers) {
        if (offers.asked().isPresent()) {
            return List.of(ofSeries(offers.asked().get()));
        }
        List<UpgradeCandidate> candidates = new ArrayList<>();
        KubernetesVersion stable = offers.stable();
        offers.inSeries()
                .filter(series -> current.compareTo(series) < 0 && stable.compareTo(current) >= 0)
                .ifPresent(series -> candidates.add(ofSeries(series)));
        if (offers.inSeries().orElse(current).compareTo(stable) < 0
                && current.compareTo(stable) < 0) {
            candidates.add(new UpgradeCandidate("stable version", stable));
        }
        offers.unstable()
                .candidate()
                .filter(candidate -> current.compareTo(candidate) < 0)
                .ifPresent(candidate -> candidates.add(
                        new UpgradeCandidate("release candidate version", candidate)));
        offers.unstable()
                .experimental()
                .filter(experimental -> current.compareTo(experimental) < 0)
                .ifPresent(experimental ->
                        candidates.add(new UpgradeCandidate("experimental version", experimental)));
        return List.copyOf(candidates);
    }

    private static UpgradeCandidate ofSeries(KubernetesVersion version) {
        return new UpgradeCandidate(
                "version in the %s series".formatted(version.minorText()), version);
    }
}
