package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The releases of Kubernetes that this program knows, one row for each minor, and what goes with
 * them. The newest minor and the one before are deployed and upgraded to; of older ones clusters
 * are read and maintained. Everything that follows from a Kubernetes version is read from here, so
 * that a new minor is one more row of {@link #KNOWN}. The values are those of the newest minor's
 * kubeadm ({@code cmd/kubeadm/app/constants/constants.go}).
 */
public final class KubernetesReleases {

    /** The table of this program. */
    public static final KubernetesReleases KNOWN = new KubernetesReleases(List.of(
            new Series(35, 6, "3.6.11-0", "v1.13.1", "3.10.1", "3.5.24-0"),
            // 3.6.11, not the 3.6.8 of kubeadm 1.36: the way to etcd 3.7 begins there
            new Series(36, 4, "3.6.11-0", "v1.14.2", "3.10.2", "3.5.24-0"),
            new Series(37, 0, "3.7.0-0", "v1.14.6", "3.10.2", "3.5.24-0")));

    /** A kubelet may be this many minors older than its API server. */
    public static final int KUBELET_SKEW = 3;

    private static final Pattern MINOR = Pattern.compile("v?1\\.([0-9]{1,4})(\\..*)?");

    private final List<Series> series;

    /**
     * One minor release of Kubernetes 1.
     *
     * @param newestPatch its newest patch release when this program was made
     * @param etcdTag the image tag of a stacked etcd with this minor
     * @param coreDnsTag the image tag of CoreDNS in clusters made by a kubeadm of this minor; a
     *     program that knows a newer minor installs that one's
     * @param pauseTag likewise, of the sandbox image
     * @param oldestExternalEtcd the oldest etcd of somebody else's that a kubeadm of this minor
     *     accepts, as an image tag
     */
    public record Series(
            int minor,
            int newestPatch,
            String etcdTag,
            String coreDnsTag,
            String pauseTag,
            String oldestExternalEtcd) {

        /** Such as {@code v1.37.0}. */
        public String newestRelease() {
            return "v1.%d.%d".formatted(minor, newestPatch);
        }

        /** Such as {@code v1.37.0}. */
        public String firstRelease() {
            return "v1.%d.0".formatted(minor);
        }
    }

    private KubernetesReleases(List<Series> series) {
        this.series =
                series.stream().sorted(Comparator.comparingInt(Series::minor)).toList();
    }

    /** This table and one more row. */
    public KubernetesReleases with(Series more) {
        var all = new ArrayList<>(series);
        all.removeIf(known -> known.minor() == more.minor());
        all.add(more);
        return new KubernetesReleases(all);
    }

    /** The minor that this program belongs to. */
    public Series newest() {
        return series.getLast();
    }

    /** The oldest minor whose clusters are read and maintained. */
    public Series oldest() {
        return series.getFirst();
    }

    /** The minors whose control planes are deployed, oldest first: the newest and the one before. */
    public List<Series> served() {
        return series.subList(Math.max(0, series.size() - 2), series.size());
    }

    /** The row of a minor, if it is known. */
    public Optional<Series> series(int minor) {
        return series.stream().filter(known -> known.minor() == minor).findFirst();
    }

    /** The oldest control plane that is deployed, such as {@code v1.36.0}. */
    public String oldestControlPlane() {
        return served().getFirst().firstRelease();
    }

    /** The oldest kubelet that may run on a node, such as {@code v1.34.0}. */
    public String oldestKubelet() {
        return "v1.%d.0".formatted(newest().minor() - KUBELET_SKEW);
    }

    /**
     * The image tag of a stacked etcd with a version of Kubernetes: the nearest known minor's, the
     * newest where the version tells no minor.
     */
    public String etcdTag(String kubernetesVersion) {
        Matcher matcher = MINOR.matcher(kubernetesVersion);
        if (!matcher.matches()) {
            return newest().etcdTag();
        }
        int minor = Integer.parseInt(matcher.group(1));
        return series.stream()
                .filter(known -> known.minor() <= minor)
                .reduce((older, newer) -> newer)
                .orElse(series.getFirst())
                .etcdTag();
    }

    /**
     * The image tag of the newest known etcd of a minor of etcd.
     *
     * @param etcdMinor such as {@code 3.6}
     * @return such as {@code 3.6.11-0}; empty if no known release of Kubernetes has one of it
     */
    public Optional<String> etcdTagOf(String etcdMinor) {
        return series.stream()
                .map(Series::etcdTag)
                .filter(tag -> tag.startsWith(etcdMinor + "."))
                .reduce((older, newer) -> newer);
    }
}
