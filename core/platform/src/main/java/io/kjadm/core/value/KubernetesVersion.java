package io.kjadm.core.value;

import io.kjadm.manifests.KubernetesReleases;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes version, ordered as semantic versions are: a pre-release comes before its release,
 * build metadata does not count.
 *
 * @param preRelease what follows the dash, or empty
 * @param build what follows the plus sign, or empty
 */
public record KubernetesVersion(int major, int minor, int patch, String preRelease, String build)
        implements Comparable<KubernetesVersion> {

    private static final Pattern SHAPE =
            Pattern.compile("v?(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})"
                    + "(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?");

    private static final Comparator<KubernetesVersion> BY_RELEASE = Comparator.comparingInt(
                    KubernetesVersion::major)
            .thenComparingInt(KubernetesVersion::minor)
            .thenComparingInt(KubernetesVersion::patch);

    /** The newest release this program serves; its minor is the one it belongs to. */
    public static final KubernetesVersion CURRENT =
            of(KubernetesReleases.KNOWN.newest().newestRelease());

    /** The oldest control plane that is deployed. */
    public static final KubernetesVersion OLDEST_CONTROL_PLANE =
            of(KubernetesReleases.KNOWN.oldestControlPlane());

    /** The oldest control plane whose cluster is read and maintained. */
    public static final KubernetesVersion OLDEST_KNOWN =
            of(KubernetesReleases.KNOWN.oldest().firstRelease());

    /** The oldest kubelet that may run on a node. */
    public static final KubernetesVersion OLDEST_KUBELET =
            of(KubernetesReleases.KNOWN.oldestKubelet());

    /**
     * A version that is known to be one.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static KubernetesVersion of(String text) {
        return parse(text)
                .orElseThrow(() ->
                        new IllegalArgumentException("\"%s\" is not a version".formatted(text)));
    }

    /** Reads {@code [v]X.Y.Z[-pre][+build]}; the three numbers are required. */
    public static Optional<KubernetesVersion> parse(String text) {
        Matcher match = SHAPE.matcher(text);
        if (!match.matches()) {
            return Optional.empty();
        }
        return Optional.of(new KubernetesVersion(
                Integer.parseInt(match.group(1)),
                Integer.parseInt(match.group(2)),
                Integer.parseInt(match.group(3)),
                Optional.ofNullable(match.group(4)).orElse(""),
                Optional.ofNullable(match.group(5)).orElse("")));
    }

    /** Whether it is an alpha, a beta, a release candidate or the like. */
    public boolean isPreRelease() {
        return !preRelease.isEmpty();
    }

    /** Such as {@code v1.36}. */
    public String minorText() {
        return "v%d.%d".formatted(major, minor);
    }

    /** Whether the other one belongs to the same {@code major.minor}, or to an older one. */
    public boolean minorAtLeast(KubernetesVersion other) {
        return major > other.major || major == other.major && minor >= other.minor;
    }

    /** {@code vX.Y.Z} with its suffixes. */
    public String text() {
        return "v%d.%d.%d%s%s"
                .formatted(
                        major,
                        minor,
                        patch,
                        preRelease.isEmpty() ? "" : "-" + preRelease,
                        build.isEmpty() ? "" : "+" + build);
    }

    @Override
    public int compareTo(KubernetesVersion other) {
        int order = BY_RELEASE.compare(this, other);
        return order != 0 ? order : comparePreReleases(preRelease, other.preRelease);
    }

    @Override
    public String toString() {
        return text();
    }

    private static int comparePreReleases(String a, String b) {
        if (a.isEmpty() || b.isEmpty()) {
            return Boolean.compare(a.isEmpty(), b.isEmpty());
        }
        String[] left = a.split("\\.");
        String[] right = b.split("\\.");
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            int order = compareIdentifiers(left[i], right[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.length, right.length);
    }

    /** Numbers by value and before words, words by their letters. */
    private static int compareIdentifiers(String a, String b) {
        boolean leftNumber = isNumber(a);
        boolean rightNumber = isNumber(b);
        if (leftNumber && rightNumber) {
            return Long.compare(Long.parseLong(a), Long.parseLong(b));
        }
        return leftNumber != rightNumber ? (leftNumber ? -1 : 1) : a.compareTo(b);
    }

    private static boolean isNumber(String text) {
        return text.length() <= 18 && text.chars().allMatch(Character::isDigit);
    }
}
