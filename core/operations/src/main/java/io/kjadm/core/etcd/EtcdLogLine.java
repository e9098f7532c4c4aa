package io.kjadm.core.etcd;

import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One line of etcd's log, in whichever of its formats: JSON and console (zap, 3.4 and newer),
 * capnslog (until 3.4), klog, or plain text such as the words of a Go panic.
 *
 * @param weight how bad it is by its own account
 * @param text   as an operator wants to read it: the message and its details, not the stack
 */
record EtcdLogLine(Weight weight, String text) {

    /** From good to bad; plain text does not say. */
    enum Weight {
        INFO,
        PLAIN,
        WARNING,
        ERROR,
        FATAL
    }

    private static final Pattern JSON_LEVEL = Pattern.compile("^\\{\"level\":\"(\\w+)\"");
    private static final Pattern CONSOLE =
            Pattern.compile("^\\S+\\t(\\w+)\\t(?:\\S+:\\d+\\t)?(.*)");
    private static final Pattern CAPNSLOG = Pattern.compile(
            "^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+ ([CEWNIDT]) \\| (.*)");
    private static final Pattern KLOG =
            Pattern.compile("^([FEWI])\\d{4} \\S+\\s+\\d+ [^\\]]+\\] (.*)");
    private static final Set<String> NO_DETAILS =
            Set.of("level", "ts", "caller", "logger", "msg", "stacktrace");

    static EtcdLogLine parse(String line) {
        Matcher json = JSON_LEVEL.matcher(line);
        if (json.find()) {
            Weight weight = weight(json.group(1));
            // most lines tell that all is well, and reading JSON takes time
            return new EtcdLogLine(weight, weight == Weight.INFO ? line : message(line));
        }
        return Stream.of(CONSOLE, CAPNSLOG, KLOG)
                .map(format -> format.matcher(line))
                .filter(Matcher::matches)
                .findFirst()
                .map(known ->
                        new EtcdLogLine(weight(known.group(1)), known.group(2).strip()))
                .orElseGet(() -> new EtcdLogLine(
                        line.startsWith("panic: ") || line.startsWith("fatal error: ")
                                ? Weight.FATAL
                                : Weight.PLAIN,
                        line.strip()));
    }

    private static Weight weight(String level) {
        return switch (level) {
            case "fatal", "panic", "dpanic", "FATAL", "PANIC", "C", "F" -> Weight.FATAL;
            case "error", "ERROR", "E" -> Weight.ERROR;
            case "warn", "WARN", "W" -> Weight.WARNING;
            default -> Weight.INFO;
        };
    }

    private static String message(String line) {
        try {
            Map<String, Object> fields = ManifestYaml.readObject(line);
            String details = fields.entrySet().stream()
                    .filter(field -> !NO_DETAILS.contains(field.getKey()))
                    .map(field -> field.getKey().equals("error")
                            ? String.valueOf(field.getValue())
                            : "%s: %s".formatted(field.getKey(), field.getValue()))
                    .collect(Collectors.joining(", "));
            String said = String.valueOf(fields.getOrDefault("msg", ""));
            return details.isEmpty() ? said : said + ": " + details;
        } catch (ManifestException e) {
            // cut off, or not quite JSON
            return line;
        }
    }
}
