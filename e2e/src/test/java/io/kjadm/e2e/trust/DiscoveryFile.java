package io.kjadm.e2e.trust;

import io.kjadm.e2e.lab.Node;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Kubeconfigs on a node, with the credentials a test wants. */
public final class DiscoveryFile {
    private DiscoveryFile() {}

    /**
     * Writes one.
     *
     * @param endpoint {@code host:port} of the server
     * @param caPem the CA it pins, if it pins one
     * @param user the user's entry as YAML in flow style
     */
    public static void write(
            Node node, String path, String endpoint, Optional<String> caPem, String user) {
        node.write(path, """
                apiVersion: v1
                kind: Config
                clusters:
                - {name: c, cluster: {server: "https://%s"%s}}
                contexts:
                - {name: x, context: {cluster: c, user: u}}
                current-context: x
                users:
                - {name: u, user: %s}
                """.formatted(
                endpoint,
                caPem.map(ca -> ", certificate-authority-data: " + base64(ca)).orElse(""),
                user));
    }

    public static String token(String token) {
        return "{token: %s}".formatted(token);
    }

    public static String certificate(CertificateAuthority.Signed client) {
        return "{client-certificate-data: %s, client-key-data: %s}"
                .formatted(base64(client.certificatePem()), base64(client.keyPem()));
    }

    /**
     * A credential plugin that is a script on the node.
     *
     * @param status of its ExecCredential, as JSON
     */
    public static String exec(Node node, String script, String status) {
        node.write(script, """
                #!/bin/sh
                echo "run by $PPID: $KUBERNETES_EXEC_INFO" >> %s.log
                cat <<'END'
                {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": %s}
                END
                """.formatted(script, status));
        node.run("chmod", "+x", script);
        return "{exec: {apiVersion: client.authentication.k8s.io/v1, command: %s, interactiveMode: Never}}"
                .formatted(script);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
