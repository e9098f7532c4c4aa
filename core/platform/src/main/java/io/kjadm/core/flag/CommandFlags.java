package io.kjadm.core.flag;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.CsvLine;
import io.kjadm.core.value.GoBoolean;
import io.kjadm.core.value.GoDuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The flags that were explicitly set on the command line, each with its values as typed. A flag that has its default is absent: that difference decides what may
 * stand beside {@code --config}. Flags may carry tokens and keys, so only names are shown.
 *
 * @param values the values of each flag, in the order given
 */
public record CommandFlags(Map<Flag, List<String>> values) {

    public CommandFlags {
        Map<Flag, List<String>> copy = new LinkedHashMap<>();
        values.forEach((flag, texts) -> copy.put(flag, List.copyOf(texts)));
        values = Collections.unmodifiableMap(copy);
    }

    /** Nothing was set. */
    public static CommandFlags none() {
        return new CommandFlags(Map.of());
    }

    /** These flags and one more; a flag that is set again gets one value more. */
    public CommandFlags with(Flag flag, String value) {
        Map<Flag, List<String>> more = new LinkedHashMap<>(values);
        List<String> texts = new ArrayList<>(more.getOrDefault(flag, List.of()));
        texts.add(value);
        more.put(flag, texts);
        return new CommandFlags(more);
    }

    /** These flags without some. */
    public CommandFlags without(Flag... flags) {
        Map<Flag, List<String>> fewer = new LinkedHashMap<>(values);
        Stream.of(flags).forEach(fewer::remove);
        return new CommandFlags(fewer);
    }

    /**
     * Refuses flags that say what to make, which a configuration file says too.
     *
     * @throws UsageException naming them, sorted
     */
    public void requireBesideConfig() {
        List<String> refused = values.keySet().stream()
                .filter(flag -> !flag.besideConfig())
                .map(Flag::toString)
                .sorted()
                .toList();
        if (!refused.isEmpty()) {
            throw new UsageException(
                    "flags cannot be mixed with --config: --" + String.join(", --", refused),
                    "what they set belongs in the configuration file",
                    "set it there, or leave --config out");
        }
    }

    public boolean isSet(Flag flag) {
        return values.containsKey(flag);
    }

    /** The value that counts: the last one. */
    public Optional<String> text(Flag flag) {
        return Optional.ofNullable(values.get(flag)).map(List::getLast);
    }

    /**
     * The items of a list flag, which may be repeated and may hold several between commas; an item
     * with a comma in it stands in double quotes.
     *
     * @throws UsageException if quotes are not as they should be
     */
    public List<String> list(Flag flag) {
        return values.getOrDefault(flag, List.of()).stream()
                .flatMap(text -> items(flag, text).stream())
                .filter(item -> !item.isBlank())
                .toList();
    }

    private static List<String> items(Flag flag, String text) {
        try {
            return CsvLine.items(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "--%s is not a list".formatted(flag),
                    e.getMessage(),
                    "put commas between the items, and quotes around an item that holds one");
        }
    }

    /** The {@code name=value} pairs of a flag, between commas; quotes mean nothing there. */
    public List<String> pairs(Flag flag) {
        return values.getOrDefault(flag, List.of()).stream()
                .flatMap(text -> Stream.of(text.split(",")))
                .filter(item -> !item.isBlank())
                .toList();
    }

    /**
     * The number of a flag, 0 or more, if it was set.
     *
     * @throws UsageException if it is no such number
     */
    public Optional<Integer> number(Flag flag) {
        return number(flag, 9).map(Math::toIntExact);
    }

    /**
     * The same of a flag whose number may be as large as a revision.
     *
     * @throws UsageException if it is no such number
     */
    public Optional<Long> large(Flag flag) {
        return number(flag, 18);
    }

    private Optional<Long> number(Flag flag, int digits) {
        return text(flag).map(text -> {
            if (!text.matches("[0-9]{1,%d}".formatted(digits))) {
                throw new UsageException(
                        "--%s is not a number".formatted(flag),
                        "\"%s\" was given".formatted(text),
                        "give 0 or a whole number above");
            }
            return Long.valueOf(text);
        });
    }

    /**
     * The duration of a flag, 0 or more, if it was set.
     *
     * @throws UsageException if it is none, or negative
     */
    public Optional<Duration> duration(Flag flag) {
        return text(flag)
                .map(text -> GoDuration.parse(text)
                        .filter(duration -> !duration.isNegative())
                        .orElseThrow(() -> new UsageException(
                                "--%s \"%s\" is not a duration".formatted(flag, text),
                                "",
                                "write it as 30s, 5m or 1h30m")));
    }

    /** The setting of a switch, if it was set: the parser let only booleans through. */
    public Optional<Boolean> bool(Flag flag) {
        return text(flag).flatMap(GoBoolean::parse);
    }

    /** Whether a switch was set to true. */
    public boolean isOn(Flag flag) {
        return bool(flag).orElse(false);
    }

    /** The file or folder that a flag names; an empty name counts as none. */
    public Optional<Path> path(Flag flag) {
        return text(flag).filter(name -> !name.isEmpty()).map(Path::of);
    }

    /**
     * The checks whose errors are to be warnings, those of the flag and those of the file: lower
     * case, sorted, each name once.
     */
    public List<String> ignoredChecks(List<String> configured) {
        List<String> all = Stream.concat(
                        list(Flag.IGNORE_PREFLIGHT_ERRORS).stream(), configured.stream())
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .distinct()
                .sorted()
                .toList();
        if (all.contains("all") && all.size() > 1) {
            throw new UsageException(
                    "ignorePreflightErrors (--ignore-preflight-errors) is invalid",
                    "\"all\" is combined with others: " + String.join(", ", all),
                    "give either all or the single checks");
        }
        return all;
    }

    @Override
    public String toString() {
        return "CommandFlags" + values.keySet();
    }
}
