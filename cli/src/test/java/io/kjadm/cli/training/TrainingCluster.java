package io.kjadm.cli.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.cli.TestConsole;
import io.kjadm.core.cri.CriServer;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A cluster with one control-plane node, all in a folder and on the loopback: PKI, kubeconfig, an
 * API server with what {@code init} uploads, an etcd and a container runtime. The folder gets
 * {@code init.yaml}, {@code join.yaml} and {@code admin.conf} to use it with, the URLs of
 * {@code etcd} and {@code cri}, and {@code ready} when all of it is there; it ends when the folder
 * is gone.
 */
public final class TrainingCluster implements AutoCloseable {

    /** Would tell the build which parts of it are not there; held, or its level is forgotten. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private static final String TOKEN_ID = "abcdef";
    private static final String TOKEN_SECRET = "0123456789abcdef";
    private static final Duration LONGEST_LIFE = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final String INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

    private final ObjectMapper json = new ObjectMapper();
    private final Path folder;
    /** Not in the folder: the path of a socket has 107 bytes. */
    private final Path socket;

    private final CriServer runtime;
    private final ObjectStore objects = new ObjectStore();
    private final LoopbackServer api;
    private final EtcdServer etcd;

    /** @param folder exists, and nobody else may enter it: keys are kept there */
    public TrainingCluster(Path folder) throws IOException, GeneralSecurityException {
        this.folder = folder;
        this.socket = Files.createTempDirectory("kjadm").resolve("cri.sock");
        this.runtime = new CriServer(socket, false);
        Path pki = folder.resolve("pki");
        Path certificates = write("certificates.yaml", init(6443, "certificatesDir: " + pki));
        run("init phase certs all --config " + certificates);
        String ca = Files.readString(pki.resolve("ca.crt"));
        this.api = LoopbackServer.tls(CertificateAuthority.load(
                        ca, Optional.of(Files.readString(pki.resolve("ca.key")))))
                .at("/", objects::serve);
        this.etcd = new EtcdServer(pki.resolve("etcd"));
        Path setup = write("setup.yaml", init(api.port(), "certificatesDir: " + pki));
        Path config = write("init.yaml", init(api.port(), ""));
        write("join.yaml", join(CertificateInfo.parse(ca).pin().format()));
        run("init phase kubeconfig admin --config " + setup + " --kubeconfig-dir " + folder);
        Path admin = folder.resolve("admin.conf");
        run("init phase upload-config all --config " + config + " --kubeconfig " + admin);
        run("init phase upload-certs --upload-certs --config " + setup + " --kubeconfig " + admin);
        run("init phase bootstrap-token --config " + config + " --kubeconfig " + admin);
        run("init phase addon all --config " + config + " --kubeconfig " + admin);
        sign();
        objects.put("/api/v1/nodes/cp-1", """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cp-1",
                 "labels": {"node-role.kubernetes.io/control-plane": ""}}}""");
        objects.put("/api/v1/namespaces/kube-system/pods/etcd-cp-1", """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "etcd-cp-1",
                 "namespace": "kube-system",
                 "labels": {"component": "etcd", "tier": "control-plane"},
                 "annotations": {"%s": "%s"}}, "spec": {"nodeName": "cp-1"},
                 "status": {"phase": "Running"}}""".formatted(
                        EtcdPod.CLIENT_URLS_ANNOTATION, etcd.clientUrl()));
        write("etcd", etcd.clientUrl());
        write("cri", "unix://" + socket);
        write("ready", "");
    }

    /** @param arguments the folder, which is made */
    public static void main(String[] arguments) throws Exception {
        GRPC.setLevel(Level.OFF);
        Path folder = Files.createDirectory(
                Path.of(arguments[0]),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Instant end = Instant.now().plus(LONGEST_LIFE);
        TrainingCluster cluster = new TrainingCluster(folder);
        // the build may end it sooner than it looks
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
        while (Files.exists(folder) && Instant.now().isBefore(end)) {
            Thread.sleep(PAUSE);
        }
        System.exit(0);
    }

    private static void run(String words) {
        TestConsole.Run run = TestConsole.run(words.split(" "));
        if (run.status() != 0) {
            throw new IllegalStateException(words + ": " + run.all());
        }
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private String version() throws IOException {
        return json.readTree(TestConsole.run("version", "-o", "json").out())
                .findValue("gitVersion")
                .asText();
    }

    private String registration(String name) {
        return "{name: %s, criSocket: \"unix://%s\"}".formatted(name, socket);
    }

    /** @param line one more of the cluster's configuration */
    private String init(int port, String line) throws IOException {
        return """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                bootstrapTokens: [{token: %s.%s, ttl: 0s}]
                certificateKey: %s
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: %s
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: %s
                controlPlaneEndpoint: 127.0.0.1:%d
                %s
                """.formatted(
                        TOKEN_ID, TOKEN_SECRET, key(), registration("cp-1"), version(), port, line);
    }

    private String join(String pin) {
        return """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: JoinConfiguration
                discovery:
                  bootstrapToken:
                    token: %s.%s
                    apiServerEndpoint: 127.0.0.1:%d
                    caCertHashes: ["%s"]
                controlPlane:
                  certificateKey: %s
                  localAPIEndpoint: {advertiseAddress: 192.0.2.11}
                nodeRegistration: %s
                """.formatted(TOKEN_ID, TOKEN_SECRET, api.port(), pin, key(), registration("cp-2"));
    }

    private static String key() {
        return "0123456789abcdef".repeat(4);
    }

    /** As the controller manager does it: a JWS without its payload. */
    private void sign() throws IOException, GeneralSecurityException {
        ObjectNode info = (ObjectNode) json.readTree(objects.text(INFO));
        String header = base64(("{\"alg\":\"HS256\",\"kid\":\"%s\"}".formatted(TOKEN_ID))
                .getBytes(StandardCharsets.UTF_8));
        String payload = base64(
                info.path("data").path("kubeconfig").asText().getBytes(StandardCharsets.UTF_8));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(TOKEN_SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        String signature =
                base64(mac.doFinal((header + "." + payload).getBytes(StandardCharsets.US_ASCII)));
        info.withObjectProperty("data")
                .put("jws-kubeconfig-" + TOKEN_ID, header + ".." + signature);
        objects.put(INFO, info.toString());
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public void close() {
        etcd.close();
        api.close();
        runtime.close();
        try {
            Files.deleteIfExists(socket);
            Files.delete(socket.getParent());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
