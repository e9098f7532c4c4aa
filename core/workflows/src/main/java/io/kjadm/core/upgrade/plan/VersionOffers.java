package io.kjadm.core.upgrade.plan;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.UpgradeConfiguration.Target;
import io.kjadm.core.config.VersionResolver;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.upgrade.plan.UpgradeCandidate.Offers;
import io.kjadm.core.upgrade.plan.UpgradeCandidate.Unstable;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.KubernetesReleases;

import java.util.Optional;

/**
 * Asks the server of Kubernetes' releases which versions there are. A version that the operator
 * named is not looked up; without an answer it is what this program knows.
 */
public final class VersionOffers {

    private static final KubernetesVersion OWN = KubernetesVersion.CURRENT;

    private final VersionResolver resolver;

    public VersionOffers(VersionResolver resolver) {
        this.resolver = resolver;
    }

    /** What there is for a cluster of that version. */
    public Offers to(KubernetesVersion current, Target target) {
        if (target.version().isPresent()) {
            KubernetesVersion asked = resolved(target.version().get());
            return new Offers(Optional.of(asked), asked, Optional.of(asked), Unstable.NONE);
        }
        Optional<KubernetesVersion> newest = resolver.newest("stable");
        Optional<KubernetesVersion> served = newest.filter(OWN::minorAtLeast)
                .or(() -> newest.flatMap(beyond -> resolver.newest(stable(OWN.minor()))));
        Optional<KubernetesVersion> inSeries = newest.isPresent()
                ? resolver.newest(stable(current.minor()))
                : KubernetesReleases.KNOWN
                        .series(current.minor())
                        .map(series -> KubernetesVersion.of(series.newestRelease()));
        return new Offers(Optional.empty(), served.orElse(OWN), inSeries, unstable(target));
    }

    /** A version of that text, or behind that label. */
    public KubernetesVersion resolved(String text) {
        return KubernetesVersion.parse(text)
                .orElseGet(() -> resolver.resolve(
                                ClusterConfiguration.defaults().withKubernetesVersion(text, false))
                        .version());
    }

    private Unstable unstable(Target target) {
        if (PreReleases.of(target.experimental(), target.releaseCandidate()) == PreReleases.NONE) {
            return Unstable.NONE;
        }
        Optional<KubernetesVersion> latest = resolver.newest("latest");
        Optional<KubernetesVersion> branch =
                latest.flatMap(found -> resolver.newest("latest-1." + (found.minor() - 1)));
        // the first alpha of a minor is made with the branch of the one before, and has nothing new
        Optional<KubernetesVersion> newest =
                latest.filter(found -> !found.preRelease().equals("alpha.0")).or(() -> branch);
        return new Unstable(
                branch.filter(found -> found.preRelease().startsWith("rc")),
                newest.filter(found -> target.experimental()));
    }

    private static String stable(int minor) {
        return "stable-1." + minor;
    }
}
