package io.kjadm.manifests;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The configuration of CoreDNS, as far as it matters whether somebody changed it: server blocks,
 * their plugins, and the options of these. What kubeadm knows about its history is in the tables of
 * {@code github.com/coredns/corefile-migration}.
 */
public final class Corefile {

    private static final String ANY_WORD = "*";
    private static final String ANY_REST = "***";

    /** What a release of CoreDNS refuses, and would not start with, though the one before took it. */
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

    /** Until then these plugins ignored what they do not know (coredns#8119 to #8121, #8133). */
    private static final ImageVersion STRICT = new ImageVersion(1, 14, 4);

    /** The plugins that have become strict, with their options. */
    private static final Map<String, Set<String>> STRICT_OPTIONS = Map.of(
            "any", Set.of(),
            "chaos", Set.of(),
            "dnstap", Set.of("skipverify", "tls", "identity", "version", "extra"),
            "local", Set.of("localhost_prefix"),
            "ready", Set.of("monitor"),
            "trace",
                    Set.of(
                            "every",
                            "service",
                            "client_server",
                            "datadog_analytics_rate",
                            "zipkin_max_backlog_size",
                            "zipkin_max_batch_size",
                            "zipkin_max_batch_interval"));

    /** Those of them that take no arguments, and ignored them too. */
    private static final Set<String> WITHOUT_ARGUMENTS = Set.of("any", "local");

    /**
     * The plugins whose way from one release to another is known, with their options; the same from
     * CoreDNS 1.12 to 1.14, and no option was removed between those of Kubernetes 1.35 and 1.37.
     */
    private static final Map<String, Set<String>> FOLLOWED = Map.ofEntries(
            Map.entry("autopath", Set.of()),
            Map.entry(
                    "cache",
                    Set.of(
                            "success",
                            "denial",
                            "prefetch",
                            "serve_stale",
                            "disable",
                            "servfail",
                            "keepttl")),
            Map.entry("errors", Set.of("consolidate", "stacktrace")),
            Map.entry(
                    "forward",
                    Set.of(
                            "except",
                            "force_tcp",
                            "prefer_udp",
                            "expire",
                            "max_fails",
                            "tls",
                            "tls_servername",
                            "policy",
                            "health_check",
                            "max_concurrent",
                            "next",
                            "failfast_all_unhealthy_upstreams")),
            Map.entry("health", Set.of("lameduck")),
            Map.entry("hosts", Set.of("ttl", "no_reverse", "reload", "fallthrough")),
            Map.entry("k8s_external", Set.of("apex", "ttl", "fallthrough")),
            Map.entry(
                    "kubernetes",
                    Set.of(
                            "endpoint",
                            "tls",
                            "kubeconfig",
                            "namespaces",
                            "labels",
                            "pods",
                            "endpoint_pod_names",
                            "ttl",
                            "noendpoints",
                            "fallthrough",
                            "ignore")),
            Map.entry("loadbalance", Set.of()),
            Map.entry("log", Set.of("class")),
            Map.entry("loop", Set.of()),
            Map.entry("prometheus", Set.of()),
            Map.entry("ready", STRICT_OPTIONS.get("ready")),
            Map.entry("reload", Set.of()),
            Map.entry(
                    "rewrite",
                    Set.of("type", "class", "name", "answer", "edns0", "ttl", "cname_target")),
            Map.entry("transfer", Set.of("to")));

    /** No plugin: the text that it names is read in its place, a block of this file or a file. */
    private static final String IMPORT = "import";

    /** An entry of plugin hosts begins with it. */
    private static final Pattern ADDRESS =
            Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*");

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

    /** What it uses and CoreDNS refuses since a release on the way from one to another. */
    public List<Removal> removedBetween(ImageVersion installed, ImageVersion wanted) {
        return servers.stream()
                .flatMap(server -> server.block().stream())
                .flatMap(plugin -> Stream.concat(lost(plugin), neverKnown(plugin)))
                .distinct()
                .filter(removal -> installed.compareTo(removal.since()) < 0
                        && wanted.compareTo(removal.since()) >= 0)
                .toList();
    }

    private static Stream<Removal> lost(CorefileDirective plugin) {
        return Stream.concat(
                        Stream.of(List.of(plugin.name())),
                        plugin.block().stream()
                                .map(option -> List.of(plugin.name(), option.name())))
                .filter(REMOVALS::containsKey)
                .map(REMOVALS::get);
    }

    private static Stream<Removal> neverKnown(CorefileDirective plugin) {
        Stream<String> arguments = WITHOUT_ARGUMENTS.contains(plugin.name())
                ? plugin.words().stream().skip(1).map("argument %s"::formatted)
                : Stream.empty();
        return Stream.concat(arguments, unknownToStrict(plugin).map("option %s"::formatted))
                .map(what -> new Removal(
                        "%s of %s".formatted(what, plugin.name()),
                        STRICT,
                        "remove it, as it has no effect"));
    }

    private static Stream<String> unknownToStrict(CorefileDirective plugin) {
        Set<String> options = STRICT_OPTIONS.get(plugin.name());
        return options == null
                ? Stream.empty()
                : plugin.block().stream()
                        .map(CorefileDirective::name)
                        .filter(option -> !options.contains(option) && !option.equals(IMPORT));
    }

    /**
     * What it uses of which nobody has written down whether it has changed: plugins, and options of
     * known plugins, as {@code plugin dnssec} and {@code option expire of cache}. Those lost on the way are
     * told by {@link #removedBetween}.
     */
    public List<String> unfollowed() {
        return servers.stream()
                .flatMap(server -> server.block().stream())
                .filter(plugin -> !plugin.name().equals(IMPORT))
                .flatMap(Corefile::unfollowed)
                .distinct()
                .toList();
    }

    private static Stream<String> unfollowed(CorefileDirective plugin) {
        if (REMOVALS.containsKey(List.of(plugin.name()))) {
            return Stream.empty();
        }
        Set<String> options = FOLLOWED.get(plugin.name());
        if (options == null) {
            return Stream.of("plugin " + plugin.name());
        }
        return plugin.block().stream()
                .map(CorefileDirective::name)
                .filter(option -> !options.contains(option)
                        && !option.equals(IMPORT)
                        && !REMOVALS.containsKey(List.of(plugin.name(), option))
                        && !(plugin.name().equals("hosts")
                                && ADDRESS.matcher(option).matches()))
                .map(option -> "option %s of %s".formatted(option, plugin.name()));
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

    /**
     * A line of a Corefile, and the lines in braces after it.
     *
     * @param words at least one
     */
    private record CorefileDirective(List<String> words, List<CorefileDirective> block) {

        private static final Pattern TOKEN = Pattern.compile(
                "(?<newline>\\n)|#[^\\n]*|\"(?<quoted>(?:[^\"\\\\]|\\\\.)*)\"|(?<word>[^\\s#]+)",
                Pattern.DOTALL);

        CorefileDirective {
            words = List.copyOf(words);
            block = Collections.unmodifiableList(block);
        }

        String name() {
            return words.getFirst();
        }

        /** The directives outside all braces: the server blocks. */
        static List<CorefileDirective> parse(String text) {
            List<CorefileDirective> top = new ArrayList<>();
            Deque<List<CorefileDirective>> open = new ArrayDeque<>(List.of(top));
            List<String> line = new ArrayList<>();
            List<CorefileDirective> block = new ArrayList<>();
            for (Matcher token = TOKEN.matcher(text + "\n"); token.find(); ) {
                boolean opens = "{".equals(token.group("word"));
                boolean closes = "}".equals(token.group("word"));
                if (token.group("word") != null && !opens && !closes) {
                    line.add(token.group("word"));
                } else if (token.group("quoted") != null) {
                    line.add(token.group("quoted").replace("\\\"", "\""));
                } else if (!line.isEmpty() && (opens || closes || token.group("newline") != null)) {
                    block = new ArrayList<>();
                    open.peek().add(new CorefileDirective(line, block));
                    line = new ArrayList<>();
                }
                if (opens) {
                    open.push(block);
                } else if (closes && open.size() > 1) {
                    open.pop();
                }
            }
            return top;
        }
    }
}
