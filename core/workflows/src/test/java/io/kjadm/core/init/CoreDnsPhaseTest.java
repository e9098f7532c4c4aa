package io.kjadm.core.init;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.PhaseFailure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

/** What becomes of a name service that is there. */
class CoreDnsPhaseTest {

    private static final String CONFIG = InitLab.CP_1 + """
            encryptionAlgorithm: ECDSA-P256
            """;
    private static final String OWN = """
            .:53 {
                errors
                kubernetes cluster.local
                forward . /etc/resolv.conf
            }
            example.org:53 {
                forward . 192.0.2.53
            }
            """;
    private static final String FORMER = """
            .:53 {
                errors
                health
                kubernetes cluster.local in-addr.arpa ip6.arpa {
                    pods insecure
                    upstream
                    fallthrough in-addr.arpa ip6.arpa
                }
                prometheus :9153
                proxy . /etc/resolv.conf
                cache 30
                loop
                reload
                loadbalance
            }
            """;

    private final InitLab lab = new InitLab();
    private final LoadedInit loaded = InitLab.load(CONFIG);

    CoreDnsPhaseTest() {
        lab.phases(lab.start(loaded, false), "certs", "kubeconfig", "addon/coredns");
    }

    private void phase() {
        lab.phases(lab.start(loaded, false), "addon/coredns");
    }

    private ConfigMap map() {
        return lab.api.get(ConfigMap.class, "kube-system", "coredns").orElseThrow();
    }

    private Deployment deployment() {
        return lab.api.get(Deployment.class, "kube-system", "coredns").orElseThrow();
    }

    private String image() {
        return deployment()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage();
    }

    private void found(String corefile, String image) {
        lab.api.replace(new ConfigMapBuilder(map())
                .withData(Map.of("Corefile", corefile, "notes", "mine"))
                .build());
        Deployment running = deployment();
        running.getSpec().setReplicas(3);
        running.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage(image);
        lab.api.replace(running);
    }

    @Test
    void aNewClusterGetsTheDefault() {
        assertHasLine(
                "kubernetes cluster.local in-addr.arpa ip6.arpa {",
                map().getData().get("Corefile"));
    }

    @Test
    void aCorefileThatSomebodyChangedIsKept() {
        found(OWN, "registry.example/coredns:v1.12.1");
        ConfigMap before = map();
        phase();
        assertEquals(before, map());
        assertTrue(image().endsWith(":v1.14.6"), image());
        assertEquals(3, deployment().getSpec().getReplicas());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n", FORMER})
    void oneThatIsEmptyOrAnOldDefaultIsReplaced(String corefile) {
        found(corefile, "registry.example/coredns:v1.3.1");
        phase();
        assertHasLine("max_concurrent 1000", map().getData().get("Corefile"));
        assertTrue(image().endsWith(":v1.14.6"), image());
    }

    @Test
    void whatCoreDnsHasLostIsNamedAndTheOldOneRunsOn() {
        found(OWN.replace("forward . 192", "proxy . 192"), "registry.example/coredns:v1.3.1");
        lab.api.delete(Service.class, "kube-system", "kube-dns");
        ConfigMap before = map();
        phase();
        assertEquals(before, map());
        assertTrue(image().endsWith(":v1.3.1"), image());
        assertEquals(1, lab.out.warnings().size(), lab.out.text());
        assertTrue(
                lab.api.get(Service.class, "kube-system", "kube-dns").isPresent(),
                "everything else is repaired");
    }

    @Test
    void aPluginOfThatNameInANewerBuildIsTheOperatorsOwn() {
        for (String image : List.of("v1.13.1", "v1.3.1-mine")) {
            found(OWN.replace("forward . 192", "proxy . 192"), "registry.example/coredns:" + image);
            phase();
            assertTrue(image().endsWith(":v1.14.6"), image());
            assertEquals(List.of(), lab.out.warnings());
        }
    }

    @Test
    void aNewerReleaseIsNotReplacedByAnOlderOne() {
        found(OWN, "registry.example/coredns:v1.99.0");
        PhaseFailure failure = assertThrows(PhaseFailure.class, this::phase);
        ClusterException refused = assertInstanceOf(ClusterException.class, failure.getCause());
        assertEquals("CoreDNS 1.99.0 runs in the cluster", refused.what());
        assertTrue(image().endsWith(":v1.99.0"), image());
    }

    @Test
    void aConfigMapWithoutACorefileIsFilled() {
        lab.api.replace(new ConfigMapBuilder(map()).withData(null).build());
        phase();
        assertHasLine(
                "kubernetes cluster.local in-addr.arpa ip6.arpa {",
                map().getData().get("Corefile"));
    }
}
