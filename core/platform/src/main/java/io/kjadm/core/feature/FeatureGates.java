package io.kjadm.core.feature;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.GoBoolean;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The choices made for feature gates. Only what somebody chose is held (and written back to the
 * cluster); everything else answers with its default. Unknown names are kept, because a cluster
 * may carry gates of another release.
 *
 * @param chosen the gates that were set, by name
 */
public record FeatureGates(Map<String, Boolean> chosen) {

    public FeatureGates {
        chosen = Collections.unmodifiableMap(new TreeMap<>(chosen));
    }

    /** No choices: every gate has its default. */
    public static FeatureGates defaults() {
        return new FeatureGates(Map.of());
    }

    /**
     * Reads the value of {@code --feature-gates}: {@code A=true,B=false}. Empty items are skipped,
     * and the last of several settings of one gate counts.
     *
     * @throws UsageException if an item has no value, the name of no gate or of a removed one, or
     *     no boolean as its value
     */
    public static FeatureGates parse(String flag) {
        Map<String, Boolean> gates = new LinkedHashMap<>();
        for (String item : flag.split(",")) {
            if (item.isBlank()) {
                continue;
            }
            String[] pair = item.split("=", 2);
            String name = pair[0].strip();
            if (pair.length < 2) {
                throw refused(
                        name, "it has no value", "write %s=true or %s=false".formatted(name, name));
            }
            Optional<RemovedGate> removed = RemovedGate.named(name);
            if (removed.isPresent()) {
                throw refused(
                        name,
                        "it was removed in " + removed.get().release(),
                        removed.get().advice());
            }
            if (FeatureGate.named(name).isEmpty()) {
                throw refused(name, "there is no such gate", "known gates are " + names());
            }
            gates.put(name, bool(name, pair[1].strip()));
        }
        return new FeatureGates(gates);
    }

    /** The setting in effect: the choice made, else the default. */
    public boolean enabled(FeatureGate gate) {
        return explicit(gate).orElse(gate.enabledByDefault());
    }

    /** The choice made for a gate, or nothing if it was left at its default. */
    public Optional<Boolean> explicit(FeatureGate gate) {
        return Optional.ofNullable(chosen.get(gate.key()));
    }

    /** Names among the choices that are no gates of this release. */
    public List<String> unknown() {
        return chosen.keySet().stream()
                .filter(name -> FeatureGate.named(name).isEmpty())
                .toList();
    }

    /** Why a name that is {@link #unknown} is none, for messages. */
    public static String whyNot(String name) {
        return RemovedGate.named(name)
                .map(gate ->
                        "%s was removed in %s: %s".formatted(name, gate.release(), gate.advice()))
                .orElseGet(() ->
                        "%s is not a feature gate, known ones are %s".formatted(name, names()));
    }

    /** Sentences about choices that work today but should be reconsidered. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        explicit(FeatureGate.ROOTLESS_CONTROL_PLANE)
                .ifPresent(on -> warnings.add(
                        "feature gate RootlessControlPlane is deprecated and has no successor"));
        if (!enabled(FeatureGate.ETCD_LEARNER_MODE)) {
            warnings.add("feature gate EtcdLearnerMode is off: adding etcd members directly as "
                    + "voters is deprecated, because one that does not start can cost the quorum");
        }
        return warnings;
    }

    /** All gate names, for messages. */
    public static String names() {
        return Arrays.stream(FeatureGate.values())
                .map(FeatureGate::key)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static boolean bool(String name, String value) {
        return GoBoolean.parse(value)
                .orElseThrow(() -> refused(
                        name, "\"%s\" is not a boolean".formatted(value), "use true or false"));
    }

    private static UsageException refused(String name, String why, String next) {
        return new UsageException("feature gate \"%s\" cannot be set".formatted(name), why, next);
    }
}
