package io.kjadm.core.config;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.feature.FeatureGate;
import io.kjadm.core.feature.RemovedGate;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The configuration that a cluster keeps, which another release may have written. */
class StoredConfigurationTest {

    private final List<String> warnings = new ArrayList<>();

    @Test
    void storedConfigurationIsReadLeniently() {
        ClusterConfiguration cluster = new ClusterDocuments(warnings::add).cluster("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                controlPlaneEndpoint: api.test
                featureGates: {ControlPlaneKubeletLocalMode: true, EtcdLearnerMode: false}
                somethingNew: 1
                """, 6443);
        assertFalse(cluster.featureGates().enabled(FeatureGate.ETCD_LEARNER_MODE));
        assertEquals(
                List.of("ControlPlaneKubeletLocalMode"), cluster.featureGates().unknown());
        assertEquals(
                "api.test:6443", cluster.controlPlaneEndpoint().orElseThrow().text());
        assertEquals(
                Map.of("ControlPlaneKubeletLocalMode", true, "EtcdLearnerMode", false),
                ManifestYaml.readObject(ConfigurationYaml.cluster(cluster)).get("featureGates"));
        assertHasLine(
                "ClusterConfiguration somethingNew in ConfigMap kubeadm-config: unknown field",
                String.join("\n", warnings));
        assertEquals(
                "v1.35.6",
                stored("kubernetesVersion: v1.35.6").kubernetesVersion(),
                "a cluster that is too old to be deployed is read");
        assertThrows(UsageException.class, () -> stored("kubernetesVersion: v1.34.9"));
    }

    @Test
    void removedGatesOfAStoredConfigurationAreDropped() {
        ClusterConfiguration cluster = stored(
                "featureGates: {NodeLocalCRISocket: true, PublicKeysECDSA: true, EtcdLearnerMode: true}");
        assertEquals(Map.of("EtcdLearnerMode", true), cluster.featureGates().chosen());
        assertEquals(2, warnings.size(), warnings::toString);
        for (RemovedGate gate : RemovedGate.values()) {
            assertEquals(
                    1,
                    warnings.stream()
                            .filter(warning -> warning.contains(gate.key())
                                    && warning.contains(gate.release()))
                            .count(),
                    warnings::toString);
        }
        assertEquals(
                EncryptionAlgorithm.ECDSA_P256,
                cluster.encryptionAlgorithm(),
                "keys are of the same kind as before");
    }

    private ClusterConfiguration stored(String line) {
        return new ClusterDocuments(warnings::add)
                .cluster(
                        "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                                + (line.startsWith("kubernetesVersion")
                                        ? ""
                                        : "kubernetesVersion: v1.36.2\n")
                                + line + "\n",
                        6443);
    }
}
