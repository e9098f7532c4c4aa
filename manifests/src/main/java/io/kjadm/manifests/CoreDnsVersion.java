package io.kjadm.manifests;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A release of CoreDNS. */
public record CoreDnsVersion(int major, int minor, int patch)
        implements Comparable<CoreDnsVersion> {

    private static final Pattern IMAGE =
            Pattern.compile(".*:v?([0-9]{1,4})\\.([0-9]{1,4})\\.([0-9]{1,4})");
    private static final Comparator<CoreDnsVersion> ORDER = Comparator.comparingInt(
                    CoreDnsVersion::major)
            .thenComparingInt(CoreDnsVersion::minor)
            .thenComparingInt(CoreDnsVersion::patch);

    /** The release in an image's tag; empty for tags that are no release's, one's own builds. */
    public static Optional<CoreDnsVersion> ofImage(String image) {
        Matcher matcher = IMAGE.matcher(image);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new CoreDnsVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3))));
    }

    @Override
    public int compareTo(CoreDnsVersion other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return "%d.%d.%d".formatted(major, minor, patch);
    }
}
