package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.TokenDiscovery;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.DetachedJws;
import io.kjadm.manifests.KubeconfigCluster;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who answers is trusted only if it knows the token's secret and shows the pinned CA, twice the
 * same.
 */
class TokenDiscoveryTest {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final JoinLab lab = new JoinLab();
    private final List<KubeAccess> accesses = new ArrayList<>();
    private MemoryKubeApi verified = lab.api;

    private TokenDiscovery way(String token, boolean unsafe, String... pins) {
        return new TokenDiscovery(
                token,
                lab.cluster.node().cluster().controlPlaneEndpoint().orElseThrow(),
                List.of(pins),
                unsafe,
                Optional.empty());
    }

    private KubeconfigCluster discover(TokenDiscovery way) {
        KubeClients clients = new KubeClients(lab.files, access -> {
            accesses.add(access);
            return access.pinnedCa().isPresent() ? verified : lab.api;
        });
        return new TokenDiscoverer(clients, lab.waiter, LIMIT, lab.out).discover(way);
    }

    private ClusterException refused(TokenDiscovery way) {
        return assertThrows(ClusterException.class, () -> discover(way));
    }

    @Test
    void theRightTokenAndPinFindTheCluster() {
        KubeconfigCluster found = discover(way(JoinLab.TOKEN, false, lab.pin()));
        assertEquals("https://cluster.example:6443", found.server());
        assertEquals(
                Optional.of(lab.first.files.text("/etc/kubernetes/pki/ca.crt")), found.caPem());
        assertEquals(2, accesses.size());
        assertEquals(new ServerTrust.FirstLook(), accesses.getFirst().trust());
        assertTrue(
                accesses.stream()
                        .allMatch(access ->
                                access.credential() instanceof KubeAccess.Credential.Anonymous),
                "the token is not shown to anybody");
    }

    @Test
    void aSignatureWithAnotherSecretIsRefused() {
        ClusterException refused = refused(way("abcdef.aaaaaaaaaaaaaaaa", false, lab.pin()));
        assertEquals("its signature does not match the token", refused.why());
    }

    @Test
    void aChangedKubeconfigDoesNotFitItsSignature() {
        lab.changeClusterInfo(data -> data.computeIfPresent(
                ConfigurationMaps.CLUSTER_INFO_KEY,
                (key, text) -> text.replace("cluster.example", "evil.example")));
        assertEquals(
                "its signature does not match the token",
                refused(way(JoinLab.TOKEN, false, lab.pin())).why());
    }

    @Test
    void withoutASignatureByThatTokenItWaitsAndGivesUp() {
        ClusterException refused = refused(way("ghijkl.0123456789abcdef", false, lab.pin()));
        assertEquals(
                "the last answer was: cluster-info is not signed with token \"ghijkl\" (yet): it may have expired",
                refused.why());
        assertTrue(lab.waiter.elapsed().compareTo(LIMIT) >= 0);
    }

    @Test
    void aSignatureThatComesLaterIsWaitedFor() {
        lab.waiter.after(Duration.ofSeconds(20), () -> lab.sign("ghijkl.0123456789abcdef"));
        discover(way("ghijkl.0123456789abcdef", false, lab.pin()));
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofMinutes(1)) < 0);
    }

    @Test
    void anotherPinIsRefused() {
        ClusterException refused = refused(way(JoinLab.TOKEN, false, "sha256:" + "0".repeat(64)));
        assertEquals("no certificate of its CA has a public key that was pinned", refused.why());
        assertEquals(1, accesses.size());
    }

    @Test
    void oneOfSeveralPinsIsEnough() {
        discover(way(JoinLab.TOKEN, false, "sha256:" + "0".repeat(64), lab.pin()));
    }

    @Test
    void anotherAnswerOverVerifiedTlsIsRefused() {
        JoinLab other = new JoinLab("clusterName: other\n");
        verified = other.api;
        ClusterException refused = refused(way(JoinLab.TOKEN, false, lab.pin()));
        assertEquals("the answer over verified TLS is a different one", refused.why());
    }

    @Test
    void aServerThatTheCaDoesNotKnowIsRefusedAfterSomeSeconds() {
        verified = new MemoryKubeApi().down(Kind.UNTRUSTED);
        refused(way(JoinLab.TOKEN, false, lab.pin()));
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofSeconds(6)) < 0,
                lab.waiter.elapsed().toString());
    }

    /** Behind a balancer. */
    @Test
    void theServerOfAFormerClusterIsWaitedOut() {
        lab.api.answering(1).failing(3, Kind.UNTRUSTED);
        discover(way(JoinLab.TOKEN, false, lab.pin()));
    }

    @Test
    void aServerOfAnotherTimeIsRefusedWithAWordAboutClocks() {
        verified = new MemoryKubeApi().down(Kind.UNTIMELY);
        assertEquals(
                "compare the clocks of this machine and of the server; if they agree, renew the server's certificate",
                refused(way(JoinLab.TOKEN, false, lab.pin())).next());
    }

    @Test
    void aServerThatIsNotThereYetIsWaitedFor() {
        lab.api.failing(30, Kind.UNREACHABLE);
        discover(way(JoinLab.TOKEN, false, lab.pin()));
    }

    @Test
    void withoutPinsOnlyTheSignatureCounts() {
        discover(way(JoinLab.TOKEN, true));
        assertEquals(1, accesses.size());
    }

    @Test
    void aPinThatIsGivenCountsEvenIfVerificationWasCalledUnnecessary() {
        refused(way(JoinLab.TOKEN, true, "sha256:" + "0".repeat(64)));
    }

    @Test
    void aClusterInfoWithoutACaIsRefused() {
        lab.changeClusterInfo(data -> {
            String text = data.get(ConfigurationMaps.CLUSTER_INFO_KEY)
                    .replaceAll("(?m)^ *certificate-authority-data:.*\n", "");
            data.put(ConfigurationMaps.CLUSTER_INFO_KEY, text);
            data.put(
                    DetachedJws.dataKey("abcdef"),
                    DetachedJws.sign("abcdef", "0123456789abcdef", text));
        });
        assertEquals(
                "it names no CA", refused(way(JoinLab.TOKEN, false, lab.pin())).why());
        assertEquals("it names no CA", refused(way(JoinLab.TOKEN, true)).why());
    }

    @Test
    void whatElseClusterInfoSaysDoesNotCount() {
        lab.changeClusterInfo(data -> {
            String text = data.get(ConfigurationMaps.CLUSTER_INFO_KEY)
                    .replaceAll("(?m)^( *)server:", "$1proxy-url: http://evil.example\n$1server:");
            data.put(ConfigurationMaps.CLUSTER_INFO_KEY, text);
            data.put(
                    DetachedJws.dataKey("abcdef"),
                    DetachedJws.sign("abcdef", "0123456789abcdef", text));
        });
        assertEquals(Optional.empty(), discover(way(JoinLab.TOKEN, true)).proxyUrl());
    }

    @Test
    void malformedTokensAndPinsAreRefusedBeforeAnybodyIsAsked() {
        assertThrows(UsageException.class, () -> discover(way("abc.def", false, lab.pin())));
        assertThrows(UsageException.class, () -> discover(way(JoinLab.TOKEN, false, "md5:00")));
        assertEquals(List.of(), accesses);
    }
}
