package io.kjadm.core.kube;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.LoggingProxy;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.pki.CertificateAuthority;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** API servers that are reached through a proxy. */
class ProxiedApiTest {

    private static final CertificateAuthority CA = LoopbackServer.authority("kubernetes");
    private static final URI SERVER = URI.create("https://api.example:6443");

    private LoopbackServer server;
    private LoggingProxy proxy;

    @BeforeEach
    void serve() throws Exception {
        server = LoopbackServer.tls(CA, "api.example").answering("/", 200, "ok");
        proxy = new LoggingProxy(server);
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        server.close();
    }

    private static KubeAccess access() {
        return new KubeAccess(
                SERVER, new ServerTrust.Pinned(CA.certificatePem()), new Credential.Token("t"));
    }

    private static String ask(KubeAccess access, Map<String, String> environment) {
        try (KubeApi api = new Fabric8Connector(environment, warning -> {}).connect(access)) {
            return api.raw("/healthz");
        }
    }

    @Test
    void theProxyOfTheEnvironmentIsUsed() {
        assertEquals("ok", ask(access(), Map.of("HTTPS_PROXY", "me:pw@" + proxy.address())));
        String head = proxy.heads().getFirst();
        assertTrue(head.startsWith("CONNECT api.example:6443 "), head);
        assertHasLine("Proxy-Authorization: Basic bWU6cHc=", head);
        assertEquals(List.of("Bearer t"), server.authorizations());
    }

    @Test
    void anExemptedServerIsAskedDirectly() {
        assertThrows(
                KubeApiException.class,
                () -> ask(
                        access(), Map.of("HTTPS_PROXY", proxy.address(), "no_proxy", ".example")));
        assertEquals(List.of(), proxy.heads());
    }

    @Test
    void aProxyThatCannotBeUsedIsToldOf() {
        HostException refused = assertThrows(
                HostException.class, () -> ask(access(), Map.of("HTTPS_PROXY", "socks5://proxy")));
        assertEquals("a proxy with scheme socks5 is not supported, only http", refused.why());
    }

    @Test
    void theProxyOfTheKubeconfigCountsBeforeTheEnvironments() {
        KubeAccess access = new KubeAccess(
                SERVER,
                access().trust(),
                access().credential(),
                Optional.empty(),
                Optional.of("http://" + proxy.address()));
        assertEquals(
                "ok", ask(access, Map.of("HTTPS_PROXY", "http://127.0.0.1:1", "NO_PROXY", "*")));
        assertEquals(1, proxy.heads().size());
    }
}
