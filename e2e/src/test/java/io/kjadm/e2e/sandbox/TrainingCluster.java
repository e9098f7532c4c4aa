package io.kjadm.e2e.sandbox;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.Callable;

/**
 * All stand-ins in one JVM, which ends once a kubelet has joined with a bootstrap token, has shown
 * a static pod and has removed it again: what it loaded until then goes into the AOT cache. etcd
 * and the container runtime are in memory.
 */
public final class TrainingCluster {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String TOKEN = "abcdef.0123456789abcdef";
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: kube-trained, namespace: kube-system, labels: {tier: control-plane}}
            spec:
              hostNetwork: true
              containers:
              - name: trained
                image: trained:1
                command: [trained, --flag]
                volumeMounts:
                - {mountPath: /trained, name: data, readOnly: true}
              volumes:
              - {name: data, hostPath: {path: %s, type: DirectoryOrCreate}}
            """;

    private final Path folder;
    /** Of the authority and of everybody else: to make one takes long. */
    private final KeyPair key = newKey();

    private final String authorityPem;
    private final int port = freePort();

    private TrainingCluster(Path folder) throws Exception {
        this.folder = folder;
        this.authorityPem = certificate("CN=kubernetes", true);
    }

    /** {@code words}: an empty folder to work in. */
    public static void main(String... words) throws Exception {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                Thread.sleep(LIMIT);
                System.err.println("the training did not end within " + LIMIT);
                Runtime.getRuntime().halt(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        new TrainingCluster(Path.of(words[0])).train();
        System.exit(0);
    }

    private void train() throws Exception {
        write("ca.crt", authorityPem);
        write("ca.key", pem("PRIVATE KEY", key.getPrivate().getEncoded()));
        credentials("server", "CN=server");
        write("admin.conf", kubeconfig("admin", "O=system:masters,CN=admin"));
        write("manager.conf", kubeconfig("manager", "CN=system:kube-controller-manager"));
        write("scheduler.conf", kubeconfig("scheduler", "CN=system:kube-scheduler"));
        write("bootstrap.conf", kubeconfig("{token: %s}".formatted(TOKEN)));
        startApiServer();
        var api = new ApiClient(folder.resolve("admin.conf"));
        fill(api);
        start(() -> StandInControllerManager.main(
                "--kubeconfig=" + folder.resolve("manager.conf"),
                "--secure-port=" + freePort(),
                "--cluster-signing-cert-file=" + folder.resolve("ca.crt"),
                "--cluster-signing-key-file=" + folder.resolve("ca.key"),
                "--allocate-node-cidrs=true",
                "--cluster-cidr=10.244.0.0/16"));
        start(() -> StandInScheduler.main(
                "--kubeconfig=" + folder.resolve("scheduler.conf"), "--secure-port=" + freePort()));

        MemoryRuntime.start(folder.resolve("cri.sock"));
        var manifest = Files.createDirectories(folder.resolve("manifests")).resolve("pod.yaml");
        Files.writeString(manifest, POD.formatted(folder.resolve("data")));
        write("config.yaml", """
                staticPodPath: %s
                healthzPort: %d
                containerRuntimeEndpoint: unix://%s
                """.formatted(
                        manifest.getParent(), freePort(), folder.resolve("cri.sock")));
        start(() -> StandInKubelet.main(
                "--config=" + folder.resolve("config.yaml"),
                "--kubeconfig=" + folder.resolve("kubelet.conf"),
                "--bootstrap-kubeconfig=" + folder.resolve("bootstrap.conf"),
                "--cert-dir=" + folder.resolve("pki"),
                "--hostname-override=trained"));

        var pod = "/api/v1/namespaces/kube-system/pods/kube-trained-trained";
        await(() -> api.get(pod).isPresent());
        await(() -> api.get("/api/v1/namespaces/kube-public/configmaps/cluster-info")
                .orElseThrow()
                .path("data")
                .has("jws-kubeconfig-" + TOKEN.substring(0, 6)));
        await(() -> api.get("/api/v1/nodes/trained").orElseThrow().path("spec").has("podCIDR"));
        await(() -> api.get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
                        + "kube-scheduler")
                .isPresent());
        Files.delete(manifest);
        await(() -> api.get(pod).isEmpty());
    }

    private void startApiServer() throws Exception {
        var etcd = MemoryEtcd.start(
                Tls.context(read("server.crt"), read("server.key"), read("ca.crt")));
        start(() -> StandInApiServer.main(
                "--etcd-servers=" + etcd.endpoint(),
                "--etcd-cafile=" + folder.resolve("ca.crt"),
                "--etcd-certfile=" + folder.resolve("server.crt"),
                "--etcd-keyfile=" + folder.resolve("server.key"),
                "--tls-cert-file=" + folder.resolve("server.crt"),
                "--tls-private-key-file=" + folder.resolve("server.key"),
                "--client-ca-file=" + folder.resolve("ca.crt"),
                "--service-cluster-ip-range=10.96.0.0/12",
                "--secure-port=" + port));
    }

    /** With what {@code init} leaves in a cluster for the next node. */
    private void fill(ApiClient api) throws Exception {
        await(() -> api.get("/api/v1/namespaces/default").isPresent());
        api.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", Json.parseYaml("""
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata: {name: "kubeadm:kubelet-bootstrap"}
                roleRef: {kind: ClusterRole, name: "system:node-bootstrapper"}
                subjects: [{kind: Group, name: "system:bootstrappers"}]
                """));
        api.create("/api/v1/namespaces/kube-public/configmaps", Json.parseYaml("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: cluster-info}
                data: {kubeconfig: "the cluster"}
                """));
        api.create("/api/v1/namespaces/kube-system/secrets", Json.parseYaml("""
                apiVersion: v1
                kind: Secret
                type: bootstrap.kubernetes.io/token
                metadata: {name: bootstrap-token-%1$s}
                stringData:
                  token-id: %1$s
                  token-secret: "%2$s"
                  usage-bootstrap-authentication: "true"
                  usage-bootstrap-signing: "true"
                """.formatted(
                        TOKEN.substring(0, 6), TOKEN.substring(7))));
    }

    private interface Main {
        void run() throws IOException, InterruptedException;
    }

    private static void start(Main main) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                main.run();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void await(Callable<Boolean> condition) throws InterruptedException {
        while (true) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (Exception notYet) {
                // the API server starts, or the object is not there yet
            }
            Thread.sleep(50);
        }
    }

    private static KeyPair newKey() throws Exception {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    private void credentials(String name, String subject) throws Exception {
        write(name + ".crt", certificate(subject, false));
        write(name + ".key", pem("PRIVATE KEY", key.getPrivate().getEncoded()));
    }

    private String certificate(String subject, boolean authority) throws Exception {
        var now = Instant.now();
        var builder = new JcaX509v3CertificateBuilder(
                new X500Name("CN=kubernetes"),
                BigInteger.valueOf(now.toEpochMilli()),
                Date.from(now.minusSeconds(60)),
                Date.from(now.plus(Duration.ofDays(1))),
                new X500Name(subject),
                key.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
        return pem(
                "CERTIFICATE",
                builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(key.getPrivate()))
                        .getEncoded());
    }

    private String kubeconfig(String name, String subject) throws Exception {
        credentials(name, subject);
        return kubeconfig("{client-certificate-data: %s, client-key-data: %s}"
                .formatted(base64(read(name + ".crt")), base64(read(name + ".key"))));
    }

    private String kubeconfig(String user) {
        return """
                clusters: [{name: trained, cluster: {server: "https://127.0.0.1:%d", certificate-authority-data: %s}}]
                users: [{name: trained, user: %s}]
                """.formatted(port, base64(authorityPem), user);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
                .formatted(
                        type,
                        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                                .encodeToString(der));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private String read(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }
}
