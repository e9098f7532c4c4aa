package io.kjadm.etcd.upgrade;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.upgrade.VersionGates.Flags;
import io.kjadm.etcd.upgrade.VersionGates.Step;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The arguments of an etcd server as one of another minor understands them: an etcd ends at once
 * when it is given a flag that it does not know. However it is run, as a pod or as a service.
 *
 * @param arguments for the other version, {@code --name=value}
 * @param dropped   of the former ones, those that it does not know in any form
 */
public record EtcdFlags(List<String> arguments, List<String> dropped) {

    private static final String EXPERIMENTAL = "experimental-";
    private static final String GATES = "feature-gates";

    public EtcdFlags {
        arguments = List.copyOf(arguments);
        dropped = List.copyOf(dropped);
    }

    /** As another version understands them; words that are no flags stay. */
    public static EtcdFlags of(List<String> arguments, EtcdVersion from, EtcdVersion to) {
        EtcdFlags flags = new EtcdFlags(arguments, List.of());
        List<Step> steps = VersionGates.shipped().steps();
        if (VersionSteps.minors(from, to) > 0) {
            // what was deprecated a minor ago may be in use still
            for (Step step : steps) {
                if (VersionSteps.minors(step.minor(), to) >= 0) {
                    flags = flags.up(step.flags());
                }
            }
        } else {
            for (Step step : steps.reversed()) {
                if (VersionSteps.minors(to, step.minor()) > 0
                        && VersionSteps.minors(step.minor(), from) >= 0) {
                    flags = flags.down(step.flags());
                }
            }
        }
        return flags;
    }

    /** Arguments with another one: where one of its name is, else where a new manifest has it. */
    public static List<String> with(List<String> arguments, String flag) {
        String name = Word.of(flag).name();
        List<String> changed = new ArrayList<>(arguments);
        for (int i = 0; i < changed.size(); i++) {
            if (Word.of(changed.get(i)).name().equals(name)) {
                changed.set(i, flag);
                return List.copyOf(changed);
            }
        }
        changed.add(place(changed, name), flag);
        return List.copyOf(changed);
    }

    /** A word of a command line. */
    private record Word(String text, String name, String value) {

        static Word of(String text) {
            if (!text.startsWith("--")) {
                return new Word(text, "", "");
            }
            int equals = text.indexOf('=');
            return equals < 0
                    ? new Word(text, text.substring(2), "true")
                    : new Word(text, text.substring(2, equals), text.substring(equals + 1));
        }

        String base() {
            return name.startsWith(EXPERIMENTAL) ? name.substring(EXPERIMENTAL.length()) : "";
        }
    }

    private EtcdFlags up(Flags flags) {
        List<String> kept = new ArrayList<>();
        List<String> gone = new ArrayList<>(dropped);
        Map<String, String> gates = new LinkedHashMap<>();
        for (Word word : arguments.stream().map(Word::of).toList()) {
            if (word.name().equals(GATES) && !flags.gates().isEmpty()) {
                gates.putAll(gates(word.value()));
            } else if (flags.gates().containsKey(word.base())) {
                gates.put(flags.gates().get(word.base()), word.value());
            } else if (flags.renamed().contains(word.base())) {
                kept.add("--%s=%s".formatted(word.base(), word.value()));
            } else if (flags.removed().stream().anyMatch(name -> matches(name, word.name()))) {
                gone.add(word.text());
            } else {
                kept.add(word.text());
            }
        }
        if (!gates.isEmpty()) {
            kept.add("--%s=%s".formatted(GATES, text(gates)));
        }
        return new EtcdFlags(inOrder(kept), gone);
    }

    private EtcdFlags down(Flags flags) {
        List<String> kept = new ArrayList<>();
        List<String> gone = new ArrayList<>(dropped);
        for (Word word : arguments.stream().map(Word::of).toList()) {
            if (word.name().equals(GATES) && !flags.gates().isEmpty()) {
                gates(word.value())
                        .forEach((gate, value) -> flags.gates().entrySet().stream()
                                .filter(entry -> entry.getValue().equals(gate))
                                .findFirst()
                                .ifPresentOrElse(
                                        entry -> kept.add("--%s%s=%s"
                                                .formatted(EXPERIMENTAL, entry.getKey(), value)),
                                        () -> gone.add(
                                                "--%s=%s=%s".formatted(GATES, gate, value))));
            } else if (flags.renamed().contains(word.name())) {
                kept.add("--%s%s=%s".formatted(EXPERIMENTAL, word.name(), word.value()));
            } else if (flags.added().contains(word.name())) {
                gone.add(word.text());
            } else {
                kept.add(word.text());
            }
        }
        return new EtcdFlags(inOrder(kept), gone);
    }

    /**
     * Manifests begin with flags in the order of their names, and what somebody has added behind
     * them stays there; the new ones go where they would be in a new manifest.
     */
    private List<String> inOrder(List<String> changed) {
        List<String> ordered =
                new ArrayList<>(changed.stream().filter(arguments::contains).toList());
        changed.stream()
                .filter(word -> !arguments.contains(word))
                .forEach(word -> ordered.add(place(ordered, Word.of(word).name()), word));
        return ordered;
    }

    private static int place(List<String> words, String name) {
        String former = "";
        for (int i = 0; i < words.size(); i++) {
            String here = Word.of(words.get(i)).name();
            if (here.compareTo(former) < 0 || here.compareTo(name) > 0) {
                return i;
            }
            former = here;
        }
        return words.size();
    }

    private static boolean matches(String pattern, String name) {
        return pattern.endsWith("*")
                ? name.startsWith(pattern.substring(0, pattern.length() - 1))
                : name.equals(pattern);
    }

    private static Map<String, String> gates(String value) {
        Map<String, String> gates = new LinkedHashMap<>();
        for (String gate : value.split(",")) {
            int equals = gate.indexOf('=');
            if (equals > 0) {
                gates.put(
                        gate.substring(0, equals).strip(),
                        gate.substring(equals + 1).strip());
            }
        }
        return gates;
    }

    private static String text(Map<String, String> gates) {
        return gates.entrySet().stream()
                .map(gate -> gate.getKey() + "=" + gate.getValue())
                .collect(Collectors.joining(","));
    }
}
