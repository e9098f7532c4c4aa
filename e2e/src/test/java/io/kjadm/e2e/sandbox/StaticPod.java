package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A static pod that runs as a process: etcd as itself, the components of Kubernetes as their
 * stand-ins. It outlives the stand-in kubelet, as a container outlives a kubelet, and is found
 * again by the next one through a file with its id.
 */
final class StaticPod {
    private static final Path STATE = Path.of("/run/sandbox");
    private static final Map<String, Class<?>> STAND_INS = Map.of(
            "kube-apiserver", StandInApiServer.class,
            "kube-controller-manager", StandInControllerManager.class,
            "kube-scheduler", StandInScheduler.class);

    /** Of every file, as it was read last: the kubelet looks five times a second. */
    private static final Map<Path, StaticPod> READ = new ConcurrentHashMap<>();

    private final String name;
    private final ObjectNode manifest;
    private final String manifestText;

    private StaticPod(String name, ObjectNode manifest, String manifestText) {
        this.name = name;
        this.manifest = manifest;
        this.manifestText = manifestText;
    }

    /** The pod of a manifest; empty while the file is not whole. */
    static Optional<StaticPod> of(Path file) throws IOException {
        var text = Files.readString(file);
        var known = READ.get(file);
        if (known != null && known.manifestText.equals(text)) {
            return Optional.of(known);
        }
        var manifest = Json.parseYaml(text);
        var name = manifest.path("metadata").path("name").asText("");
        if (name.isEmpty()) {
            return Optional.empty();
        }
        var pod = new StaticPod(name, manifest, text);
        READ.put(file, pod);
        return Optional.of(pod);
    }

    String name() {
        return name;
    }

    /** The object that the API server shows for this pod. */
    ObjectNode mirror(String nodeName, String address) {
        var mirror = manifest.deepCopy();
        mirror.withObject("/metadata")
                .put("name", name + "-" + nodeName)
                .put("namespace", "kube-system")
                .withObject("/annotations")
                .put("kubernetes.io/config.mirror", "sandbox");
        mirror.withObject("/spec").put("nodeName", nodeName);
        var status = mirror.withObject("/status")
                .put("phase", "Running")
                .put("podIP", address)
                .put("hostIP", address);
        status.putArray("conditions").addObject().put("type", "Ready").put("status", "True");
        return mirror;
    }

    boolean running() throws IOException {
        return process().map(ProcessHandle::isAlive).orElse(false)
                && manifestText.equals(read("manifest"));
    }

    /** Starts the process; one of an older manifest is ended first. */
    void start() throws IOException {
        stop(name);
        Files.createDirectories(STATE);
        var command = command();
        var log = new File("/var/log/pod-" + name + ".log");
        var process = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
        Files.writeString(file(name, "pid"), String.valueOf(process.pid()));
        Files.writeString(file(name, "manifest"), manifestText);
        System.out.println("started " + name + ": " + String.join(" ", command));
    }

    /** Ends the process of the pod called {@code name}, if there is one. */
    static void stop(String name) throws IOException {
        var process = process(name);
        if (process.isPresent()) {
            process.get().destroy();
            try {
                process.get().onExit().get(5, TimeUnit.SECONDS);
            } catch (java.util.concurrent.TimeoutException
                    | java.util.concurrent.ExecutionException e) {
                process.get().destroyForcibly();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        Files.deleteIfExists(file(name, "pid"));
        Files.deleteIfExists(file(name, "manifest"));
    }

    /** The names of all pods that have a process. */
    static List<String> started() throws IOException {
        if (!Files.isDirectory(STATE)) {
            return List.of();
        }
        try (var files = Files.list(STATE)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".pid"))
                    .map(file -> file.substring(0, file.length() - 4))
                    .toList();
        }
    }

    private List<String> command() {
        var container = manifest.path("spec").path("containers").path(0);
        var words = new ArrayList<String>();
        container.path("command").forEach(word -> words.add(word.asText()));
        container.path("args").forEach(word -> words.add(word.asText()));
        if (name.equals("etcd")) {
            var image = container.path("image").asText();
            words.set(0, "/kjadm/etcd/" + image.substring(image.lastIndexOf(':') + 1) + "/etcd");
            return words;
        }
        return standIn(STAND_INS.get(name), words.subList(1, words.size()));
    }

    private static List<String> standIn(Class<?> program, List<String> arguments) {
        var words = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx96m",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        words.addAll(arguments);
        return words;
    }

    private Optional<ProcessHandle> process() throws IOException {
        return process(name);
    }

    private static Optional<ProcessHandle> process(String name) throws IOException {
        var file = file(name, "pid");
        return Files.exists(file)
                ? ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                : Optional.empty();
    }

    private String read(String kind) throws IOException {
        var file = file(name, kind);
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private static Path file(String name, String kind) {
        return STATE.resolve(name + "." + kind);
    }
}
