package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.upgrade.VersionPolicy.Facts;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Severity;
import io.kjadm.manifests.KubernetesReleases;
import io.kjadm.manifests.KubernetesReleases.Series;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The rows of kubeadm's policy, for a program of 1.37.2. */
class VersionPolicyTest {

    private static final KubernetesReleases RELEASES =
            KubernetesReleases.KNOWN.with(new Series(37, 2, "3.7.0-0", "v1", "3", "3.5.24-0"));

    private static List<UpgradeFinding> findings(
            String target, String cluster, PreReleases allowed, Map<String, String> kubelets) {
        return VersionPolicy.findings(new Facts(
                KubernetesVersion.of(target),
                Optional.of(KubernetesVersion.of(cluster)),
                RELEASES,
                Optional.of(kubelets),
                allowed));
    }

    private static String told(List<UpgradeFinding> findings) {
        return findings.stream()
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest(name = "{1} to {0}")
    @CsvSource(
            delimiter = '|',
            value = {
                // allowed
                "v1.37.2 | v1.36.6 | ''",
                "v1.37.2 | v1.37.0 | ''",
                "v1.37.2 | v1.37.2 | ''",
                "v1.37.0 | v1.37.2 | ''",
                // below the oldest that is deployed; an rc of the oldest is below it, too
                "v1.35.9 | v1.35.1 | TARGET_TOO_OLD MANDATORY, PROGRAM_TOO_NEW SKIPPABLE",
                "v1.36.0-rc.1 | v1.35.1 | TARGET_TOO_OLD MANDATORY, PROGRAM_TOO_NEW SKIPPABLE, UNSTABLE_TARGET SKIPPABLE",
                // more than one minor up, more than one down
                "v1.37.2 | v1.35.8 | UPGRADE_SKIPS_MINOR MANDATORY",
                "v1.37.1-rc.0 | v1.35.8 | UPGRADE_SKIPS_MINOR SKIPPABLE, UNSTABLE_TARGET SKIPPABLE",
                "v1.36.6 | v1.38.1 | DOWNGRADE_SKIPS_MINOR MANDATORY, PROGRAM_TOO_NEW SKIPPABLE",
                "v1.36.1-rc.0 | v1.38.1 | DOWNGRADE_SKIPS_MINOR SKIPPABLE, PROGRAM_TOO_NEW SKIPPABLE, UNSTABLE_TARGET SKIPPABLE",
                // newer than the program
                "v1.38.0 | v1.37.2 | PROGRAM_MINOR_TOO_OLD MANDATORY",
                "v1.38.0-beta.1 | v1.37.2 | PROGRAM_MINOR_TOO_OLD SKIPPABLE, UNSTABLE_TARGET SKIPPABLE",
                "v1.37.3 | v1.37.2 | PROGRAM_PATCH_TOO_OLD SKIPPABLE",
                "v1.37.3-rc.0 | v1.37.2 | PROGRAM_PATCH_TOO_OLD SKIPPABLE, UNSTABLE_TARGET SKIPPABLE",
                "v1.37.2-rc.0 | v1.37.1 | UNSTABLE_TARGET SKIPPABLE",
                // the program is newer; one minor down is allowed
                "v1.36.6 | v1.36.1 | PROGRAM_TOO_NEW SKIPPABLE",
                "v1.36.6 | v1.37.2 | PROGRAM_TOO_NEW SKIPPABLE",
                // the cluster itself runs a pre-release
                "v1.37.2 | v1.37.0-alpha.1 | ''",
                "v1.37.2 | v1.36.0-rc.1 | ''"
            })
    void everyRow(String target, String cluster, String expected) {
        assertEquals(expected, told(findings(target, cluster, PreReleases.NONE, Map.of())));
    }

    @ParameterizedTest
    @CsvSource({
        "v1.37.1-rc.1, NONE, false",
        "v1.37.1-rc.1, RELEASE_CANDIDATES, true",
        "v1.37.1-rc.1, ALL, true",
        "v1.37.1-beta.0, RELEASE_CANDIDATES, false",
        "v1.37.1-beta.0, ALL, true",
        "v1.37.1-alpha.3, NONE, false"
    })
    void preReleasesAreAskedFor(String target, PreReleases allowed, boolean fine) {
        List<UpgradeFinding> findings = findings(target, "v1.37.0", allowed, Map.of());
        assertEquals(fine ? "" : "UNSTABLE_TARGET SKIPPABLE", told(findings));
    }

    @Test
    void theTwoFlagsSayWhichPreReleasesMayBe() {
        assertEquals(PreReleases.NONE, PreReleases.of(false, false));
        assertEquals(PreReleases.RELEASE_CANDIDATES, PreReleases.of(false, true));
        assertEquals(PreReleases.ALL, PreReleases.of(true, false));
        assertEquals(PreReleases.ALL, PreReleases.of(true, true));
    }

    @Test
    void kubeletsMayBeThreeMinorsOlder() {
        List<UpgradeFinding> findings = findings(
                "v1.37.2",
                "v1.36.6",
                PreReleases.NONE,
                Map.of("w-1", "v1.34.0", "w-2", "v1.33.9", "w-3", "v1.32.0", "cp-1", "v1.38.0"));
        assertEquals("KUBELETS_TOO_OLD SKIPPABLE", told(findings));
        assertEquals(
                "a kubelet may be 3 minors older than its API server; these are older: w-2 v1.33.9, w-3 v1.32.0",
                findings.getFirst().problem().why());
    }

    @Test
    void aKubeletWithoutAVersionIsNamed() {
        List<UpgradeFinding> findings = findings(
                "v1.37.2", "v1.36.6", PreReleases.NONE, Map.of("w-1", "unknown", "w-2", "v1.31.0"));
        assertEquals("KUBELETS_UNKNOWN SKIPPABLE, KUBELETS_TOO_OLD SKIPPABLE", told(findings));
        assertEquals(
                "they report an invalid version: w-1 unknown",
                findings.getFirst().problem().why());
    }

    @Test
    void whatIsNotKnownIsSaid() {
        Facts facts = new Facts(
                KubernetesVersion.of("v1.37.2"),
                Optional.of(KubernetesVersion.of("v1.37.1")),
                RELEASES,
                Optional.empty(),
                PreReleases.NONE);
        assertEquals("KUBELETS_UNKNOWN SKIPPABLE", told(VersionPolicy.findings(facts)));
        Facts nothing = new Facts(
                facts.target(), Optional.empty(), RELEASES, Optional.empty(), PreReleases.NONE);
        assertEquals("CLUSTER_VERSION MANDATORY", told(VersionPolicy.findings(nothing)));
    }

    @Test
    void oneRowMoreInTheTableMovesThePolicy() {
        KubernetesReleases more =
                RELEASES.with(new Series(38, 1, "3.8.0-0", "v1", "3", "3.6.11-0"));
        Facts to38 = new Facts(
                KubernetesVersion.of("v1.38.1"),
                Optional.of(KubernetesVersion.of("v1.37.2")),
                more,
                Optional.of(Map.of()),
                PreReleases.NONE);
        assertEquals("", told(VersionPolicy.findings(to38)));
        Facts to36 = new Facts(
                KubernetesVersion.of("v1.36.6"),
                Optional.of(KubernetesVersion.of("v1.36.1")),
                more,
                Optional.of(Map.of()),
                PreReleases.NONE);
        assertEquals(
                "TARGET_TOO_OLD MANDATORY, PROGRAM_TOO_NEW SKIPPABLE",
                told(VersionPolicy.findings(to36)));
    }

    @Test
    void forceSkipsWhatCanBeSkippedOnly() {
        assertTrue(Severity.MANDATORY.stops(true));
        assertFalse(Severity.SKIPPABLE.stops(true));
        assertTrue(Severity.SKIPPABLE.stops(false));
        assertFalse(Severity.WARNING.stops(false));
    }

    @Test
    void everyProblemSaysWhatWhyAndNext() {
        findings("v1.38.0-beta.1", "v1.36.2", PreReleases.NONE, Map.of("w", "v1.31.0"))
                .forEach(finding -> {
                    assertFalse(finding.problem().what().isBlank());
                    assertFalse(finding.problem().why().isBlank());
                    assertFalse(finding.problem().next().isBlank());
                });
    }
}
