package io.kjadm.core.certs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.CertificateProbe.Answer;
import io.kjadm.core.etcd.ca.Expirations.Served;
import io.kjadm.core.etcd.ca.TlsCertificateProbe;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.net.LoopbackServer;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;

class TlsCertificateProbeTest {

    private final CertificateProbe probe = new TlsCertificateProbe();

    @Test
    void whateverAServerShowsIsSeen() throws Exception {
        try (LoopbackServer server =
                LoopbackServer.tls(LoopbackServer.authority("unknown"), "another.name")) {
            Answer.Shown shown = assertInstanceOf(Answer.Shown.class, probe.look(server.uri()));
            assertEquals(List.of("another.name"), shown.certificate().names().dnsNames());
        }
    }

    @Test
    void whoDoesNotSpeakTlsShowsNothing() throws IOException {
        try (LoopbackServer server = LoopbackServer.plain()) {
            assertInstanceOf(
                    Answer.Unseen.class,
                    probe.look(URI.create("https://" + server.uri().getAuthority())));
        }
    }

    @Test
    void nobodyShowsNothing() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertInstanceOf(Answer.Unseen.class, probe.look(URI.create("https://127.0.0.1:" + port)));
    }

    @Test
    void withoutAnApiServerTheManifestTellsWhomToAsk() {
        RestartLab lab = new RestartLab(1);
        List<Served> served = new ControlPlaneServers(
                        url -> new Answer.Unseen(url.toString()), lab.certs.out)
                .look(
                        () -> new MemoryKubeApi().down(Kind.UNREACHABLE),
                        LocalEtcdState.look(lab.certs.files, lab.certs.node().paths()));
        assertEquals(
                List.of("kube-apiserver cp-1:6443", "etcd cp-1:2380"),
                served.stream().map(one -> one.component() + " " + one.server()).toList());
    }
}
