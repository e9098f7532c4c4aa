package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;

class OldApiVersionTest {

    private static final String FILE = """
            apiVersion: kubeadm.k8s.io/%s
            kind: ClusterConfiguration
            ---
            apiVersion: kubelet.config.k8s.io/v1beta1
            kind: KubeletConfiguration
            """;

    @Test
    void theOldVersionIsRefusedInKubeadmsWords() {
        ConfigurationFile file = ConfigurationFile.of("old.yaml", FILE.formatted("v1beta3"));
        UsageException refused = assertThrows(UsageException.class, file::withoutV1Beta3);
        assertTrue(
                refused.what()
                        .contains(
                                "uses an old API spec: \"kubeadm.k8s.io/v1beta3\" (kind: \"ClusterConfiguration\")"),
                refused.what());
    }

    @Test
    void theCurrentOneIsNot() {
        ConfigurationFile file = ConfigurationFile.of("new.yaml", FILE.formatted("v1beta4"));
        assertSame(file, file.withoutV1Beta3());
    }
}
