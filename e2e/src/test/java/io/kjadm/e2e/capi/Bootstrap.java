package io.kjadm.e2e.capi;

import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What Cluster API's bootstrap provider has cloud-init do on a machine: the authorities and one
 * configuration file are written, then {@code kubeadm} runs once, without input, without HOME and
 * with nothing but its exit status being read ({@code bootstrap/kubeadm} of
 * kubernetes-sigs/cluster-api).
 */
public final class Bootstrap {
    private static final String PKI = "/etc/kubernetes/pki/";
    private static final String DONE = "/run/cluster-api/bootstrap-success.complete";
    private static final String JOIN = "join --config /run/kubeadm/kubeadm-join-config.yaml";
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final List<String> AUTHORITIES = List.of("ca", "front-proxy-ca", "etcd/ca");

    private final Lab lab;
    private final List<String> ignored;
    /** By their paths below {@code /etc/kubernetes/pki}. */
    private final Map<String, String> files;

    private Bootstrap(Lab lab, List<String> ignored, Map<String, String> files) {
        this.lab = lab;
        this.ignored = List.copyOf(ignored);
        this.files = Map.copyOf(files);
    }

    /**
     * Makes the authorities of a new cluster.
     *
     * @param ignored the preflight checks that a lab's machines cannot pass
     */
    public static Bootstrap withNewAuthorities(Lab lab, List<String> ignored) {
        var maker = lab.node(1);
        var files = new LinkedHashMap<String, String>();
        for (var authority : AUTHORITIES) {
            maker.shell("""
                    mkdir -p /root/made/etcd && cd /root/made && openssl req -x509 -newkey rsa:2048 -nodes -days 3650 \
                        -keyout %1$s.key -out %1$s.crt -subj /CN=kubernetes \
                        -addext keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign 2> /dev/null""".formatted(authority));
            // the provider's text ends with an empty line
            files.put(authority + ".crt", maker.read("/root/made/" + authority + ".crt") + "\n");
            files.put(authority + ".key", maker.read("/root/made/" + authority + ".key"));
        }
        maker.shell("cd /root/made && openssl genrsa -traditional -out sa.key 2048 2> /dev/null"
                + " && openssl rsa -in sa.key -pubout -out sa.pub 2> /dev/null");
        files.put("sa.key", maker.read("/root/made/sa.key"));
        files.put("sa.pub", maker.read("/root/made/sa.pub"));
        maker.run("rm", "-rf", "/root/made");
        return new Bootstrap(lab, ignored, files);
    }

    /**
     * Makes the first control-plane node.
     *
     * @param etcdTag of the image
     * @param dnsTag the same of CoreDNS
     */
    public Outcome init(Node node, String kubernetes, String etcdTag, String dnsTag) {
        writeAuthorities(node);
        writeConfiguration(
                node,
                "kubeadm.yaml",
                """
                ---
                apiServer:
                  certSANs:
                  - %s
                apiVersion: kubeadm.k8s.io/v1beta4
                clusterName: prod
                controlPlaneEndpoint: %s
                controllerManager: {}
                dns:
                  imageTag: %s
                etcd:
                  local:
                    imageTag: %s
                kind: ClusterConfiguration
                kubernetesVersion: %s
                networking:
                  dnsDomain: cluster.local
                  podSubnet: 10.244.0.0/16
                  serviceSubnet: 10.128.0.0/12
                proxy: {}
                scheduler: {}

                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {}
                %s
                """.formatted(
                                        lab.balancer(),
                                        lab.endpoint(),
                                        dnsTag,
                                        etcdTag,
                                        kubernetes,
                                        registration(node))
                        + Settings.componentDocuments());
        return run(node, "init --config /run/kubeadm/kubeadm.yaml");
    }

    /** Joins a further control-plane node; its authorities are there before. */
    public Outcome join(Node node, String token) {
        prepareJoin(node, token);
        return run(node, JOIN);
    }

    /** Starts the same and does not wait for it. */
    public Running startJoin(Node node, String token) {
        prepareJoin(node, token);
        return node.start(LIMIT, words(JOIN));
    }

    /** Whether the mark is there by which the provider knows that a machine succeeded. */
    public boolean succeeded(Node node) {
        return node.exists(DONE) && node.read(DONE).equals("success\n");
    }

    private void prepareJoin(Node node, String token) {
        writeAuthorities(node);
        writeConfiguration(node, "kubeadm-join-config.yaml", """
                apiVersion: kubeadm.k8s.io/v1beta4
                controlPlane:
                  localAPIEndpoint: {}
                discovery:
                  bootstrapToken:
                    apiServerEndpoint: %s
                    caCertHashes:
                    - %s
                    token: %s
                kind: JoinConfiguration
                %s
                """.formatted(
                        lab.endpoint(), caCertHash(), token, registration(node)));
    }

    private static void writeConfiguration(Node node, String name, String text) {
        // not there at once: files cannot be copied into a mount
        node.write("/root/" + name, text);
        node.shell("mkdir -p /run/kubeadm && install -m 640 /root/%1$s /run/kubeadm/%1$s"
                .formatted(name));
    }

    private void writeAuthorities(Node node) {
        node.shell("rm -rf /run/cluster-api && mkdir -p /run/cluster-api");
        files.forEach((name, text) -> {
            node.write(PKI + name, text);
            if (!name.endsWith(".key")) {
                node.run("chmod", "640", PKI + name);
            }
        });
    }

    private String registration(Node node) {
        return """
                nodeRegistration:
                  ignorePreflightErrors: [%s]
                  imagePullPolicy: IfNotPresent
                  imagePullSerial: true
                  kubeletExtraArgs:
                  - name: node-labels
                    value: topology.example.org/zone=a
                  name: %s
                  taints: null
                timeouts:
                  controlPlaneComponentHealthCheck: 20m0s""".formatted(String.join(", ", ignored), node.name());
    }

    /** The hash of the cluster's authority, by which a machine knows it. */
    private String caCertHash() {
        try {
            var certificate = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(
                            files.get("ca.crt").getBytes(StandardCharsets.US_ASCII)));
            var hash = MessageDigest.getInstance("SHA-256")
                    .digest(certificate.getPublicKey().getEncoded());
            return "sha256:" + HexFormat.of().formatHex(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the authority that was made cannot be read", e);
        }
    }

    private static Outcome run(Node node, String command) {
        var outcome = node.exec(words(command));
        System.out.printf(
                "[capi] kubeadm %s on %s: %.1f s, exit status %d%n",
                command.split(" ")[0],
                node.name(),
                outcome.took().toMillis() / 1000.0,
                outcome.status());
        return outcome;
    }

    private static String[] words(String command) {
        return new String[] {
            "env",
            "-i",
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "sh",
            "-c",
            "timeout %d kubeadm %s < /dev/null && echo success > %s"
                    .formatted(LIMIT.toSeconds(), command, DONE)
        };
    }
}
