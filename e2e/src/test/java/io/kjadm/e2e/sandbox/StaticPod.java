package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.e2e.sandbox.cri.v1.ContainerConfig;
import io.kjadm.e2e.sandbox.cri.v1.ContainerMetadata;
import io.kjadm.e2e.sandbox.cri.v1.ImageSpec;
import io.kjadm.e2e.sandbox.cri.v1.LinuxContainerConfig;
import io.kjadm.e2e.sandbox.cri.v1.LinuxContainerSecurityContext;
import io.kjadm.e2e.sandbox.cri.v1.LinuxPodSandboxConfig;
import io.kjadm.e2e.sandbox.cri.v1.LinuxSandboxSecurityContext;
import io.kjadm.e2e.sandbox.cri.v1.Mount;
import io.kjadm.e2e.sandbox.cri.v1.NamespaceMode;
import io.kjadm.e2e.sandbox.cri.v1.NamespaceOption;
import io.kjadm.e2e.sandbox.cri.v1.PodSandboxConfig;
import io.kjadm.e2e.sandbox.cri.v1.PodSandboxMetadata;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A static pod on the network of its node, as its manifest says, in the terms of the container
 * runtime.
 *
 * @param name as in the manifest
 * @param node whose name is added to its own
 * @param uid made from the manifest's text: another text is another pod, as for the kubelet
 */
record StaticPod(String name, String node, String uid, ObjectNode manifest) {
    static final String NAMESPACE = "kube-system";
    static final String POD_NAME = "io.kubernetes.pod.name";
    static final String POD_UID = "io.kubernetes.pod.uid";
    static final String CONTAINER_NAME = "io.kubernetes.container.name";
    private static final String POD_NAMESPACE = "io.kubernetes.pod.namespace";

    private static final NamespaceOption ON_THE_NODE = NamespaceOption.newBuilder()
            .setNetwork(NamespaceMode.NODE)
            .setPid(NamespaceMode.CONTAINER)
            .setIpc(NamespaceMode.POD)
            .build();

    /** The pod of a manifest; empty while the file is not whole. */
    static Optional<StaticPod> of(String text, String node) {
        var manifest = Json.parseYaml(text);
        var name = manifest.path("metadata").path("name").asText("");
        return name.isEmpty()
                ? Optional.empty()
                : Optional.of(new StaticPod(name, node, digest(node + text), manifest));
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("MD5")
                            .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the API server and the container runtime call it. */
    String podName() {
        return name + "-" + node;
    }

    List<JsonNode> containers() {
        return stream(manifest.path("spec").path("containers")).toList();
    }

    /** Whether its containers are let be once they have ended. */
    boolean runsOnce() {
        return manifest.path("spec").path("restartPolicy").asText().equals("Never");
    }

    /** Its sandbox, made for the {@code attempt}th time, counted from 0. */
    PodSandboxConfig sandbox(int attempt) {
        return PodSandboxConfig.newBuilder()
                .setMetadata(PodSandboxMetadata.newBuilder()
                        .setName(podName())
                        .setUid(uid)
                        .setNamespace(NAMESPACE)
                        .setAttempt(attempt))
                .setLogDirectory("/var/log/pods/%s_%s_%s".formatted(NAMESPACE, podName(), uid))
                .putAllLabels(labels())
                .putAnnotations("kubernetes.io/config.source", "file")
                .setLinux(LinuxPodSandboxConfig.newBuilder()
                        .setSecurityContext(LinuxSandboxSecurityContext.newBuilder()
                                .setNamespaceOptions(ON_THE_NODE)))
                .build();
    }

    /** One of its containers, started for the {@code attempt}th time, counted from 0. */
    ContainerConfig container(JsonNode container, int attempt) {
        var containerName = container.path("name").asText();
        return ContainerConfig.newBuilder()
                .setMetadata(
                        ContainerMetadata.newBuilder().setName(containerName).setAttempt(attempt))
                .setImage(
                        ImageSpec.newBuilder().setImage(container.path("image").asText()))
                .addAllCommand(texts(container.path("command")))
                .addAllArgs(texts(container.path("args")))
                .addAllMounts(mounts(container))
                .putAllLabels(labels())
                .putLabels(CONTAINER_NAME, containerName)
                .setLogPath("%s/%d.log".formatted(containerName, attempt))
                .setLinux(LinuxContainerConfig.newBuilder()
                        .setSecurityContext(LinuxContainerSecurityContext.newBuilder()
                                .setNamespaceOptions(ON_THE_NODE)))
                .build();
    }

    private Map<String, String> labels() {
        return Map.of(POD_NAME, podName(), POD_NAMESPACE, NAMESPACE, POD_UID, uid);
    }

    private List<Mount> mounts(JsonNode container) {
        var mounts = new ArrayList<Mount>();
        for (var mount : container.path("volumeMounts")) {
            var volume = stream(manifest.path("spec").path("volumes"))
                    .filter(one -> one.path("name").equals(mount.path("name")))
                    .findFirst()
                    .orElseThrow()
                    .path("hostPath");
            var path = volume.path("path").asText();
            if (volume.path("type").asText().equals("DirectoryOrCreate")) {
                create(Path.of(path));
            }
            mounts.add(mount(
                    path,
                    mount.path("mountPath").asText(),
                    mount.path("readOnly").asBoolean()));
        }
        mounts.add(mount("/etc/hosts", "/etc/hosts", true));
        StandIns.mounts(name).forEach(path -> mounts.add(mount(path, path, true)));
        return mounts;
    }

    private static void create(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Mount mount(String host, String inside, boolean readOnly) {
        return Mount.newBuilder()
                .setHostPath(host)
                .setContainerPath(inside)
                .setReadonly(readOnly)
                .build();
    }

    /** The object that the API server shows for this pod. */
    ObjectNode mirror(String address) {
        var mirror = manifest.deepCopy();
        mirror.withObject("/metadata")
                .put("name", podName())
                .put("namespace", NAMESPACE)
                .withObject("/annotations")
                .put("kubernetes.io/config.hash", uid)
                .put("kubernetes.io/config.mirror", uid)
                .put("kubernetes.io/config.source", "file");
        mirror.withObject("/spec").put("nodeName", node);
        var status = mirror.withObject("/status")
                .put("phase", "Running")
                .put("podIP", address)
                .put("hostIP", address);
        status.putArray("conditions").addObject().put("type", "Ready").put("status", "True");
        return mirror;
    }

    /** Which manifest a mirror was made from. */
    static String hash(ObjectNode mirror) {
        return mirror.path("metadata")
                .path("annotations")
                .path("kubernetes.io/config.hash")
                .asText();
    }

    private static List<String> texts(JsonNode list) {
        return stream(list).map(JsonNode::asText).toList();
    }

    private static Stream<JsonNode> stream(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }
}
