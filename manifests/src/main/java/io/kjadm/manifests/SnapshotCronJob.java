package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvFromSourceBuilder;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobBuilder;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The CronJob that takes snapshots of etcd on a control-plane node: with the node's network and some
 * of its files, as etcd listens there and its certificates lie there. Its containers have no other
 * privilege: no capabilities, a root file system that they cannot write to, and the runtime's
 * seccomp profile.
 */
public final class SnapshotCronJob {

    /** Name of the CronJob. */
    public static final String NAME = "kjadm-etcd-snapshot";

    /** Secret, in the same namespace, whose entries are the environment: a bucket's credentials. */
    public static final String CREDENTIALS = "kjadm-etcd-snapshot";

    private static final String CONTROL_PLANE = "node-role.kubernetes.io/control-plane";
    private static final int KEPT = 3;
    private static final long START_SECONDS = 600;

    private SnapshotCronJob() {}

    /**
     * What it does.
     *
     * @param image    that has {@code kjadm} in its search path
     * @param schedule in cron's words
     * @param save     command line that takes one
     * @param prune    command line that removes old ones, after that
     * @param places   of the node that it sees
     */
    public record Job(
            String image, String schedule, List<String> save, List<String> prune, Places places) {}

    /**
     * Files and folders of the node, under the same paths in the container.
     *
     * @param files   that taking one reads; the job fails where one is missing
     * @param folders that taking one reads
     * @param written folders that are written to; made if they are missing
     * @param keys    files with public keys, which removing old ones reads
     */
    public record Places(
            List<Path> files, List<Path> folders, List<Path> written, List<Path> keys) {

        public Places {
            files = List.copyOf(files);
            folders = List.copyOf(folders);
            written = List.copyOf(written);
            keys = List.copyOf(keys);
        }
    }

    /** A place of the node, or memory for this run, in a container. */
    private record Mounted(Volume volume, VolumeMount mount) {

        static Mounted ofNode(String name, Path path, String type, boolean readOnly) {
            return new Mounted(
                    new VolumeBuilder()
                            .withName(name)
                            .withNewHostPath(path.toString(), type)
                            .build(),
                    new VolumeMountBuilder()
                            .withName(name)
                            .withMountPath(path.toString())
                            .withReadOnly(readOnly ? true : null)
                            .build());
        }

        static Mounted scratch(String name, String path) {
            return new Mounted(
                    new VolumeBuilder()
                            .withName(name)
                            .withNewEmptyDir()
                            .endEmptyDir()
                            .build(),
                    new VolumeMountBuilder().withName(name).withMountPath(path).build());
        }
    }

    /** The CronJob. */
    public static CronJob build(Job job) {
        return new CronJobBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(KubeSystem.NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withSchedule(job.schedule())
                .withConcurrencyPolicy("Forbid")
                .withStartingDeadlineSeconds(START_SECONDS)
                .withSuccessfulJobsHistoryLimit(KEPT)
                .withFailedJobsHistoryLimit(KEPT)
                .withNewJobTemplate()
                .withNewSpec()
                .withBackoffLimit(1)
                .withNewTemplate()
                .withNewSpec()
                .withAutomountServiceAccountToken(false)
                .withHostNetwork(true)
                .withDnsPolicy("ClusterFirstWithHostNet")
                .withNodeSelector(Map.of(CONTROL_PLANE, ""))
                .withTolerations(new TolerationBuilder()
                        .withKey(CONTROL_PLANE)
                        .withOperator("Exists")
                        .withEffect("NoSchedule")
                        .build())
                .withPriorityClassName("system-cluster-critical")
                .withRestartPolicy("Never")
                .withInitContainers(container("save", job, job.save(), all(job.places())))
                .withContainers(container("prune", job, job.prune(), pruning(job.places())))
                .withVolumes(Stream.concat(all(job.places()).stream(), keys(job.places()).stream())
                        .map(Mounted::volume)
                        .toList())
                .endSpec()
                .endTemplate()
                .endSpec()
                .endJobTemplate()
                .endSpec()
                .build();
    }

    private static Container container(
            String name, Job job, List<String> command, List<Mounted> mounted) {
        return new ContainerBuilder()
                .withName(name)
                .withImage(job.image())
                // a variable of the container is meant by nobody
                .withCommand(
                        command.stream().map(word -> word.replace("$(", "$$(")).toList())
                .withEnvFrom(credentials())
                .withNewSecurityContext()
                .withRunAsUser(0L)
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .endSecurityContext()
                .withVolumeMounts(mounted.stream().map(Mounted::mount).toList())
                .build();
    }

    /** The machine's own role may do instead of a Secret. */
    private static EnvFromSource credentials() {
        return new EnvFromSourceBuilder().withNewSecretRef(CREDENTIALS, true).build();
    }

    private static List<Mounted> all(Places places) {
        List<Mounted> all = new ArrayList<>(written(places));
        all.addAll(ofNode("file-", places.files(), "File", true));
        all.addAll(ofNode("folder-", places.folders(), "Directory", true));
        return all;
    }

    private static List<Mounted> pruning(Places places) {
        return Stream.concat(written(places).stream(), keys(places).stream()).toList();
    }

    private static List<Mounted> keys(Places places) {
        return ofNode("key-", places.keys(), "File", true);
    }

    /** What removing old ones sees, too. */
    private static List<Mounted> written(Places places) {
        List<Mounted> written = new ArrayList<>(
                List.of(Mounted.scratch("tmp", "/tmp"), Mounted.scratch("var-tmp", "/var/tmp")));
        written.addAll(ofNode("written-", places.written(), "DirectoryOrCreate", false));
        return written;
    }

    private static List<Mounted> ofNode(
            String name, List<Path> paths, String type, boolean readOnly) {
        List<Mounted> mounted = new ArrayList<>();
        for (Path path : new TreeSet<>(paths)) {
            mounted.add(Mounted.ofNode(name + mounted.size(), path, type, readOnly));
        }
        return mounted;
    }
}
