package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The static pod that makes a data directory of a snapshot, once, with {@code etcdutl} of etcd's own
 * image: who restores is of the version that runs afterwards. And etcd's pod as it is after that.
 */
public final class EtcdRestorePod {

    /** Name of the pod, its container and (with {@code .yaml}) its manifest. */
    public static final String NAME = "kjadm-etcd-restore";

    private static final String INITIAL_CLUSTER = "--initial-cluster=";
    private static final String INITIAL_STATE = "--initial-cluster-state=";

    private EtcdRestorePod() {}

    /**
     * What is restored.
     *
     * @param snapshot      the file, below etcd's data directory
     * @param target        the data directory to be made, which must not exist
     * @param member        whose it will be, with its peer URL
     * @param token         of the new cluster, no other has had it: its ID comes from that
     * @param bumpRevisions by how much the revision rises, so that none is given out twice
     * @param summed        whether the file has a sum that is to be checked
     */
    public record Restore(
            Path snapshot,
            Path target,
            NameAndUrl member,
            String token,
            long bumpRevisions,
            boolean summed) {}

    /**
     * The pod.
     *
     * @param etcd    the manifest of this node's etcd, whose image, user and data it has
     * @param attempt another for each, as the kubelet runs a pod of the same text only once
     * @throws ManifestException if that is no pod of etcd with its data in a volume
     */
    public static Pod build(String etcd, Restore restore, String attempt) {
        Pod pod = read(etcd);
        Container container = pod.getSpec().getContainers().getFirst();
        return new PodBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(KubeSystem.NAMESPACE)
                .addToAnnotations("kjadm.io/attempt", attempt)
                .endMetadata()
                .withNewSpec()
                .withContainers(new ContainerBuilder()
                        .withName(NAME)
                        .withImage(container.getImage())
                        .withImagePullPolicy("IfNotPresent")
                        .withCommand(command(restore))
                        .withSecurityContext(container.getSecurityContext())
                        .withVolumeMounts(container.getVolumeMounts().stream()
                                .filter(mount -> mount.getName().equals(EtcdPod.DATA_VOLUME))
                                .toList())
                        .build())
                .withHostNetwork(true)
                .withPriority(pod.getSpec().getPriority())
                .withPriorityClassName(pod.getSpec().getPriorityClassName())
                .withRestartPolicy("Never")
                .withSecurityContext(pod.getSpec().getSecurityContext())
                .withVolumes(pod.getSpec().getVolumes().stream()
                        .filter(volume -> volume.getName().equals(EtcdPod.DATA_VOLUME))
                        .toList())
                .endSpec()
                .build();
    }

    private static List<String> command(Restore restore) {
        List<String> command = new ArrayList<>(List.of(
                "etcdutl",
                "snapshot",
                "restore",
                restore.snapshot().toString(),
                "--data-dir=" + restore.target(),
                "--name=" + restore.member().name(),
                INITIAL_CLUSTER + restore.member().text(),
                "--initial-advertise-peer-urls=" + restore.member().url(),
                "--initial-cluster-token=" + restore.token()));
        if (restore.bumpRevisions() > 0) {
            command.add("--bump-revision=" + restore.bumpRevisions());
            command.add("--mark-compacted");
        }
        if (!restore.summed()) {
            command.add("--skip-hash-check");
        }
        return command;
    }

    /**
     * The manifest of an etcd whose cluster has no other member any more; an etcd that loses its
     * data then founds no second cluster.
     */
    public static String alone(String etcd, NameAndUrl member) {
        Pod pod = read(etcd);
        Container container = pod.getSpec().getContainers().getFirst();
        List<String> command = new ArrayList<>(container.getCommand().stream()
                .map(word ->
                        word.startsWith(INITIAL_CLUSTER) ? INITIAL_CLUSTER + member.text() : word)
                .filter(word -> !word.startsWith(INITIAL_STATE))
                .toList());
        command.add(INITIAL_STATE + "existing");
        container.setCommand(command);
        return ManifestYaml.write(ManifestYaml.tree(pod));
    }

    private static Pod read(String text) {
        Pod pod = ManifestYaml.read(text, Pod.class);
        boolean data = Optional.ofNullable(pod.getSpec())
                .filter(spec -> !spec.getContainers().isEmpty())
                .filter(spec -> spec.getVolumes().stream()
                        .anyMatch(volume -> volume.getName().equals(EtcdPod.DATA_VOLUME)))
                .isPresent();
        if (!data) {
            throw new ManifestException(
                    "it has no container with a volume %s".formatted(EtcdPod.DATA_VOLUME));
        }
        return pod;
    }
}
