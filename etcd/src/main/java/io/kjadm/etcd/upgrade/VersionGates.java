package io.kjadm.etcd.upgrade;

import io.kjadm.etcd.EtcdVersion;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * What each minor of etcd asks of a cluster that comes up to it, or goes down from it: read from
 * {@code gates.properties}, which says what its lines mean.
 */
public final class VersionGates {

    private static final String FILE = "gates.properties";

    private final List<Step> steps;

    private VersionGates(List<Step> steps) {
        this.steps = steps;
    }

    /** The least that a member has to be, and why. */
    public record Minimum(EtcdVersion version, String why) {}

    /**
     * The step between a minor and the one before.
     *
     * @param minor       the upper one, {@code 3.6.0} for example
     * @param required    of the members that come up
     * @param advised     likewise; may be skipped
     * @param refusesV2   whether it does not start with data of the API of version 2
     * @param refusesV2Requests whether it does not read requests of that API in its log
     * @param flags       how the flags of the two differ
     * @param downgradeTo the patch release of the lower minor that it may go down to, at least
     */
    public record Step(
            EtcdVersion minor,
            Optional<Minimum> required,
            Optional<Minimum> advised,
            boolean refusesV2,
            boolean refusesV2Requests,
            Flags flags,
            Optional<Minimum> downgradeTo) {}

    /**
     * How the flags of a minor differ from those of the one before.
     *
     * @param removed not known any more; a name that ends with {@code *} stands for all that begin
     *     so
     * @param renamed that have lost their {@code experimental-}, without it
     * @param gates   feature gates, by the name of the flag that they replace, without its
     *     {@code experimental-}
     * @param added   not known before
     */
    public record Flags(
            List<String> removed,
            List<String> renamed,
            Map<String, String> gates,
            List<String> added) {

        public Flags {
            removed = List.copyOf(removed);
            renamed = List.copyOf(renamed);
            gates = Map.copyOf(gates);
            added = List.copyOf(added);
        }
    }

    private static final class Shipped {
        static final VersionGates GATES = read();
    }

    /** Those that come with this program. */
    public static VersionGates shipped() {
        return Shipped.GATES;
    }

    private static VersionGates read() {
        try (InputStream file = VersionGates.class.getResourceAsStream(FILE)) {
            Properties lines = new Properties();
            lines.load(new InputStreamReader(file, StandardCharsets.UTF_8));
            return of(lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Those that some lines say.
     *
     * @throws IllegalArgumentException if one says nothing that is known
     */
    static VersionGates of(Properties lines) {
        Map<String, Map<String, String>> minors = new HashMap<>();
        lines.stringPropertyNames().forEach(name -> {
            String[] parts = name.split("\\.", 3);
            if (parts.length < 3) {
                throw new IllegalArgumentException("\"%s\" names no minor".formatted(name));
            }
            minors.computeIfAbsent(parts[0] + "." + parts[1], minor -> new HashMap<>())
                    .put(parts[2], lines.getProperty(name));
        });
        List<Step> steps = new ArrayList<>();
        minors.forEach((minor, values) -> steps.add(step(minor, values)));
        steps.sort(Comparator.comparing(Step::minor));
        return new VersionGates(List.copyOf(steps));
    }

    private static Step step(String minor, Map<String, String> lines) {
        Map<String, String> left = new HashMap<>(lines);
        Map<String, String> gates = new HashMap<>();
        left.keySet().removeIf(name -> {
            boolean gate = name.startsWith("gate.");
            if (gate) {
                gates.put(name.substring("gate.".length()), lines.get(name));
            }
            return gate;
        });
        Step step = new Step(
                EtcdVersion.parse(minor + ".0"),
                minimum("required", left),
                minimum("advised", left),
                refused("v2-content", left),
                refused("v2-requests", left),
                new Flags(
                        words("removed", left),
                        words("renamed", left),
                        gates,
                        words("added", left)),
                minimum("downgrade", left));
        if (!left.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: nothing is known by %s".formatted(minor, left.keySet()));
        }
        return step;
    }

    private static boolean refused(String name, Map<String, String> lines) {
        return Optional.ofNullable(lines.remove(name)).filter("refused"::equals).isPresent();
    }

    private static Optional<Minimum> minimum(String name, Map<String, String> lines) {
        Optional<String> version = Optional.ofNullable(lines.remove(name));
        Optional<String> why = Optional.ofNullable(lines.remove(name + ".why"));
        return version.map(text -> new Minimum(EtcdVersion.parse(text), why.orElse("")));
    }

    private static List<String> words(String name, Map<String, String> lines) {
        return Stream.of(Optional.ofNullable(lines.remove(name)).orElse("").split("\\s+"))
                .filter(word -> !word.isBlank())
                .toList();
    }

    /** All steps, the lowest first. */
    public List<Step> steps() {
        return steps;
    }

    /** The step into a version's minor. */
    public Optional<Step> into(EtcdVersion version) {
        return steps.stream()
                .filter(step -> VersionSteps.minors(step.minor(), version) == 0)
                .findFirst();
    }
}
