package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.config.UpgradeConfiguration.NodeUpgrade;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.upgrade.check.UpgradeLab;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

/** Which versions {@code upgrade apply} and {@code upgrade node} go to. */
class UpgradeRunLoaderTest {

    private static final Path ADMIN_CONF = Path.of("/etc/kubernetes/admin.conf");

    private final UpgradeLab lab = new UpgradeLab();

    private UpgradeRunLoader loader() {
        return new UpgradeRunLoader(
                lab.init.files,
                lab.clients(lab.init.files),
                lab.waiter,
                lab.waiter,
                Failpoints.none(),
                lab.out);
    }

    private UpgradeRun apply(String version) {
        NodeUpgrade usual = UpgradeConfiguration.defaults().apply().node();
        return loader().apply(ChosenUpgrade.to(version, usual), ADMIN_CONF, label -> label);
    }

    private void stores(String version) {
        lab.api.patch(ConfigMap.class, "kube-system", "kubeadm-config", map -> {
            map.getData()
                    .computeIfPresent(
                            "ClusterConfiguration",
                            (key, text) -> text.replaceFirst(
                                    "kubernetesVersion: \\S+", "kubernetesVersion: " + version));
            return map;
        });
    }

    @Test
    void applyRefusesATargetThatIsOnlyRead() {
        UsageException refused = assertThrows(UsageException.class, () -> apply("v1.35.6"));
        assertEquals("kubernetesVersion v1.35.6 cannot be used", refused.what());
        assertEquals(List.of(), lab.api.writes());
    }

    @Test
    void nodeRefusesAClusterThatIsOnlyRead() {
        stores("v1.35.6");
        UsageException refused = assertThrows(
                UsageException.class,
                () -> loader().node(UpgradeConfiguration.defaults(), ADMIN_CONF));
        assertEquals(
                "the oldest control plane that can be deployed is v1.36.0; clusters are maintained from v1.35.0 on",
                refused.why());
    }

    @Test
    void applyTakesAClusterOfThatVersionFurther() {
        stores("v1.35.6");
        assertEquals("v1.36.2", apply("v1.36.2").stored().cluster().kubernetesVersion());
    }

    @Test
    void nodeGoesToWhatIsStored() {
        assertEquals(
                "v1.36.2",
                loader().node(UpgradeConfiguration.defaults(), ADMIN_CONF)
                        .stored()
                        .cluster()
                        .kubernetesVersion());
    }
}
