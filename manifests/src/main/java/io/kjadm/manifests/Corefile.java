package io.kjadm.manifests;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The configuration of CoreDNS, as far as it matters whether somebody changed it: server blocks,
 * their plugins, and the options of these. What kubeadm knows about its history is in the tables of
 * {@code github.com/coredns/corefile-migration}.
 */
public final class Corefile {

    private static final String ANY_WORD = "*";
    private static final String ANY_REST = "***";

    /** What a release of CoreDNS no longer understands, and would not start with. */
    public record Removal(String name, ImageVersion since, String advice) {}

    private static final Map<List<String>, Removal> REMOVALS = Map.of(
            List.of("proxy"),
                    new Removal("plugin proxy", new ImageVersion(1, 5, 0), "use plugin forward"),
            List.of("kubernetes", "resyncperiod"),
                    new Removal(
                            "option resyncperiod of kubernetes",
                            new ImageVersion(1, 7, 0),
                            "remove it"),
            List.of("kubernetes", "upstream"),
                    new Removal(
                            "option upstream of kubernetes",
                            new ImageVersion(1, 7, 0),
                            "remove it"),
            List.of("kubernetes", "transfer"),
                    new Removal(
                            "option transfer of kubernetes",
                            new ImageVersion(1, 8, 0),
                            "use plugin transfer"));

    private final List<CorefileDirective> servers;

    private Corefile(List<CorefileDirective> servers) {
        this.servers = servers;
    }

    /** Reads a Corefile; braces that do not fit are CoreDNS's to complain about. */
    public static Corefile parse(String text) {
        return new Corefile(CorefileDirective.parse(text));
    }

    /**
     * Whether it is what kubeadm wrote before Kubernetes 1.21, for any domain and name servers; the
     * order of plugins and options means nothing.
     */
    public boolean isFormerDefault() {
        return Stream.of(TextResource.filled(Corefile.class, "Corefile.former", Map.of())
                        .split("(?m)^---$"))
                .anyMatch(former -> matches(servers, CorefileDirective.parse(former)));
    }

    /** What it uses and CoreDNS has lost on the way from one release to another. */
    public List<Removal> removedBetween(ImageVersion installed, ImageVersion wanted) {
        Stream<List<String>> plugins = servers.stream()
                .flatMap(server -> server.block().stream())
                .flatMap(plugin -> Stream.concat(
                        Stream.of(List.of(plugin.name())),
                        plugin.block().stream()
                                .map(option -> List.of(plugin.name(), option.name()))));
        return plugins.distinct()
                .filter(REMOVALS::containsKey)
                .map(REMOVALS::get)
                .filter(removal -> installed.compareTo(removal.since()) < 0
                        && wanted.compareTo(removal.since()) >= 0)
                .toList();
    }

    private static boolean matches(
            List<CorefileDirective> found, List<CorefileDirective> patterns) {
        return found.size() == patterns.size()
                && found.stream()
                        .allMatch(directive -> patterns.stream()
                                .anyMatch(pattern -> matches(
                                                directive.words(),
                                                pattern.words().toArray(String[]::new))
                                        && matches(directive.block(), pattern.block())));
    }

    private static boolean matches(List<String> words, String[] pattern) {
        for (int i = 0; i < pattern.length; i++) {
            if (pattern[i].equals(ANY_REST)) {
                return true;
            }
            if (i >= words.size()
                    || !pattern[i].equals(ANY_WORD) && !pattern[i].equals(words.get(i))) {
                return false;
            }
        }
        return words.size() == pattern.length;
    }
}
