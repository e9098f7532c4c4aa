package io.kjadm.e2e.sandbox;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;

/**
 * The client certificate of a kubelet, in its own file: from its kubeconfig if it is in there, else
 * from the cluster, by a bootstrap token.
 */
final class KubeletCertificate {
    private static final String REQUESTS =
            "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    private static final long INTERVAL_MILLIS = 200;

    private final Path folder;
    private final Path current;
    private final String nodeName;
    private final Path kubeconfig;
    private final Path bootstrapKubeconfig;

    KubeletCertificate(Path folder, String nodeName, Path kubeconfig, Path bootstrapKubeconfig) {
        this.folder = folder;
        this.current = folder.resolve("kubelet-client-current.pem");
        this.nodeName = nodeName;
        this.kubeconfig = kubeconfig;
        this.bootstrapKubeconfig = bootstrapKubeconfig;
    }

    /** Sees to it that file and kubeconfig are there; an {@link IOException} means not yet. */
    void ensure() throws IOException, GeneralSecurityException, OperatorCreationException {
        if (Files.exists(current)) {
            return;
        }
        if (Files.exists(kubeconfig)) {
            var user = Json.parseYaml(Files.readString(kubeconfig))
                    .path("users")
                    .path(0)
                    .path("user");
            keep(ApiClient.pem(user, "client-certificate") + ApiClient.pem(user, "client-key"));
            return;
        }
        bootstrap();
    }

    private void bootstrap()
            throws IOException, GeneralSecurityException, OperatorCreationException {
        var bootstrapApi = new ApiClient(bootstrapKubeconfig);
        var key = Tls.newKey();
        var subject = new X500Name("O=system:nodes,CN=system:node:" + nodeName);
        var request = new JcaPKCS10CertificationRequestBuilder(subject, key.getPublic())
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(key.getPrivate()));
        var name = "node-csr-" + nodeName + "-" + System.currentTimeMillis();
        var object = Json.object()
                .put("apiVersion", "certificates.k8s.io/v1")
                .put("kind", "CertificateSigningRequest");
        object.withObject("/metadata").put("name", name);
        var spec = object.withObject("/spec")
                .put("signerName", "kubernetes.io/kube-apiserver-client-kubelet")
                .put(
                        "request",
                        Base64.getEncoder()
                                .encodeToString(pem("CERTIFICATE REQUEST", request.getEncoded())
                                        .getBytes(StandardCharsets.US_ASCII)));
        spec.putArray("usages").add("digital signature").add("client auth");
        bootstrapApi.create(REQUESTS, object);

        for (int i = 0; i < 100; i++) {
            var certificate = bootstrapApi
                    .get(REQUESTS + "/" + name)
                    .map(found -> found.path("status").path("certificate").asText(""))
                    .orElse("");
            if (!certificate.isEmpty()) {
                keep(new String(Base64.getDecoder().decode(certificate), StandardCharsets.US_ASCII)
                        + pem("PRIVATE KEY", key.getPrivate().getEncoded()));
                writeKubeconfig();
                return;
            }
            pause();
        }
        throw new IOException("the certificate request " + name + " was not answered");
    }

    private void writeKubeconfig() throws IOException {
        var config = Json.parseYaml(Files.readString(bootstrapKubeconfig));
        var user = Json.object();
        user.put("client-certificate", current.toString()).put("client-key", current.toString());
        ((com.fasterxml.jackson.databind.node.ObjectNode) config.path("users").path(0))
                .set("user", user);
        Files.writeString(kubeconfig, Json.text(config));
        Files.setPosixFilePermissions(kubeconfig, PosixFilePermissions.fromString("rw-------"));
    }

    private void keep(String pem) throws IOException {
        Files.createDirectories(folder);
        var stamp = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss"));
        var file = folder.resolve("kubelet-client-" + stamp + ".pem");
        Files.writeString(file, pem);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.deleteIfExists(current);
        Files.createSymbolicLink(current, file);
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
                .formatted(
                        type,
                        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                                .encodeToString(der),
                        type);
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
