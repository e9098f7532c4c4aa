package io.kjadm.core.etcd.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How etcd is found from a node's files. */
class EtcdSessionOriginTest {

    private static final URI ONE = URI.create("https://cp-1:2379");
    private static final URI TWO = URI.create("https://cp-2:2379");
    private static final URI THREE = URI.create("https://cp-3:2379");

    private final OpsLab lab = new OpsLab(3);

    @Test
    void theManifestTellsWhereEtcdIs() {
        assertEquals(3, lab.onControlPlane().open().survey().health().members().size());
        assertEquals(List.of(ONE, TWO), lab.accesses.getFirst().endpoints());
        assertFalse(lab.accesses.getFirst().keyPem().isEmpty());
    }

    @Test
    void aJoinThatDiedBeforeItsManifestWasWrittenHasNotedWhomToAsk() {
        List<Member> before = lab.etcd.members();
        lab.noteAdded(lab.learner("cp-4"), before);
        assertEquals(4, lab.open().survey().health().members().size());
        assertTrue(lab.accesses.getFirst().endpoints().containsAll(List.of(ONE, TWO, THREE)));
    }

    @Test
    void withThisNodesEtcdDownTheOthersAreAsked() {
        lab.etcd.stop(lab.etcd.id("cp-1"));
        assertEquals(2, lab.onControlPlane().open().survey().health().healthyVoters());
    }

    @Test
    void endpointsOfTheOperatorTakeThePlaceOfTheManifest() {
        lab.onControlPlane().open("https://cp-3:2379");
        assertEquals(List.of(THREE), lab.accesses.getFirst().endpoints());
    }

    @Test
    void theApiServerNamesMembersThatTheFilesDoNotKnow() {
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.etcd.stop(lab.etcd.id("cp-2"));
        lab.hinted.addAll(List.of(TWO, THREE));
        EtcdSession session = lab.onControlPlane().open();
        assertEquals(3, session.survey().health().members().size());
        assertEquals(List.of(THREE), lab.accesses.getLast().endpoints());
        // from then on it is known where somebody answers
        session.survey();
        assertEquals(2, lab.accesses.size());
    }

    @Test
    void whereNobodyAnswersEachEndpointIsNamedWithItsReason() {
        List.of("cp-1", "cp-2", "cp-3").forEach(name -> lab.etcd.stop(lab.etcd.id(name)));
        lab.hinted.add(THREE);
        EtcdSession session = lab.onControlPlane().open();
        ClusterException failure = assertThrows(ClusterException.class, session::survey);
        assertEquals(
                "https://cp-1:2379: Connection refused; https://cp-2:2379: Connection refused; "
                        + "https://cp-3:2379: Connection refused",
                failure.why());
        assertEquals(Set.of("--endpoints", "--name"), Named.flags(failure.next()));
    }

    @Test
    void endpointsOfTheOperatorAreNotReplacedByOthers() {
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.hinted.add(TWO);
        EtcdSession session = lab.onControlPlane().open("https://cp-1:2379");
        assertThrows(ClusterException.class, session::survey);
    }

    @Test
    void aNodeWithoutEtcdSaysSo() {
        HostException failure = assertThrows(HostException.class, lab::open);
        assertEquals("no etcd member is known on this node", failure.what());
        assertEquals(Set.of("/etc/kubernetes/manifests/etcd.yaml"), Named.files(failure.why()));
    }

    @Test
    void anExternalEtcdIsSomebodyElses() {
        lab.files.with("/etc/kubernetes/manifests/kube-apiserver.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: kube-apiserver}
                spec:
                  containers:
                  - name: kube-apiserver
                    command: [kube-apiserver, "--etcd-servers=https://etcd.example:2379"]
                """);
        assertEquals(
                Optional.of(CommonReason.EXTERNAL_ETCD),
                assertThrows(HostException.class, lab::open).reason());
        assertEquals(
                3, lab.open("https://cp-1:2379").survey().health().members().size());
    }

    @Test
    void plainEndpointsNeedNoCertificates() {
        lab.files.delete(Path.of("/etc/kubernetes/pki/etcd/ca.crt"));
        lab.open("http://127.0.0.1:2379");
        assertEquals("", lab.accesses.getFirst().caPem());
        HostException missing =
                assertThrows(HostException.class, () -> lab.open("https://127.0.0.1:2379"));
        assertEquals(
                Set.of("/etc/kubernetes/pki/etcd/ca.crt"),
                Named.files(missing.what()),
                missing.what());
    }

    @Test
    void theCertificatesDirectoryOfTheOperatorCounts() {
        HostException missing = assertThrows(
                HostException.class,
                () -> lab.onControlPlane()
                        .open(
                                new EtcdTarget(List.of(), Optional.of(Path.of("/elsewhere"))),
                                lab.connector()));
        assertEquals("the file /elsewhere/etcd/ca.crt is missing", missing.what());
    }

    @Test
    void credentialsThatCannotBeUsedAreNamed() {
        EtcdTarget target = EtcdTarget.of(List.of("http://a:1"), Optional.empty());
        String fault = "not a key";
        assertTrue(assertThrows(
                        HostException.class,
                        () -> lab.open(target, access -> {
                            throw EtcdCallException.refused(
                                    RpcKind.READ, RpcCode.UNAUTHENTICATED, fault, "connection");
                        }))
                .why()
                .contains(fault));
    }

    @Test
    void anEndpointWithoutSchemeMeansHttps() {
        assertEquals(
                List.of(URI.create("https://10.0.0.1:2379"), URI.create("https://[fd00::1]:2379")),
                EtcdTarget.of(
                                List.of("10.0.0.1:2379", "[fd00::1]:2379", "https://10.0.0.1:2379"),
                                Optional.empty())
                        .endpoints());
    }

    @Test
    void aSlashAtTheEndIsNoPath() {
        URI typed = URI.create("https://10.0.0.1:2379/");
        assertEquals(
                List.of(typed),
                EtcdTarget.of(List.of(typed.toString()), Optional.empty()).endpoints());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ftp://cp-1:2379", "https://cp-1:2379/v3", "https://", "a b", "cp_1:x:y"})
    void whatIsNoEndpointIsRefused(String text) {
        assertThrows(UsageException.class, () -> EtcdTarget.of(List.of(text), Optional.empty()));
    }

    @Test
    void statusTellsALearnersOwner() {
        lab.onControlPlane().learner("cp-4");
        lab.lock = lab.held("cp-4/run-1", Duration.ofMinutes(3), true);
        EtcdStatus status = lab.open().status();
        assertEquals(
                "cp-4/run-1", status.members().getLast().owner().orElseThrow().who());
        assertEquals(
                SimulatedCluster.peerUrl("cp-4"),
                status.members().getLast().member().peerUrls().getFirst());
    }
}
