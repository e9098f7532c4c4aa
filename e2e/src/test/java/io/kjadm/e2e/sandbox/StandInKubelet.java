package io.kjadm.e2e.sandbox;

import io.grpc.StatusRuntimeException;
import io.kjadm.e2e.sandbox.cri.v1.PodSandbox;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands in for the kubelet: runs static pods in the node's container runtime, gets its client
 * certificate with a bootstrap token, registers its node and shows its static pods to the API
 * server. It probes nothing and knows no other pods.
 */
public final class StandInKubelet {
    private static final long INTERVAL_MILLIS = 200;
    /** Between two questions to the container runtime. */
    private static final Duration RELIST = Duration.ofSeconds(1);

    private final String nodeName;
    private final Path manifests;
    private final ContainerRuntime runtime;
    private final Map<String, PodWorker> workers = new ConcurrentHashMap<>();
    /** Of every file, as it was read last: the kubelet looks five times a second. */
    private final Map<Path, ReadFile> read = new HashMap<>();

    private Instant listed = Instant.EPOCH;

    private record ReadFile(String text, Optional<StaticPod> pod) {}

    private StandInKubelet(String nodeName, Path manifests, ContainerRuntime runtime) {
        this.nodeName = nodeName;
        this.manifests = manifests;
        this.runtime = runtime;
    }

    public static void main(String... words) throws IOException, InterruptedException {
        var flags = new Flags(words);
        var config = Json.parseYaml(Tls.read(flags.get("config")));
        var nodeName = flags.find("hostname-override")
                .orElse(InetAddress.getLocalHost().getHostName());
        var kubeconfig = Path.of(flags.get("kubeconfig"));
        var socket = config.path("containerRuntimeEndpoint")
                .asText("unix:///run/containerd/containerd.sock");
        var kubelet = new StandInKubelet(
                nodeName,
                Path.of(config.path("staticPodPath").asText("/etc/kubernetes/manifests")),
                new ContainerRuntime(Path.of(socket.replaceFirst("^unix:/*", "/"))));
        HealthServer.http(config.path("healthzPort").asInt(10248));
        var certificate = new KubeletCertificate(
                Path.of(flags.find("cert-dir").orElse("/var/lib/kubelet/pki")),
                nodeName,
                kubeconfig,
                Path.of(flags.get("bootstrap-kubeconfig")));
        Thread.ofPlatform()
                .name("api")
                .daemon()
                .start(new ApiReporter(nodeName, kubeconfig, certificate, kubelet::running));
        kubelet.adopt();
        while (true) {
            kubelet.runPods();
            Thread.sleep(INTERVAL_MILLIS);
        }
    }

    /** What an earlier kubelet has left in the runtime; it may have no manifest any more. */
    private void adopt() {
        runtime.sandboxes(Map.of()).stream()
                .map(PodSandbox::getMetadata)
                .filter(pod -> pod.getNamespace().equals(StaticPod.NAMESPACE)
                        && pod.getName().endsWith("-" + nodeName))
                .forEach(pod -> worker(pod.getName()));
    }

    private PodWorker worker(String podName) {
        return workers.computeIfAbsent(podName, name -> new PodWorker(name, runtime));
    }

    private void runPods() throws IOException {
        var wanted = new HashMap<String, StaticPod>();
        for (var file : files()) {
            pod(file).ifPresent(pod -> wanted.put(pod.podName(), pod));
        }
        wanted.keySet().forEach(this::worker);
        var news = news();
        workers.forEach((name, worker) -> {
            if (worker.gone() && !wanted.containsKey(name)) {
                workers.remove(name);
            } else {
                worker.look(Optional.ofNullable(wanted.get(name)), news);
            }
        });
    }

    private Optional<RuntimeState> news() {
        var now = Instant.now();
        if (workers.isEmpty() || now.isBefore(listed.plus(RELIST))) {
            return Optional.empty();
        }
        listed = now;
        try {
            return Optional.of(
                    new RuntimeState(runtime.sandboxes(Map.of()), runtime.containers(Map.of())));
        } catch (StatusRuntimeException noAnswer) {
            return Optional.of(RuntimeState.UNKNOWN);
        }
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(manifests)) {
            return List.of();
        }
        try (var files = Files.newDirectoryStream(manifests, "*.yaml")) {
            var found = new ArrayList<Path>();
            files.forEach(found::add);
            return found;
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private Optional<StaticPod> pod(Path file) throws IOException {
        try {
            var text = Files.readString(file);
            var known = read.get(file);
            if (known == null || !known.text().equals(text)) {
                known = new ReadFile(text, StaticPod.of(text, nodeName));
                read.put(file, known);
            }
            return known.pod();
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }

    private List<StaticPod> running() {
        return workers.values().stream()
                .flatMap(worker -> worker.running().stream())
                .toList();
    }
}
