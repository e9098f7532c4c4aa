package io.kjadm.manifests;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A release of etcd or of CoreDNS, as the tags of their images name it. */
public record ImageVersion(int major, int minor, int patch) implements Comparable<ImageVersion> {

    private static final Pattern RELEASE =
            Pattern.compile("v?([0-9]{1,4})\\.([0-9]{1,4})\\.([0-9]{1,4})");
    private static final Pattern BUILD = Pattern.compile(RELEASE + "([-+_.].*)?");
    private static final Comparator<ImageVersion> ORDER = Comparator.comparingInt(
                    ImageVersion::major)
            .thenComparingInt(ImageVersion::minor)
            .thenComparingInt(ImageVersion::patch);

    /**
     * The version a tag names, such as {@code 3.5.21-0} or {@code v3.6.8}; empty for tags that name
     * none, like {@code latest} or a digest.
     */
    public static Optional<ImageVersion> fromTag(String tag) {
        return of(BUILD.matcher(tag));
    }

    /** The release in an image's tag; empty for tags that are no release's, one's own builds. */
    public static Optional<ImageVersion> ofRelease(String image) {
        int colon = image.lastIndexOf(':');
        return colon < 0 ? Optional.empty() : of(RELEASE.matcher(image.substring(colon + 1)));
    }

    private static Optional<ImageVersion> of(Matcher matcher) {
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new ImageVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3))));
    }

    @Override
    public int compareTo(ImageVersion other) {
        return ORDER.compare(this, other);
    }

    /** Whether this release is {@code major.minor.patch} or a later one. */
    boolean atLeast(int wantedMajor, int wantedMinor, int wantedPatch) {
        return compareTo(new ImageVersion(wantedMajor, wantedMinor, wantedPatch)) >= 0;
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
