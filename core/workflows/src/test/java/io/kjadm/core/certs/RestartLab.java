package io.kjadm.core.certs;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.OwnTurn;
import io.kjadm.core.machine.Machine;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.pki.CertificateInfo;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Node cp-1 with its static pods, which a kubelet starts again when they were stopped. */
public final class RestartLab {

    public final CertsLab certs = new CertsLab();
    final MemoryRuntime runtime = new MemoryRuntime();
    final ScriptedRunner runner =
            new ScriptedRunner().with("systemctl").answering("systemctl daemon-reload", "");
    final SimulatedCluster etcd;
    /** What happened, in order. */
    final List<String> events = new ArrayList<>();
    /** What each port shows: the file as it was when the component started. */
    final Map<String, CertificateInfo> shown = new HashMap<>();
    /** Why a component is not healthy, by port. */
    final Map<Integer, String> faults = new HashMap<>();
    /** Components that the kubelet does not start. */
    final Set<String> broken = new HashSet<>();
    /** Components that the kubelet does not start as long as it knows an ended container of theirs. */
    final Set<String> backingOff = new HashSet<>();

    private int containers;

    public RestartLab(int voters) {
        etcd = SimulatedCluster.ofVoters(voters);
        etcd.local("cp-1");
        manifest(
                "etcd",
                "--name=cp-1",
                "--initial-advertise-peer-urls=https://cp-1:2380",
                "--advertise-client-urls=https://cp-1:2379",
                "--listen-client-urls=https://127.0.0.1:2379,https://192.0.2.1:2379",
                "--listen-peer-urls=https://192.0.2.1:2380",
                "--cert-file=/etc/kubernetes/pki/etcd/server.crt",
                "--peer-cert-file=/etc/kubernetes/pki/etcd/peer.crt",
                "--initial-cluster=cp-1=https://cp-1:2380");
        manifest(
                "kube-apiserver",
                "--advertise-address=192.0.2.1",
                "--secure-port=6443",
                "--tls-cert-file=/etc/kubernetes/pki/apiserver.crt");
        manifest("kube-controller-manager", "--bind-address=127.0.0.1");
        manifest("kube-scheduler", "--bind-address=127.0.0.1");
        List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
                .forEach(this::start);
        certs.waiter.eachTime(this::kubelet);
    }

    private void manifest(String name, String... flags) {
        certs.files.with("/etc/kubernetes/manifests/" + name + ".yaml", """
                apiVersion: v1
                kind: Pod
                spec:
                  containers:
                  - name: %s
                    command: ["%s", "%s"]
                  volumes:
                  - {name: etcd-data, hostPath: {path: /var/lib/etcd}}
                """.formatted(
                        name, name, String.join("\", \"", flags)));
    }

    private void kubelet() {
        for (String name :
                List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")) {
            boolean runs = runtime.containers.values().stream()
                    .anyMatch(
                            container -> container.running() && container.name().equals(name));
            boolean waits = backingOff.contains(name)
                    && runtime.containers.values().stream()
                            .anyMatch(container -> container.name().equals(name));
            if (!runs && !waits && !broken.contains(name)) {
                events.add("started " + name);
                start(name);
            }
        }
    }

    void start(String name) {
        String id = name + "-" + ++containers;
        runtime.containers.put(
                id,
                new Container(
                        id,
                        "sandbox-" + id,
                        name,
                        0,
                        true,
                        Instant.EPOCH,
                        Map.of(
                                "io.kubernetes.pod.namespace",
                                "kube-system",
                                "io.kubernetes.pod.uid",
                                name)));
        switch (name) {
            case "etcd" -> {
                shown.put("127.0.0.1:2379", certs.certificate("etcd-server"));
                shown.put("192.0.2.1:2380", certs.certificate("etcd-peer"));
            }
            case "kube-apiserver" -> shown.put("192.0.2.1:6443", certs.certificate("apiserver"));
            default -> {}
        }
    }

    void stop(String name) {
        runtime.containers.values().stream()
                .filter(container -> container.name().equals(name))
                .toList()
                .forEach(container -> runtime.stopContainer(container.id(), Duration.ZERO));
    }

    List<String> started() {
        return events.stream().filter(event -> event.startsWith("started")).toList();
    }

    MemberId other(int number) {
        return etcd.id("cp-" + number);
    }

    void renewAndRestart() {
        CertsNode node = certs.node();
        restart().restart(node, certs.renewal().renew(node, ManagedCertificate.all()));
    }

    ComponentRestart restart() {
        return new ComponentRestart(
                new Machine(certs.files, runner, runtime, this::ask, certs.waiter, certs.waiter),
                "unix:///run/c.sock",
                this::look,
                new EtcdRestart(
                        new EtcdClients(
                                certs.files,
                                new KubeClients(certs.files, access -> {
                                    throw new AssertionError("no API server is needed");
                                }),
                                access -> etcd,
                                certs.waiter),
                        LocalEtcdState.look(certs.files, certs.node().paths()),
                        certs.node().paths().certificatesDir(),
                        (work, wait) -> {
                            events.add("lock for " + work.operation());
                            return new OwnTurn();
                        },
                        certs.waiter,
                        certs.out,
                        EtcdRestart.Purpose.RENEWAL),
                certs.out);
    }

    private CertificateProbe.Answer look(URI server) {
        return Optional.ofNullable(shown.get(server.getAuthority()))
                .<CertificateProbe.Answer>map(CertificateProbe.Answer.Shown::new)
                .orElseGet(() -> new CertificateProbe.Answer.Unseen("connection refused"));
    }

    private String ask(URI url) {
        return faults.getOrDefault(url.getPort(), "");
    }
}
