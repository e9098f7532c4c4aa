package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

final class KubeconfigTest {

    private static final String ADMIN = """
            apiVersion: v1
            clusters:
            - cluster:
                certificate-authority-data: Q0E=
                server: https://192.0.2.10:6443
              name: kubernetes
            contexts:
            - context:
                cluster: kubernetes
                user: kubernetes-admin
              name: kubernetes-admin@kubernetes
            current-context: kubernetes-admin@kubernetes
            kind: Config
            users:
            - name: kubernetes-admin
              user:
                client-certificate-data: Q0VSVA==
                client-key-data: S0VZ
            """;

    /** As others write them: more than one context, unknown fields, folded base64. */
    private static final String FOREIGN = """
            apiVersion: v1
            kind: Config
            preferences: {colors: true}
            current-context: b
            clusters:
            - {name: one, cluster: {server: "https://one:6443", proxy-url: "http://p"}}
            - name: two
              cluster:
                server: https://two:6443
                tls-server-name: two.example.test
                certificate-authority: /ca.crt
            contexts:
            - {name: a, context: {cluster: one, user: u1}}
            - {name: b, context: {cluster: two, user: u2, namespace: x}}
            users:
            - {name: u1, user: {token: abc}}
            - name: u2
              user:
                client-certificate-data: |
                  Q0VS
                  VA==
                client-key: /key.pem
            """;

    @Test
    void aNewOneIsWrittenAsAgreed() {
        assertEquals(ADMIN, admin().render());
        assertEquals(admin(), Kubeconfig.parse(ADMIN));
    }

    @Test
    void theCurrentContextIsWhatCounts() {
        Kubeconfig foreign = Kubeconfig.parse(FOREIGN);
        assertEquals("https://two:6443", foreign.cluster().server());
        assertEquals(Optional.of(Path.of("/ca.crt")), foreign.cluster().caFile());
        assertEquals(Optional.of("CERT"), foreign.user().certificatePem());
        assertEquals(Optional.of(Path.of("/key.pem")), foreign.user().keyFile());
        assertEquals("u2", foreign.userName());
    }

    @Test
    void credentialsBecomeFilesAndNothingIsLeftOfTheOldOnes() {
        Path pem = Path.of("/var/lib/kubelet/pki/kubelet-client-current.pem");
        String text = admin().withCredentials(KubeconfigUser.certificateFiles(pem, pem))
                .render();
        assertEquals(
                ADMIN.replace("client-certificate-data: Q0VSVA==", "client-certificate: " + pem)
                        .replace("client-key-data: S0VZ", "client-key: " + pem),
                text);
    }

    @Test
    void aNewCaTakesThePlaceOfAnEmbeddedOneAndOfAFile() {
        String renewed = admin().withAuthority("NEW").render();
        assertEquals(Optional.of("NEW"), Kubeconfig.parse(renewed).cluster().caPem());
        Kubeconfig ofAFile = Kubeconfig.parse(ADMIN.replaceFirst(
                "certificate-authority-data: .*", "certificate-authority: /ca.crt"));
        assertEquals(Optional.of(Path.of("/ca.crt")), ofAFile.cluster().caFile());
        assertEquals(renewed, ofAFile.withAuthority("NEW").render());
    }

    @Test
    void anotherServerChangesNothingElse() {
        Kubeconfig before = Kubeconfig.parse(FOREIGN);

        Kubeconfig moved = before.withServer("https://elsewhere:6443");

        assertEquals("https://elsewhere:6443", moved.cluster().server());
        assertEquals(before, moved.withServer(before.cluster().server()));
    }

    @Test
    void aKeyAloneIsNoCredential() {
        KubeconfigUser user = KubeconfigUser.key("KEY");
        assertEquals(Optional.of("KEY"), user.keyPem());
        assertFalse(user.hasCredentials());
    }

    @Test
    void discoveryPrefersTheClusterWithoutAName() {
        Kubeconfig published =
                Kubeconfig.clusterInfo(new KubeconfigCluster("https://h:6443", "CA"));
        assertEquals(
                "https://h:6443",
                Kubeconfig.parse(published.render()).discoveryCluster().server());
        assertEquals(
                "https://two:6443", Kubeconfig.parse(FOREIGN).discoveryCluster().server());
        assertThrows(ManifestException.class, published::cluster);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "current-context: a",
                "{current-context: a, contexts: [{name: b}]}",
                "{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}]}",
                "{current-context: a, contexts: 7}",
                "{current-context: a, contexts: [1, {name: a, context: null}]}"
            })
    void missingPartsAreNamed(String yaml) {
        Kubeconfig kubeconfig = Kubeconfig.parse(yaml);
        assertThrows(ManifestException.class, kubeconfig::cluster);
        assertThrows(ManifestException.class, kubeconfig::user);
    }

    @Test
    void credentialsAreRecognised() {
        assertTrue(admin().user().hasCredentials());
        assertTrue(Kubeconfig.parse(FOREIGN.replace("current-context: b", "current-context: a"))
                .user()
                .hasCredentials());
        assertFalse(user("colour: blue").hasCredentials());
        assertTrue(user("auth-provider: {name: oidc}").hasCredentials());
        assertTrue(user("username: me").hasCredentials());
    }

    private static KubeconfigUser user(String line) {
        return Kubeconfig.parse(ADMIN.replace("client-certificate-data: Q0VSVA==", line))
                .user();
    }

    @Test
    void aPluginIsReadAndWritten() {
        ExecPlugin plugin = user("exec: {apiVersion: client.authentication.k8s.io/v1, "
                        + "command: x, args: [a, 1], env: [{name: N, value: v}], "
                        + "interactiveMode: Never, provideClusterInfo: true, installHint: get it}")
                .rare()
                .exec()
                .orElseThrow();
        assertEquals(
                new ExecPlugin(
                        "client.authentication.k8s.io/v1",
                        "x",
                        List.of("a", "1"),
                        Map.of("N", "v"),
                        "get it",
                        true,
                        ExecPlugin.InteractiveMode.NEVER),
                plugin);
        assertEquals(plugin, ExecPlugin.fromTree(plugin.toTree()));
        assertEquals("ExecPlugin[x]", plugin.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{command: x, interactiveMode: Never}",
                "{apiVersion: client.authentication.k8s.io/v1alpha1, command: x}",
                "{apiVersion: client.authentication.k8s.io/v1, command: x}",
                "{apiVersion: client.authentication.k8s.io/v1beta1}",
                "{apiVersion: client.authentication.k8s.io/v1beta1, command: x, interactiveMode: Maybe}",
                "{apiVersion: client.authentication.k8s.io/v1beta1, command: x, env: [{value: a}]}"
            })
    void aPluginThatIsNotDescribedFullyIsRefused(String exec) {
        assertThrows(ManifestException.class, () -> user("exec: " + exec));
    }

    @Test
    void pathsThatAreNoneAreRefused() {
        assertThrows(ManifestException.class, () -> user("tokenFile: \"a\\0b\""));
    }

    @Test
    void damagedDataIsRefused() {
        Kubeconfig damaged = Kubeconfig.parse(ADMIN.replace("Q0E=", "Q"));
        assertThrows(ManifestException.class, damaged::cluster);
        assertThrows(ManifestException.class, () -> Kubeconfig.parse("- a"));
    }

    @Test
    void secretsAreNotShown() {
        String shown = admin() + " " + admin().user() + " " + KubeconfigUser.token("top-secret");
        assertEquals(
                "Kubeconfig[kubernetes-admin@kubernetes]"
                        + " KubeconfigUser[certificate=true, token=false, rare=false]"
                        + " KubeconfigUser[certificate=false, token=true, rare=false]",
                shown);
    }

    private static Kubeconfig admin() {
        return Kubeconfig.of(
                new Kubeconfig.Names("kubernetes", "kubernetes-admin"),
                new KubeconfigCluster("https://192.0.2.10:6443", "CA"),
                KubeconfigUser.certificate("CERT", "KEY"));
    }
}
