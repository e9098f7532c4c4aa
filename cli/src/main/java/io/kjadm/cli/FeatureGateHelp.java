package io.kjadm.cli;

import io.kjadm.core.feature.FeatureGate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The gates, as the help lists them. */
final class FeatureGateHelp {

    static final String TEXT = Stream.of(FeatureGate.values())
            .map(FeatureGate::help).sorted().collect(Collectors.joining(", "));

    private FeatureGateHelp() {}
}
