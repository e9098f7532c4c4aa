package io.kjadm.etcd;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a message names, whatever its words are. Tests compare the whole set, so that a member, flag
 * or file too many fails as one that is missing does.
 */
public final class Named {

    private static final Pattern MEMBER =
            Pattern.compile("(?<![\\w-])(?:cp|m|node)-\\d+(?![\\w-])");
    private static final Pattern FLAG = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*[a-z]");
    private static final Pattern FILE = Pattern.compile(
            "(?<![\\w./:-])(?:/[\\w.-]+)+|(?<![\\w./:-])[\\w-]+\\.(?:crt|key|conf|pub|yaml|json)\\b");

    private static final Pattern COMMAND = Pattern.compile(
            "(?<![\\w/-])(?:kjadm|kubectl|crictl|journalctl|systemctl)(?: [a-z-]*[a-z])*(?![\\w/])");

    private static final Pattern PEM = Pattern.compile("(?<=-----BEGIN )[^-]+(?=-----)");

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}&&[^\n\t]]");

    private Named() {}

    /** Members and nodes, as {@code cp-1}. */
    public static Set<String> members(String text) {
        return all(MEMBER, text);
    }

    /** Flags, as {@code --config}. */
    public static Set<String> flags(String text) {
        return all(FLAG, text);
    }

    /** Files by their paths, or by their names where no path is given. */
    public static Set<String> files(String text) {
        return all(FILE, text);
    }

    /** Commands by their programs and subcommands, as {@code kjadm etcd join}. */
    public static Set<String> commands(String text) {
        return all(COMMAND, text);
    }

    /** What the PEM blocks hold, as {@code CERTIFICATE}. */
    public static Set<String> pemBlocks(String text) {
        return all(PEM, text);
    }

    /** Characters that drive a terminal, besides the ends of lines and tabulators. */
    public static Set<String> controlCharacters(String text) {
        return all(CONTROL, text);
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
