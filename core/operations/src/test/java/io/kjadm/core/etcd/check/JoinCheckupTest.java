package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.CheckFacts;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;

/** What is gathered where something is missing, and what is told when nobody is trusted. */
class JoinCheckupTest {

    private static final JoiningNode NODE = new JoiningNode(
            KubernetesPaths.CERTIFICATES_DIR,
            InetAddress.ofLiteral("192.0.2.12"),
            Path.of("/var/lib/etcd"));
    private static final URI ONE = URI.create("https://cp-1:2379");
    private static final URI TWO = URI.create("https://cp-2:2379");
    private static final PeerContact.Untrusted UNTRUSTED =
            new PeerContact.Untrusted("no chain", "CA b", "CA a");

    private final MemoryFiles files = new MemoryFiles();
    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.13");
    private final JoinProbes good = new LabProbes().ports(() -> etcd);

    private void certificates() {
        for (String name : List.of("ca.crt", "peer.crt", "peer.key")) {
            files.with("/etc/kubernetes/pki/etcd/" + name, "not looked at here");
        }
    }

    private JoinCheckup checkup(JoinProbes probes) {
        return new JoinCheckup(probes, files, new VirtualWaiter());
    }

    private Optional<PeerContact.Untrusted> distrust(PeerDialer dialer) {
        return checkup(new JoinProbes(good.etcd(), dialer, good.serverClock(), good.disk()))
                .distrust(EtcdAccess.plain(List.of(ONE, TWO)), NODE);
    }

    @Test
    void roomThatIsNotToldIsUnknownAndNobodyIsCalledWithoutCertificates() {
        DiskProbe broken = new DiskProbe() {
            @Override
            public long freeBytes(Path directory) throws IOException {
                throw new IOException("input/output error");
            }

            @Override
            public Optional<Duration> syncTime(Path directory) {
                return Optional.empty();
            }
        };
        var candidate = new Candidate(
                new NewMember("cp-9", SimulatedCluster.peerUrl("cp-9")),
                Optional.of(EtcdVersion.parse("3.6.13")),
                true,
                RejoinOptions.NONE);
        CheckFacts facts = checkup(
                        new JoinProbes(good.etcd(), good.peers(), good.serverClock(), broken))
                .gather(EtcdAccess.plain(List.of(ONE)), candidate, NODE);
        assertEquals(OptionalLong.empty(), facts.data().freeBytes());
        assertEquals(Map.of(), facts.contacts());
        assertEquals(etcd.members(), facts.cluster().health().members());
    }

    @Test
    void whoIsNotTrustedIsToldWithoutWaitingForWhoIsSilent() {
        certificates();
        var never = new CountDownLatch(1);
        assertEquals(Optional.of(UNTRUSTED), distrust((url, source, credentials) -> {
            if (url.equals(TWO)) {
                return UNTRUSTED;
            }
            try {
                never.await();
            } catch (InterruptedException e) {
                // nobody waits for this call any more
            }
            return new PeerContact.Unreachable("the program was asked to stop");
        }));
    }

    @Test
    void whereEverybodyIsTrustedNobodyIsTold() {
        certificates();
        assertEquals(
                Optional.empty(),
                distrust((url, source, credentials) -> url.equals(ONE)
                        ? new PeerContact.Refused("bad certificate")
                        : new PeerContact.Unreachable("connect timed out")));
    }

    @Test
    void withoutCertificatesNobodyIsDistrusted() {
        assertEquals(Optional.empty(), distrust((url, source, credentials) -> UNTRUSTED));
    }

    @Test
    void whoIsToldToStopDoesNotLookForDistrust() {
        certificates();
        Thread.currentThread().interrupt();
        assertThrows(
                IllegalStateException.class,
                () -> distrust((url, source, credentials) -> UNTRUSTED));
        assertTrue(Thread.interrupted(), "the interrupt was lost");
    }
}
