package io.kjadm.core.upgrade.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.config.UpgradeConfiguration.Target;
import io.kjadm.core.config.VersionResolver;
import io.kjadm.core.value.KubernetesVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which versions are offered, by what the server of the releases says. */
class UpgradeCandidateTest {

    private final Map<String, String> labels = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private String offered(String current, Target target) {
        var resolver = new VersionResolver(
                url -> {
                    String label =
                            url.getPath().replaceFirst(".*/", "").replaceFirst("\\.txt$", "");
                    asked.add(label);
                    if (!labels.containsKey(label)) {
                        throw new IOException("404");
                    }
                    return labels.get(label);
                },
                warnings::add);
        KubernetesVersion cluster = KubernetesVersion.of(current);
        return UpgradeCandidate.of(cluster, new VersionOffers(resolver).to(cluster, target))
                .stream()
                .map(candidate -> candidate.description() + " " + candidate.version())
                .collect(Collectors.joining(", "));
    }

    private static Target named(String version) {
        return new Target(Optional.of(version), false, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v1.36.6 | v1.37.2 | v1.36.9 | version in the v1.36 series v1.36.9, stable version v1.37.2",
                "v1.36.9 | v1.37.2 | v1.36.9 | stable version v1.37.2",
                "v1.37.0 | v1.37.2 | v1.37.2 | version in the v1.37 series v1.37.2",
                "v1.37.2 | v1.37.2 | v1.37.2 | ''",
                "v1.37.3 | v1.37.2 | v1.37.2 | ''"
            })
    void theNewestOfTheSeriesAndTheNewestOfAllAreOffered(
            String current, String stable, String series, String offered) {
        labels.put("stable", stable);
        labels.put("stable-1.36", series);
        labels.put("stable-1.37", series);
        assertEquals(offered, offered(current, Target.NONE));
    }

    @Test
    void aMinorThatThisProgramDoesNotServeIsNotOffered() {
        labels.putAll(
                Map.of("stable", "v1.38.1", "stable-1.37", "v1.37.5", "stable-1.36", "v1.36.9"));
        assertEquals(
                "version in the v1.36 series v1.36.9, stable version v1.37.5",
                offered("v1.36.6", Target.NONE));
    }

    @Test
    void withoutTheServerWhatThisProgramKnowsIsOffered() {
        assertEquals(
                "version in the v1.36 series v1.36.4, stable version v1.37.0",
                offered("v1.36.0", Target.NONE));
        assertEquals(List.of("stable"), asked, "not asked in vain a second time");
        assertEquals(
                "the version behind stable could not be read from https://dl.k8s.io/release/stable.txt: 404",
                warnings.getFirst());
    }

    @Test
    void aVersionThatIsNamedIsTheOnlyOneAndNobodyIsAsked() {
        assertEquals("version in the v1.37 series v1.37.1", offered("v1.36.6", named("1.37.1")));
        assertEquals("version in the v1.36 series v1.36.0", offered("v1.36.6", named("v1.36.0")));
        assertEquals(List.of(), asked);
    }

    @Test
    void aLabelThatIsNamedIsLookedUp() {
        labels.put("stable-1.37", "v1.37.1");
        assertEquals(
                "version in the v1.37 series v1.37.1", offered("v1.36.6", named("stable-1.37")));
    }

    @Test
    void preReleasesAreOfferedIfTheyMayBeTheTarget() {
        labels.putAll(Map.of(
                "stable", "v1.37.2",
                "stable-1.37", "v1.37.2",
                "latest", "v1.39.0-alpha.0",
                "latest-1.38", "v1.38.0-rc.1"));
        assertEquals("", offered("v1.37.2", Target.NONE));
        assertEquals(
                "release candidate version v1.38.0-rc.1",
                offered("v1.37.2", new Target(Optional.empty(), false, true)));
        assertEquals(
                "release candidate version v1.38.0-rc.1, experimental version v1.38.0-rc.1",
                offered("v1.37.2", new Target(Optional.empty(), true, false)));
        labels.put("latest", "v1.39.0-alpha.3");
        assertEquals(
                "release candidate version v1.38.0-rc.1, experimental version v1.39.0-alpha.3",
                offered("v1.37.2", new Target(Optional.empty(), true, false)));
    }
}
