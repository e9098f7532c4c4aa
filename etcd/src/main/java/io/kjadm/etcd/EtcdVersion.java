package io.kjadm.etcd;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An etcd version in the order of semantic versioning. A purely numeric suffix is an image revision
 * ("3.6.8-0") and says nothing about the server, so it is dropped, as is build data behind a plus
 * sign.
 *
 * @param preRelease "rc.3", "alpha.0"; empty for a release
 */
public record EtcdVersion(int major, int minor, int patch, String preRelease)
        implements Comparable<EtcdVersion> {

    private static final Pattern FORM = Pattern.compile(
            "v?(\\d{1,6})\\.(\\d{1,6})(?:\\.(\\d{1,6}))?(?:-([0-9A-Za-z.-]+))?(?:\\+.*)?");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    public EtcdVersion(int major, int minor, int patch) {
        this(major, minor, patch, "");
    }

    /**
     * Reads a server version or an image tag; {@link IllegalArgumentException} for anything else.
     */
    public static EtcdVersion parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is not an etcd version");
        }
        String suffix = matcher.group(4) == null ? "" : matcher.group(4);
        return new EtcdVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3)),
                NUMBER.matcher(suffix).matches() ? "" : suffix);
    }

    public boolean atLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || major == wantedMajor && minor >= wantedMinor;
    }

    /**
     * Whether the server knows learners: 3.4 brought them, 3.3 skips the unknown field and adds a
     * voter instead.
     */
    public boolean knowsLearners() {
        return atLeast(3, 4);
    }

    /**
     * Whether the server adds a member while one of many voters is silent (etcd#21667): 3.5.30,
     * 3.6.11, 3.7.0 and newer. Older ones want a connection to every voter.
     */
    public boolean addsWithSilentVoter() {
        if (major == 3 && minor == 5) {
            return compareTo(new EtcdVersion(3, 5, 30)) >= 0;
        }
        if (major == 3 && minor == 6) {
            return compareTo(new EtcdVersion(3, 6, 11)) >= 0;
        }
        return compareTo(new EtcdVersion(3, 7, 0)) >= 0;
    }

    @Override
    public int compareTo(EtcdVersion other) {
        int numbers = Comparator.comparingInt(EtcdVersion::major)
                .thenComparingInt(EtcdVersion::minor)
                .thenComparingInt(EtcdVersion::patch)
                .compare(this, other);
        return numbers != 0 ? numbers : comparePreReleases(preRelease, other.preRelease);
    }

    private static int comparePreReleases(String one, String other) {
        if (one.isEmpty() || other.isEmpty()) {
            return Boolean.compare(one.isEmpty(), other.isEmpty());
        }
        String[] left = one.split("\\.");
        String[] right = other.split("\\.");
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            int order = compareIdentifiers(left[i], right[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.length, right.length);
    }

    private static int compareIdentifiers(String one, String other) {
        boolean oneNumber = NUMBER.matcher(one).matches();
        boolean otherNumber = NUMBER.matcher(other).matches();
        if (oneNumber && otherNumber) {
            return new BigInteger(one).compareTo(new BigInteger(other));
        }
        return oneNumber == otherNumber ? one.compareTo(other) : oneNumber ? -1 : 1;
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch + (preRelease.isEmpty() ? "" : "-" + preRelease);
    }
}
