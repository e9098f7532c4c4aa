package io.kjadm.core.etcd.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What the API server adds, and how little depends on it. */
class ApiClusterLookupTest {

    private static final Path ADMIN = Path.of("/etc/kubernetes/admin.conf");

    private final MemoryFiles files = new MemoryFiles().with(ADMIN.toString(), """
            apiVersion: v1
            kind: Config
            current-context: c
            contexts: [{name: c, context: {cluster: k, user: u}}]
            clusters: [{name: k, cluster: {server: "https://10.0.0.1:6443"}}]
            users: [{name: u, user: {token: t}}]
            """);

    @Test
    void theApiServerIsAskedForTheLeaseAndTheEndpoints() {
        KubeApi api = new MemoryKubeApi()
                .with(new LeaseBuilder()
                        .withNewMetadata()
                        .withNamespace(LockRecord.NAMESPACE)
                        .withName(LockRecord.NAME)
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity("cp-4_run")
                        .endSpec()
                        .build());
        ApiClusterLookup hints = hints(ADMIN, access -> api);
        assertEquals(
                "cp-4_run",
                assertInstanceOf(MembershipLeaseStatus.Held.class, hints.lock()).holder());
        assertEquals(List.of(), hints.endpoints());
    }

    @Test
    void anApiServerThatIsDownIsNoObstacle() {
        KubeApi api = new MemoryKubeApi().down(Kind.UNREACHABLE);
        ApiClusterLookup down = hints(ADMIN, access -> api);
        assertEquals(new MembershipLeaseStatus.Unknown("made to be UNREACHABLE"), down.lock());
        assertEquals(List.of(), down.endpoints());
    }

    @Test
    void withoutAUsableKubeconfigNobodyIsAsked() {
        Path none = Path.of("/none.conf");
        assertEquals(
                new MembershipLeaseStatus.Unknown("there is no /none.conf"),
                hints(none, access -> new MemoryKubeApi()).lock());
        Path broken = Path.of("/broken.conf");
        files.with(broken.toString(), "{");
        MembershipLeaseStatus lock =
                hints(broken, access -> new MemoryKubeApi()).lock();
        assertEquals(
                Set.of("/broken.conf"),
                Named.files(assertInstanceOf(MembershipLeaseStatus.Unknown.class, lock)
                        .why()));
    }

    @Test
    void anApiServerThatIsSilentIsGivenUp() throws InterruptedException {
        var silent = new SilentServer();
        assertEquals(
                new MembershipLeaseStatus.Unknown("the API server did not answer within 3 s"),
                hints(ADMIN, silent).lock());
        assertTrue(silent.isGivenUp());
    }

    @Test
    void whoIsInterruptedGivesUpAndStaysInterrupted() throws InterruptedException {
        var silent = new SilentServer();
        Thread.currentThread().interrupt();
        MembershipLeaseStatus lock = hints(ADMIN, silent).lock();
        boolean interrupted = Thread.interrupted();
        assertEquals(new MembershipLeaseStatus.Unknown("interrupted"), lock);
        assertTrue(interrupted);
        assertTrue(silent.isGivenUp());
    }

    private ApiClusterLookup hints(Path kubeconfig, KubeConnector connector) {
        return new ApiClusterLookup(
                files, new KubeClients(files, connector), kubeconfig, new VirtualWaiter());
    }

    /** Takes a connection and says nothing until the caller gives up. */
    private static final class SilentServer implements KubeConnector {

        private final CountDownLatch never = new CountDownLatch(1);
        private final CountDownLatch givenUp = new CountDownLatch(1);

        @Override
        public KubeApi connect(KubeAccess access) {
            try {
                never.await();
                throw new IllegalStateException("it never answers");
            } catch (InterruptedException e) {
                givenUp.countDown();
                throw new KubeApiException(Kind.UNREACHABLE, "given up", e);
            }
        }

        boolean isGivenUp() throws InterruptedException {
            return givenUp.await(1, TimeUnit.MINUTES);
        }
    }
}
