package io.kjadm.core.reset;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Control-plane node cp-1 of a stacked cluster of three, with what runs there, in memory. */
abstract class ResetNode {

    static final Path DATA = Path.of("/var/lib/etcd");
    static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");

    static final CertificateAuthority CA = CertificateAuthority.create(
            "etcd-ca",
            KeyAlgorithm.ECDSA_P256,
            Validity.startingAt(new VirtualWaiter().now(), Duration.ofDays(90)));
    static final String NOTHING = "";

    static final String ADMIN_CONF = """
            apiVersion: v1
            kind: Config
            clusters: [{name: k, cluster: {server: "https://192.0.2.10:6443"}}]
            contexts: [{name: c, context: {cluster: k, user: u}}]
            current-context: c
            users: [{name: u, user: {token: t}}]
            """;

    public final MemoryFiles files = new MemoryFiles()
            .with("/proc/self/status", "Uid:\t0\t0\t0\t0\n")
            .with("/proc/mounts", NOTHING);
    final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl stop kubelet", NOTHING)
            .answering("systemctl is-active kubelet", "active\n");
    final MemoryRuntime runtime = new MemoryRuntime();
    public final VirtualWaiter waiter = new VirtualWaiter();
    public SimulatedCluster etcd = SimulatedCluster.ofVoters(3);
    /** Of this node's member. */
    String name = "cp-1";

    MemoryKubeApi api = new MemoryKubeApi().down(Kind.UNREACHABLE);

    /** The data on this node's disk is of that member of cluster {@code c1}. */
    void dataOf(long member) {
        files.with("/var/lib/etcd/member/wal/0.wal", WalText.of(member, 0xc1));
    }

    /** A cluster of so many instead, of which this node's member is one. */
    void voters(int count) {
        etcd = SimulatedCluster.ofVoters(count);
        etcd.local(name);
    }

    /** Makes the machine a control-plane node. */
    void setUp() {
        files.with(
                        "/var/lib/kubelet/instance-config.yaml",
                        "containerRuntimeEndpoint: unix:///run/c.sock\n")
                .with("/etc/kubernetes/admin.conf", NOTHING)
                .with("/etc/kubernetes/pki/etcd/ca.crt", CA.certificatePem())
                .with("/etc/kubernetes/pki/etcd/ca.key", CA.keyPem().orElseThrow())
                .with("/var/lib/etcd/member/wal/0.wal", "w")
                .with("/var/lib/etcd/member/snap/db", "d");
        staticPod(
                "kube-apiserver",
                "--advertise-address=192.0.2.10",
                "--etcd-servers=https://127.0.0.1:2379");
        staticPod("kube-controller-manager");
        staticPod("kube-scheduler");
        etcdPod("cp-1");
        runs("etcd");
        runs("kube-apiserver");
        IssuedCertificate client = CA.issue(
                CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)
                        .requestFor(NOTHING, SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(waiter.now(), Duration.ofDays(1)));
        files.with("/etc/kubernetes/pki/etcd/healthcheck-client.crt", client.certificatePem())
                .with("/etc/kubernetes/pki/etcd/healthcheck-client.key", client.keyPem());
    }

    void staticPod(String name, String... flags) {
        files.with("/etc/kubernetes/manifests/%s.yaml".formatted(name), pod(name, NOTHING, flags));
    }

    public void etcdPod(String member, String... flags) {
        name = member;
        etcd.local(member);
        files.with(
                "/etc/kubernetes/manifests/etcd.yaml",
                pod(
                        "etcd",
                        """
                  volumes:
                  - hostPath: {path: /etc/kubernetes/pki/etcd}
                    name: etcd-certs
                  - hostPath: {path: /var/lib/etcd}
                    name: etcd-data
                """,
                        more(
                                List.of(flags),
                                "--name=" + member,
                                "--initial-advertise-peer-urls=https://%s:2380".formatted(member),
                                "--advertise-client-urls=https://%s:2379".formatted(member),
                                "--initial-cluster=cp-2=https://cp-2:2380,%s=https://%s:2380"
                                        .formatted(member, member),
                                "--initial-cluster-state=existing")));
    }

    private static String[] more(List<String> extra, String... flags) {
        List<String> all = new ArrayList<>(List.of(flags));
        all.addAll(extra);
        return all.toArray(String[]::new);
    }

    static String pod(String name, String volumes, String... flags) {
        StringBuilder text = new StringBuilder("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  containers:
                  - name: %s
                    command:
                    - %s
                """.formatted(name, name, name));
        for (String flag : flags) {
            text.append("    - ").append(flag).append('\n');
        }
        return text + volumes;
    }

    void runs(String name) {
        runtime.containers.put(
                name,
                new Container(
                        name,
                        "s",
                        name,
                        0,
                        true,
                        Instant.EPOCH,
                        Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    /** Stops whatever has no manifest any more. */
    void kubelet() {
        List.copyOf(runtime.containers.keySet()).stream()
                .filter(pod -> !files.exists(MANIFESTS.resolve(pod + ".yaml")))
                .forEach(stopped -> runtime.stopContainer(stopped, Duration.ZERO));
        if (!runtime.containers.get("etcd").running()) {
            etcdRuns();
        }
    }

    /**
     * The API server is reached through a load balancer, so it answers also when this node's is
     * stopped.
     */
    void apiServes() {
        api = new MemoryKubeApi();
        files.with("/etc/kubernetes/admin.conf", ADMIN_CONF);
    }

    /** With a {@code kubeadm-config} that says so besides the version. */
    void configured(String more) {
        apiServes();
        api.with(ConfigurationMaps.kubeadmConfig("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                """ + more));
    }

    /** Whatever has a manifest runs, and nothing else. */
    void boot() {
        for (String pod : List.of("etcd", "kube-apiserver")) {
            if (files.exists(MANIFESTS.resolve(pod + ".yaml"))) {
                runs(pod);
            } else {
                runtime.stopContainer(pod, Duration.ZERO);
            }
        }
        etcdRuns();
    }

    /** A member runs where its container does; one that was removed does not come up. */
    void etcdRuns() {
        boolean runs = runtime.containers.get("etcd").running();
        own().ifPresent(id -> {
            if (runs) {
                etcd.start(id, name);
            } else {
                etcd.stop(id);
            }
        });
    }

    /** This node's started member, as long as it is listed. */
    Optional<MemberId> own() {
        try {
            return Optional.of(etcd.id(name));
        } catch (NoSuchElementException notListed) {
            return Optional.empty();
        }
    }

    Map<Path, String> contents() {
        Map<Path, String> contents = new TreeMap<>();
        files.files().forEach(path -> contents.put(path, files.text(path.toString())));
        return contents;
    }

    boolean listed(String member) {
        return etcd.members().stream().anyMatch(other -> other.name().equals(member));
    }

    /** What was moved aside or saved in {@code /var/lib}, without the time in the names. */
    Set<String> keptIn(String directory) {
        return files.files().stream()
                .map(Path::toString)
                .filter(path -> path.startsWith(directory))
                .map(path -> path.replaceAll("\\d{8}-\\d{6}", "TIME"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The commands that deleted users and groups. */
    List<String> deletions() {
        return runner.commands().stream()
                .filter(command -> command.matches("(user|group)del .*"))
                .toList();
    }
}
