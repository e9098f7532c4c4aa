package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which cluster a node may join by its version. */
class ClusterTextsTest {

    private final JoinLab lab = new JoinLab();

    private String join(String version, boolean controlPlane) {
        return new ClusterTexts("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: %s
                """.formatted(version), "")
                .cluster(lab.config(controlPlane), lab.out::warn)
                .kubernetesVersion();
    }

    @ParameterizedTest
    @CsvSource({"v1.35.6, false", "v1.36.0, true", "v1.37.0, true"})
    void aVersionThatIsServedIsJoined(String version, boolean controlPlane) {
        assertEquals(version, join(version, controlPlane));
    }

    @Test
    void aControlPlaneOfAVersionThatIsOnlyReadIsNotJoined() {
        UsageException refused = assertThrows(UsageException.class, () -> join("v1.35.6", true));
        assertEquals("kubernetesVersion v1.35.6 cannot be used", refused.what());
        assertEquals(
                "the oldest control plane that can be deployed is v1.36.0; clusters are maintained from v1.35.0 on",
                refused.why());
    }

    @Test
    void aVersionThatIsNotReadEitherIsRefusedForWorkersToo() {
        assertThrows(UsageException.class, () -> join("v1.34.9", false));
    }
}
