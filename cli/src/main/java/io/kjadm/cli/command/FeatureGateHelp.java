package io.kjadm.cli.command;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.feature.FeatureGate;
import io.kjadm.core.feature.FeatureGates;
import io.kjadm.core.phase.SimilarNames;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The gates, as the help lists them, and what may have been meant by another name. */
public final class FeatureGateHelp {

    static final String TEXT = Stream.of(FeatureGate.values())
            .map(FeatureGate::help)
            .sorted()
            .collect(Collectors.joining(", "));

    private FeatureGateHelp() {}

    /**
     * Refuses a gate whose name is mistyped, and says which one was meant; what is like no other
     * is left to those who read the flag.
     *
     * @param flag its value: {@code A=true,B=false}
     * @throws UsageException naming the gate
     */
    public static void requireNoSlip(String flag) {
        List<String> names =
                Stream.of(FeatureGate.values()).map(FeatureGate::key).toList();
        for (String item : flag.split(",")) {
            String name = item.split("=", 2)[0].strip();
            if (!names.contains(name) && !SimilarNames.of(name, names).isEmpty()) {
                throw new UsageException(
                        "feature gate \"%s\" cannot be set".formatted(name),
                        "there is no such gate" + SimilarNames.guess(name, names),
                        "known gates are " + FeatureGates.names());
            }
        }
    }
}
