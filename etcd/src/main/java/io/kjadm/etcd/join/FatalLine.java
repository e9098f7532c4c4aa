package io.kjadm.etcd.join;

import java.util.List;
import java.util.Optional;

/**
 * The last words of an etcd process, sorted by what they mean for a join (etcd reference §2.8).
 *
 * @param line the whole line of the log
 */
public record FatalLine(String line, Meaning meaning) {

    /** What to do about it. */
    public enum Meaning {
        /** The list of members in the manifest is not the cluster's: it is written anew. */
        STALE_LIST("the member list in its manifest was not the cluster's"),
        REMOVED("its member was removed from the cluster for good"),
        LOST_DATA("its data was lost or damaged"),
        WRONG_CLUSTER("it reached members of another cluster"),
        VERSION("its version does not fit the cluster"),
        PORT("a port it needs is in use"),
        CERTIFICATE("certificates do not fit"),
        DISK_FULL("its disk is full"),
        URL("its peer URL is not valid"),
        /** Words nobody knows; the process may come up at its next start. */
        UNKNOWN("it ended");

        private final String words;

        Meaning(String words) {
            this.words = words;
        }

        /** Completes "the etcd container of this node ended: …". */
        public String words() {
            return words;
        }

        /** Whether starting it again cannot help. */
        boolean hopeless() {
            return this != STALE_LIST && this != UNKNOWN;
        }
    }

    private record Fragment(String text, Meaning meaning) {}

    private static final List<Fragment> FRAGMENTS = List.of(
            new Fragment("member count is unequal", Meaning.STALE_LIST),
            new Fragment("no match found for existing member", Meaning.STALE_LIST),
            new Fragment("has already been bootstrapped", Meaning.STALE_LIST),
            new Fragment("the member has been permanently removed from the cluster", Meaning.REMOVED),
            new Fragment("is out of range [lastIndex", Meaning.LOST_DATA),
            new Fragment("failed to find database snapshot file", Meaning.LOST_DATA),
            new Fragment("max entry size limit exceeded", Meaning.LOST_DATA),
            new Fragment("walpb: crc mismatch", Meaning.LOST_DATA),
            new Fragment("found data inconsistency with peers", Meaning.LOST_DATA),
            new Fragment("found hash mismatch", Meaning.LOST_DATA),
            new Fragment("cluster ID mismatch", Meaning.WRONG_CLUSTER),
            new Fragment("incompatible with current running cluster", Meaning.VERSION),
            new Fragment("invalid downgrade", Meaning.VERSION),
            new Fragment("bind: address already in use", Meaning.PORT),
            new Fragment("no space left on device", Meaning.DISK_FULL),
            new Fragment("error validating peerURLs", Meaning.URL),
            new Fragment("x509:", Meaning.CERTIFICATE),
            new Fragment("tls:", Meaning.CERTIFICATE));

    /**
     * The line that tells most in the log of a process that has ended: the last one with known words, otherwise the last
     * fatal one.
     */
    public static Optional<FatalLine> in(List<String> log) {
        for (String line : log.reversed()) {
            Optional<FatalLine> known = FRAGMENTS.stream().filter(fragment -> line.contains(fragment.text()))
                    .findFirst().map(fragment -> new FatalLine(line, fragment.meaning()));
            if (known.isPresent()) {
                return known;
            }
        }
        return log.reversed().stream()
                .filter(line -> line.contains("\"fatal\"") || line.contains("\"panic\"") || line.contains("panic:")
                        || line.contains("flag provided but not defined"))
                .findFirst().map(line -> new FatalLine(line, Meaning.UNKNOWN));
    }
}
