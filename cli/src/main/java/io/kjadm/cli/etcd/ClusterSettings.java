package io.kjadm.cli.etcd;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.core.value.GoDuration;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.auto.ClusterSpec;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The words {@code KEY=VALUE} that say which cluster machines form.
 *
 * @param keys that may be given
 */
record ClusterSettings(List<String> keys) {

    /** Whether a word is one. The URL of a bucket has an equals sign, too. */
    boolean has(String word) {
        return keys.stream().anyMatch(key -> word.startsWith(key + "="));
    }

    /**
     * The values by key.
     *
     * @throws UsageException if a word is none, or given twice
     */
    Map<String, String> values(List<String> words) {
        Map<String, String> values = new HashMap<>();
        for (String word : words) {
            String[] pair = word.split("=", 2);
            if (pair.length != 2
                    || !keys.contains(pair[0])
                    || values.put(pair[0], pair[1]) != null) {
                throw new UsageException(
                        "\"%s\" is not a setting of a cluster".formatted(word),
                        "",
                        "write each of %s once, as nodes=3".formatted(String.join(", ", keys)));
            }
        }
        return values;
    }

    /**
     * The cluster that they describe.
     *
     * @param otherwise what is not given
     * @throws UsageException if there is no such cluster
     */
    static ClusterSpec spec(Map<String, String> values, ClusterSpec otherwise) {
        EtcdVersion version = values.containsKey("version")
                ? release(values.get("version"))
                : otherwise.version();
        int nodes = values.containsKey("nodes")
                ? number("nodes", values.get("nodes"))
                : otherwise.nodes();
        try {
            return new ClusterSpec(
                    version,
                    nodes,
                    values.containsKey("form-with")
                            ? number("form-with", values.get("form-with"))
                            : new Quorum(nodes).size(),
                    values.containsKey("replace-after")
                            ? replaceAfter(values.get("replace-after"))
                            : otherwise.replaceAfter(),
                    values.containsKey("backup")
                            ? unsaved(values.get("backup"))
                            : otherwise.unsaved());
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "this is no cluster",
                    e.getMessage(),
                    "specify other values, as nodes=3 replace-after=10m");
        }
    }

    /** A minor version alone would stand for its first release, which is not what is meant. */
    private static EtcdVersion release(String text) {
        if (text.chars().filter(letter -> letter == '.').count() == 1) {
            throw new UsageException(
                    CommonReason.NOT_ACCEPTED,
                    "version cannot be \"%s\"".formatted(text),
                    "it is not a release of etcd",
                    "specify the patch release, too, as version=3.6.14");
        }
        return EtcdRunLoader.version(
                CommandFlags.none().with(Flag.VERSION, text), Optional.empty());
    }

    /**
     * The machines would try another one again and again.
     *
     * @param oldest of the members
     * @throws UsageException if etcd cannot be upgraded to it in one step
     */
    static void requireNextMinor(EtcdVersion oldest, EtcdVersion wanted) {
        if (wanted.major() != oldest.major() || wanted.minor() > oldest.minor() + 1) {
            throw new UsageException(
                    CommonReason.NOT_ACCEPTED,
                    "etcd cannot be upgraded from %s to %s".formatted(oldest, wanted),
                    "it is upgraded by one minor version at a time",
                    "approve a release of %d.%d first"
                            .formatted(oldest.major(), oldest.minor() + 1));
        }
    }

    private static boolean unsaved(String text) {
        if (!List.of("on", "off").contains(text)) {
            throw new UsageException(
                    "backup cannot be \"%s\"".formatted(text),
                    "",
                    "specify backup=on or backup=off");
        }
        return text.equals("off");
    }

    private static Optional<Duration> replaceAfter(String text) {
        if (text.equals("never")) {
            return Optional.empty();
        }
        return Optional.of(GoDuration.parse(text)
                .orElseThrow(() -> new UsageException(
                        "replace-after cannot be \"%s\"".formatted(text),
                        "it is not a duration",
                        "specify replace-after=10m or replace-after=never")));
    }

    private static int number(String key, String text) {
        if (text.matches("\\d{1,3}")) {
            return Integer.parseInt(text);
        }
        throw new UsageException(
                "%s cannot be \"%s\"".formatted(key, text),
                "it is not a number",
                "specify nodes=3");
    }
}
