package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.pki.CertificateAuthority;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** As whom a kubeconfig's user asks. */
class KubeconfigCredentialsTest {

    private static final CertificateAuthority CA = LoopbackServer.authority("kubernetes");
    private static final String CONF = "/etc/some.conf";
    private static final String UNUSABLE_TOKEN = "the credentials in /etc/some.conf cannot be used:"
            + " the token is empty or has a character that is not allowed in a token,"
            + " such as a line break; correct token or tokenFile";

    private final MemoryFiles files = new MemoryFiles().with("/etc/ca.crt", CA.certificatePem());
    private LoopbackServer server;

    @BeforeEach
    void serve() throws Exception {
        server = LoopbackServer.tls(CA).answering("/", 200, "ok");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String authorizationOf(String user) {
        files.with(CONF, """
                current-context: a
                contexts: [{name: a, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "%s", certificate-authority: ca.crt}}]
                users: [{name: u, user: {%s}}]
                """.formatted(server.uri(), user));
        try (KubeClients clients =
                new KubeClients(files, new Fabric8Connector(Map.of(), warning -> {}))) {
            clients.of(Path.of(CONF)).raw("/");
            return server.authorizations().getLast();
        }
    }

    private HostException refused(String user) {
        HostException refused = assertThrows(HostException.class, () -> authorizationOf(user));
        assertEquals(List.of(), server.requests());
        return refused;
    }

    @Test
    void aPasswordIsSent() {
        assertEquals("Basic bWU6cGFzc8Okw58=", authorizationOf("username: me, password: passäß"));
    }

    @Test
    void aTokenFileCountsMoreThanAToken() {
        files.with("/etc/token", " from-file \n");
        assertEquals("Bearer from-file", authorizationOf("token: old, tokenFile: token"));
        assertEquals("Bearer old", authorizationOf("token: old"));
    }

    @Test
    void nobodyIsNobody() {
        assertEquals("null", authorizationOf(""));
    }

    @Test
    void aTokenAndAPasswordAreTooMany() {
        assertEquals(
                "there is a token and a password too",
                refused("token: t, username: me").why());
    }

    @Test
    void aRemovedProviderIsRefusedWithWhatToDo() {
        HostException refused = refused("auth-provider: {name: oidc, config: {}}");
        assertEquals(
                "auth-provider \"oidc\" is one of those that Kubernetes has removed",
                refused.why());
        assertEquals(
                "use a kubeconfig with a credential plugin (exec) of the same provider, or admin.conf",
                refused.next());
    }

    @Test
    void aCertificateWithoutAKeyIsRefused() {
        refused("client-certificate: ca.crt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3cret\\nX-Evil: 1", "s3cret\\u0000", "s3crét", "s3cret\\r"})
    void aTokenThatNoHeaderMayHaveIsRefusedAndNotShown(String token) {
        assertEquals(UNUSABLE_TOKEN, refused("token: \"%s\"".formatted(token)).getMessage());
    }

    @Test
    void aTokenFileThatHoldsSomethingElseIsNotShown() {
        files.with("/etc/shadow", "root:$6$hash:1::::::\ndaemon:*:1::::::\n");
        assertEquals(UNUSABLE_TOKEN, refused("tokenFile: /etc/shadow").getMessage());
        files.with("/etc/empty", "\n");
        assertEquals(UNUSABLE_TOKEN, refused("tokenFile: empty").getMessage());
    }
}
