package io.kjadm.core.upgrade.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.upgrade.StoredConfiguration;

import org.junit.jupiter.api.Test;

class StoredConfigurationTest {

    private final UpgradeLab lab = new UpgradeLab();

    @Test
    void aControlPlaneReadsAllOfIt() {
        assertTrue(lab.stored().kubeProxy().isPresent());
    }

    @Test
    void aWorkerMayNotReadKubeProxysAndGoesOnWithoutIt() {
        lab.api.answering(2).failing(1, Kind.FORBIDDEN);

        StoredConfiguration stored = lab.stored();

        assertTrue(stored.kubeProxy().isEmpty());
        assertEquals("v1.36.2", stored.cluster().kubernetesVersion());
    }

    @Test
    void anApiServerThatHasJustStartedIsAskedAgain() {
        lab.api.failing(2, Kind.FORBIDDEN);

        assertEquals("v1.36.2", lab.stored().cluster().kubernetesVersion());
    }
}
