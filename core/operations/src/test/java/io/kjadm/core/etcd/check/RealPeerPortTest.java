package io.kjadm.core.etcd.check;

import static io.kjadm.core.etcd.check.RealEtcd.LOCAL;
import static io.kjadm.core.etcd.check.RealEtcd.NOW;
import static io.kjadm.core.etcd.check.RealEtcd.credentials;
import static io.kjadm.core.etcd.check.RealEtcd.today;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.check.PeerContact;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** The peer ports of real members. */
class RealPeerPortTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    static List<Path> binaries() throws IOException {
        return RealEtcd.binaries();
    }

    private static PeerContact call(URI peer, PeerCredentials credentials) {
        return new TlsPeerDialer(InstantSource.system()).call(peer, LOCAL, credentials);
    }

    private static PeerContact answerOnceItRuns(URI peer, PeerCredentials credentials)
            throws InterruptedException {
        Instant end = Instant.now().plus(LIMIT);
        PeerContact contact = call(peer, credentials);
        while (!(contact instanceof PeerContact.Answered) && Instant.now().isBefore(end)) {
            Thread.sleep(50);
            contact = call(peer, credentials);
        }
        return contact;
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void etcdTakesAGoodCertificateAndNoOther(Path binary) throws Exception {
        try (RealEtcd etcd = new RealEtcd(folder).start(binary, "cp-1")) {
            URI peer = etcd.peer("cp-1");
            var answered = assertInstanceOf(
                    PeerContact.Answered.class, answerOnceItRuns(peer, etcd.credentials()));
            assertEquals(Optional.of(Duration.ZERO), answered.clockAhead());
            refused(peer, credentials(etcd.ca(), CertificateSet.ETCD_PEER, "192.0.2.99", today()));
            refused(peer, credentials(etcd.ca(), CertificateSet.API_SERVER, "127.0.0.1", today()));
            refused(
                    peer,
                    credentials(
                            etcd.ca(),
                            CertificateSet.ETCD_PEER,
                            "127.0.0.1",
                            new Validity(
                                    NOW.minus(Duration.ofDays(2)), NOW.minus(Duration.ofDays(1)))));
            PeerCredentials foreign = credentials(
                    RealEtcd.authority(), CertificateSet.ETCD_PEER, "127.0.0.1", today());
            var untrusted = assertInstanceOf(PeerContact.Untrusted.class, call(peer, foreign));
            assertTrue(
                    untrusted.theirs().contains(etcd.ca().info().keyId().orElseThrow()),
                    untrusted.theirs());
        }
    }

    private static void refused(URI peer, PeerCredentials credentials) {
        assertInstanceOf(PeerContact.Refused.class, call(peer, credentials));
    }
}
