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

/**
 * The CronJob that takes snapshots of etcd on a control-plane node: with the node's network and
 * files, as etcd listens there and its certificates lie there.
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
     * @param written  folders of the node that are written to; made if they are missing
     */
    public record Job(
            String image,
            String schedule,
            List<String> save,
            List<String> prune,
            List<Path> written) {}

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
                .withInitContainers(container("save", job, job.save()))
                .withContainers(container("prune", job, job.prune()))
                .withVolumes(volumes(job))
                .endSpec()
                .endTemplate()
                .endSpec()
                .endJobTemplate()
                .endSpec()
                .build();
    }

    private static Container container(String name, Job job, List<String> command) {
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
                .endSecurityContext()
                .withVolumeMounts(mounts(job))
                .build();
    }

    /** The machine's own role may do instead of a Secret. */
    private static EnvFromSource credentials() {
        return new EnvFromSourceBuilder().withNewSecretRef(CREDENTIALS, true).build();
    }

    private static List<Volume> volumes(Job job) {
        List<Volume> volumes = new ArrayList<>();
        volumes.add(new VolumeBuilder()
                .withName("kubernetes")
                .withNewHostPath("/etc/kubernetes", "Directory")
                .build());
        int number = 0;
        for (Path folder : new TreeSet<>(job.written())) {
            volumes.add(new VolumeBuilder()
                    .withName("written-" + number++)
                    .withNewHostPath(folder.toString(), "DirectoryOrCreate")
                    .build());
        }
        return volumes;
    }

    private static List<VolumeMount> mounts(Job job) {
        List<VolumeMount> mounts = new ArrayList<>();
        mounts.add(new VolumeMountBuilder()
                .withName("kubernetes")
                .withMountPath("/etc/kubernetes")
                .withReadOnly(true)
                .build());
        int number = 0;
        for (Path folder : new TreeSet<>(job.written())) {
            mounts.add(new VolumeMountBuilder()
                    .withName("written-" + number++)
                    .withMountPath(folder.toString())
                    .build());
        }
        return mounts;
    }
}
