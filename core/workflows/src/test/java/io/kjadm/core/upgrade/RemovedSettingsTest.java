package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.KubernetesReleases;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class RemovedSettingsTest {

    private static List<UpgradeFinding> findings(
            String target, String component, String flag, String value) {
        return RemovedSettings.findings(
                KubernetesVersion.of(target),
                Map.of(component, List.of(new Argument("v", "4"), new Argument(flag, value))));
    }

    private static String told(List<UpgradeFinding> findings) {
        return findings.stream()
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest(name = "{1} {0}: --{2}={3}")
    @CsvSource(
            delimiter = '|',
            value = {
                "v1.36.2 | kube-apiserver | audit-log-path | /a | ''",
                "v1.36.2 | kubelet | pod-infra-container-image | p | REMOVED_FLAG SKIPPABLE",
                "v1.36.2 | kube-apiserver | cloud-provider | external | REMOVED_FLAG SKIPPABLE",
                "v1.36.2 | kube-controller-manager | cloud-provider | external | ''",
                "v1.36.2 | kubelet | cloud-provider | external | ''",
                "v1.36.2 | kubelet | container-runtime | remote | REMOVED_FLAG SKIPPABLE",
                "v1.36.2 | kube-apiserver | insecure-port | 0 | REMOVED_FLAG SKIPPABLE",
                "v1.35.6 | kubelet | pod-infra-container-image | p | REMOVED_FLAG SKIPPABLE",
                "v1.34.9 | kubelet | pod-infra-container-image | p | ''",
                "v1.36.2 | kube-apiserver | pod-infra-container-image | p | ''",
                "v1.36.2 | kube-apiserver | apiserver-count | 3 | DEPRECATED_FLAG WARNING",
                "v1.36.2 | kube-apiserver | feature-gates | TopologyAwareHints=true | REMOVED_GATE SKIPPABLE",
                "v1.35.6 | kube-apiserver | feature-gates | TopologyAwareHints=true | ''",
                "v1.36.2 | kube-apiserver | feature-gates | ImageVolume=false | LOCKED_GATE SKIPPABLE",
                "v1.36.2 | kube-apiserver | feature-gates | ImageVolume=true | DEPRECATED_GATE WARNING",
                "v1.35.6 | kube-apiserver | feature-gates | ImageVolume=false | ''",
                "v1.36.2 | kube-apiserver | feature-gates | GitRepoVolumeDriver=true | LOCKED_GATE SKIPPABLE",
                "v1.36.2 | kube-apiserver | feature-gates | JobManagedBy=0 | LOCKED_GATE SKIPPABLE",
                "v1.36.2 | kube-apiserver | feature-gates | KMSv1=true | DEPRECATED_GATE WARNING",
                "v1.36.2 | kube-scheduler | feature-gates | A=true, MemoryManager=true,KMSv1=true | REMOVED_GATE SKIPPABLE, DEPRECATED_GATE WARNING",
                "v1.36.2 | kube-apiserver | feature-gates | '' | ''",
                "v1.37.0 | kube-controller-manager | concurrent-service-syncs | 2 | REMOVED_FLAG SKIPPABLE",
                "v1.36.2 | kube-controller-manager | concurrent-service-syncs | 2 | ''",
                "v1.37.0 | kubelet | containerd | /c.sock | REMOVED_FLAG SKIPPABLE",
                "v1.37.0 | kubelet | housekeeping-interval | 10s | ''",
                "v1.36.2 | kube-apiserver | enable-logs-handler | true | DEPRECATED_FLAG WARNING",
                "v1.37.0 | kube-apiserver | enable-logs-handler | true | ''",
                "v1.37.0 | kube-apiserver | feature-gates | SidecarContainers=true | REMOVED_GATE SKIPPABLE",
                "v1.37.0 | kube-apiserver | feature-gates | NodeSwap=true | ''",
                "v1.37.0 | kube-apiserver | feature-gates | DeclarativeValidationTakeover=true | LOCKED_GATE SKIPPABLE",
                "v1.37.0 | kubelet | feature-gates | HostnameOverride=false | LOCKED_GATE SKIPPABLE",
                "v1.37.0 | kube-apiserver | runtime-config | api/all=true,storage.k8s.io/v1beta1=true | REMOVED_API WARNING",
                "v1.37.0 | kube-apiserver | runtime-config | networking.k8s.io/v1beta1/ipaddresses=true | REMOVED_API WARNING",
                "v1.36.2 | kube-apiserver | runtime-config | storage.k8s.io/v1beta1=true | ''",
                "v1.37.0 | kube-apiserver | runtime-config | storage.k8s.io/v1=true | ''",
                "v1.37.0 | kube-apiserver | enable-admission-plugins | NodeRestriction,PodGroupWorkloadExists | REMOVED_FLAG SKIPPABLE",
                "v1.37.0 | kubelet | eventRecordQPS | 0 | CHANGED_SETTING WARNING",
                "v1.37.0 | kubelet | eventRecordQPS | 5 | ''",
            })
    void everyKind(String target, String component, String flag, String value, String expected) {
        assertEquals(expected, told(findings(target, component, flag, value)));
    }

    @Test
    void theProblemNamesFlagComponentAndRelease() {
        String text = findings(
                        "v1.36.2", "kube-apiserver", "feature-gates", "TopologyAwareHints=true")
                .getFirst()
                .problem()
                .toString();
        assertEquals(
                "kube-apiserver v1.36.2 has no feature gate TopologyAwareHints: it was removed in v1.36, and the component does not start with it; remove TopologyAwareHints from --feature-gates in the extra arguments of kube-apiserver",
                text);
        assertEquals(Set.of("--feature-gates"), Named.flags(text), text);
    }

    @Test
    void aFurtherReleaseIsARowMore() {
        List<ReleaseChanges> table = List.of(new ReleaseChanges(
                37,
                Map.of("kube-apiserver", Set.of("gone")),
                Map.of(),
                ReleaseChanges.Gates.UNCHANGED,
                ReleaseChanges.Api.UNCHANGED,
                Map.of()));
        Map<String, List<Argument>> arguments =
                Map.of("kube-apiserver", List.of(new Argument("gone", "1")));
        assertEquals(
                "REMOVED_FLAG SKIPPABLE",
                told(RemovedSettings.findings(KubernetesVersion.of("v1.37.0"), arguments, table)));
        assertEquals(
                "",
                told(RemovedSettings.findings(KubernetesVersion.of("v1.36.2"), arguments, table)));
    }

    @Test
    void aGateThatWasLockedAndThenRemovedIsRemoved() {
        List<ReleaseChanges> table =
                List.of(row(36, Set.of(), Map.of("Gate", true)), row(37, Set.of("Gate"), Map.of()));
        assertEquals(
                "REMOVED_GATE SKIPPABLE",
                told(RemovedSettings.findings(
                        KubernetesVersion.of("v1.37.0"),
                        Map.of("kubelet", List.of(new Argument("feature-gates", "Gate=true"))),
                        table)));
    }

    private static ReleaseChanges row(
            int minor, Set<String> removedGates, Map<String, Boolean> lockedGates) {
        return new ReleaseChanges(
                minor,
                Map.of(),
                Map.of(),
                new ReleaseChanges.Gates(removedGates, lockedGates, Set.of()),
                ReleaseChanges.Api.UNCHANGED,
                Map.of());
    }

    @Test
    void everyMinorThatIsKnownHasARow() {
        KubernetesReleases table = KubernetesReleases.KNOWN;
        assertEquals(
                IntStream.rangeClosed(table.oldest().minor(), table.newest().minor())
                        .boxed()
                        .toList(),
                ReleaseChanges.KNOWN.stream()
                        .map(ReleaseChanges::minor)
                        .filter(minor -> minor >= table.oldest().minor())
                        .toList());
    }

    @Test
    void noGateIsTwoThingsInOneRelease() {
        for (ReleaseChanges release : ReleaseChanges.KNOWN) {
            Set<String> twice = new HashSet<>(release.gates().removed());
            twice.retainAll(release.gates().locked().keySet());
            assertEquals(Set.of(), twice);
        }
    }
}
