package io.kjadm.manifests;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A release of etcd, and what that release calls things. */
public record EtcdImageVersion(int major, int minor, int patch)
        implements Comparable<EtcdImageVersion> {

    private static final Pattern TAG =
            Pattern.compile("v?([0-9]{1,4})\\.([0-9]{1,4})\\.([0-9]{1,4})([-+_.].*)?");
    private static final Comparator<EtcdImageVersion> ORDER = Comparator.comparingInt(
                    EtcdImageVersion::major)
            .thenComparingInt(EtcdImageVersion::minor)
            .thenComparingInt(EtcdImageVersion::patch);

    /**
     * The version an image tag names, such as {@code 3.5.21-0} or {@code v3.6.8}; empty for tags
     * that name none, like {@code latest} or a digest.
     */
    public static Optional<EtcdImageVersion> fromTag(String tag) {
        Matcher matcher = TAG.matcher(tag);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new EtcdImageVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3))));
    }

    @Override
    public int compareTo(EtcdImageVersion other) {
        return ORDER.compare(this, other);
    }

    /** Whether this release is {@code major.minor.patch} or a later one. */
    public boolean atLeast(int wantedMajor, int wantedMinor, int wantedPatch) {
        return compareTo(new EtcdImageVersion(wantedMajor, wantedMinor, wantedPatch)) >= 0;
    }

    /** {@code --feature-gates} and the names without {@code experimental-} came with 3.6. */
    boolean hasFeatureGates() {
        return atLeast(3, 6, 0);
    }

    /** The interval of watch progress can be set from 3.5 on. */
    boolean hasExperimentalWatchProgress() {
        return atLeast(3, 5, 0);
    }

    /**
     * {@code /livez} and {@code /readyz} came with 3.6 and were brought back to 3.5.11 and 3.4.29.
     */
    boolean hasHealthPaths() {
        return switch (minor) {
            case 4 -> atLeast(3, 4, 29);
            default -> atLeast(3, 5, 11);
        };
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
