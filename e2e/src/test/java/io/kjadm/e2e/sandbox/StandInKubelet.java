package io.kjadm.e2e.sandbox;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;

/**
 * Stands in for the kubelet: runs static pods as processes, gets its client certificate with a
 * bootstrap token, registers its node and shows its static pods to the API server.
 */
public final class StandInKubelet {
    private static final Path PKI = Path.of("/var/lib/kubelet/pki");
    private static final Path CURRENT = PKI.resolve("kubelet-client-current.pem");
    private static final String REQUESTS =
            "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    private static final long INTERVAL_MILLIS = 200;
    /** Of a kubelet that has shown everything. */
    private static final long SETTLED_MILLIS = 2_000;

    private final String nodeName;
    private final Path manifests;
    private final Path kubeconfig;
    private final Path bootstrapKubeconfig;
    private final Set<String> shown = new HashSet<>();
    private ApiClient api;

    private StandInKubelet(
            String nodeName, Path manifests, Path kubeconfig, Path bootstrapKubeconfig) {
        this.nodeName = nodeName;
        this.manifests = manifests;
        this.kubeconfig = kubeconfig;
        this.bootstrapKubeconfig = bootstrapKubeconfig;
    }

    public static void main(String... words) throws IOException, InterruptedException {
        var flags = new Flags(words);
        var config = Json.parseYaml(Tls.read(flags.get("config")));
        var kubelet = new StandInKubelet(
                flags.find("hostname-override")
                        .orElse(InetAddress.getLocalHost().getHostName()),
                Path.of(config.path("staticPodPath").asText("/etc/kubernetes/manifests")),
                Path.of(flags.get("kubeconfig")),
                Path.of(flags.get("bootstrap-kubeconfig")));
        HealthServer.http(config.path("healthzPort").asInt(10248));
        Thread.ofPlatform().name("api").daemon().start(kubelet::talk);
        while (true) {
            kubelet.runPods();
            Thread.sleep(INTERVAL_MILLIS);
        }
    }

    private void runPods() throws IOException {
        var wanted = new HashSet<String>();
        if (Files.isDirectory(manifests)) {
            try (var files = Files.newDirectoryStream(manifests, "*.yaml")) {
                for (var file : files) {
                    var pod = StaticPod.of(file);
                    if (pod.isPresent()) {
                        wanted.add(pod.get().name());
                        runPod(pod.get());
                    }
                }
            }
        }
        for (var name : StaticPod.started()) {
            if (!wanted.contains(name)) {
                StaticPod.stop(name);
            }
        }
    }

    /**
     * A node whose etcd image was broken cannot start etcd; everything else is started until it
     * runs.
     */
    private static void runPod(StaticPod pod) throws IOException {
        var broken = pod.name().equals("etcd") && Files.exists(Path.of("/kjadm/etcd-broken"));
        if (!broken && !pod.running()) {
            pod.start();
        }
    }

    private void talk() {
        while (true) {
            var settled = false;
            try {
                if (api == null) {
                    ensureCredentials();
                    api = new ApiClient(kubeconfig);
                }
                showNode();
                showPods();
                settled = shown.containsAll(StaticPod.started());
            } catch (IOException | RuntimeException notNow) {
                System.out.println("not yet: " + notNow.getMessage());
            } catch (GeneralSecurityException | OperatorCreationException e) {
                e.printStackTrace();
            }
            try {
                Thread.sleep(settled ? SETTLED_MILLIS : INTERVAL_MILLIS * 2);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /**
     * The client certificate in its own file: from the kubeconfig if it is in there, else from the
     * cluster.
     */
    private void ensureCredentials()
            throws IOException, GeneralSecurityException, OperatorCreationException {
        if (Files.exists(CURRENT)) {
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
        user.put("client-certificate", CURRENT.toString()).put("client-key", CURRENT.toString());
        ((com.fasterxml.jackson.databind.node.ObjectNode) config.path("users").path(0))
                .set("user", user);
        Files.writeString(kubeconfig, Json.text(config));
        Files.setPosixFilePermissions(kubeconfig, PosixFilePermissions.fromString("rw-------"));
    }

    private static void keep(String pem) throws IOException {
        Files.createDirectories(PKI);
        var stamp = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss"));
        var file = PKI.resolve("kubelet-client-" + stamp + ".pem");
        Files.writeString(file, pem);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.deleteIfExists(CURRENT);
        Files.createSymbolicLink(CURRENT, file);
    }

    private void showNode() throws IOException {
        if (api.get("/api/v1/nodes/" + nodeName).isPresent()) {
            return;
        }
        var node = Json.object().put("apiVersion", "v1").put("kind", "Node");
        node.withObject("/metadata")
                .put("name", nodeName)
                .withObject("/labels")
                .put("kubernetes.io/hostname", nodeName)
                .put("kubernetes.io/os", "linux");
        node.withObject("/spec");
        node.withArray("/status/conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True")
                .put("reason", "Sandbox");
        node.withArray("/status/addresses")
                .addObject()
                .put("type", "InternalIP")
                .put("address", address());
        node.withObject("/status/nodeInfo")
                .put("kubeletVersion", Seeds.VERSION)
                .put("osImage", "sandbox");
        api.create("/api/v1/nodes", node);
    }

    private void showPods() throws IOException {
        var present = StaticPod.started();
        for (var name : present) {
            var file = manifests.resolve(name + ".yaml");
            var pod =
                    Files.exists(file) ? StaticPod.of(file) : java.util.Optional.<StaticPod>empty();
            if (pod.isPresent() && !shown.contains(name) && pod.get().running()) {
                api.create(
                        "/api/v1/namespaces/kube-system/pods",
                        pod.get().mirror(nodeName, address()));
                shown.add(name);
            }
        }
    }

    private static String address() throws IOException {
        return InetAddress.getLocalHost().getHostAddress();
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
