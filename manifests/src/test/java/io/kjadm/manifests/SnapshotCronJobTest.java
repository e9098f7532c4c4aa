package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.kjadm.manifests.SnapshotCronJob.Job;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

class SnapshotCronJobTest {

    private static final Job JOB = new Job(
            "example.org/kjadm:1",
            "0 */6 * * *",
            List.of("kjadm", "etcd", "snapshot", "save", "--label=a=$(HOME)"),
            List.of("kjadm", "etcd", "snapshot", "prune"),
            List.of(Path.of("/var/lib/kjadm-snapshots"), Path.of("/m"), Path.of("/m")));

    private static CronJob read() {
        return ManifestYaml.read(
                ManifestYaml.write(ManifestYaml.tree(SnapshotCronJob.build(JOB))), CronJob.class);
    }

    private static PodSpec pod() {
        return read().getSpec().getJobTemplate().getSpec().getTemplate().getSpec();
    }

    @Test
    void itRunsOneAtATimeAtTheTimesGiven() {
        assertEquals("0 */6 * * *", read().getSpec().getSchedule());
        assertEquals("Forbid", read().getSpec().getConcurrencyPolicy());
    }

    @Test
    void oldOnesAreRemovedOnlyAfterOneWasTaken() {
        assertEquals(
                List.of("kjadm", "etcd", "snapshot", "save", "--label=a=$$(HOME)"),
                pod().getInitContainers().getFirst().getCommand());
        assertEquals(JOB.prune(), pod().getContainers().getFirst().getCommand());
    }

    @Test
    void itIsOnAControlPlaneNodeWithItsNetwork() {
        assertTrue(pod().getNodeSelector().containsKey("node-role.kubernetes.io/control-plane"));
        assertEquals(
                "node-role.kubernetes.io/control-plane",
                pod().getTolerations().getFirst().getKey());
        assertTrue(pod().getHostNetwork());
    }

    @Test
    void everyMountHasItsVolumeAndTheNodesConfigurationIsOnlyRead() {
        List<String> volumes =
                pod().getVolumes().stream().map(volume -> volume.getName()).toList();
        for (Container container : Stream.concat(
                        pod().getInitContainers().stream(), pod().getContainers().stream())
                .toList()) {
            assertEquals(
                    volumes,
                    container.getVolumeMounts().stream()
                            .map(VolumeMount::getName)
                            .toList());
            assertTrue(container.getVolumeMounts().getFirst().getReadOnly());
        }
        assertEquals(3, volumes.size());
    }

    @Test
    void credentialsAreOnlyNamed() {
        assertEquals(
                SnapshotCronJob.CREDENTIALS,
                pod().getContainers()
                        .getFirst()
                        .getEnvFrom()
                        .getFirst()
                        .getSecretRef()
                        .getName());
    }
}
