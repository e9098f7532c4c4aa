package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.kjadm.manifests.SnapshotCronJob.Job;
import io.kjadm.manifests.SnapshotCronJob.Places;

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
            new Places(
                    List.of(Path.of("/etc/kubernetes/pki/etcd/ca.crt"), Path.of("/client.key")),
                    List.of(Path.of("/folder")),
                    List.of(Path.of("/var/lib/kjadm-snapshots"), Path.of("/m"), Path.of("/m")),
                    List.of(Path.of("/verify.pub"))));

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

    private static List<String> paths(Container container) {
        return container.getVolumeMounts().stream()
                .map(VolumeMount::getMountPath)
                .toList();
    }

    private static Stream<Container> containers() {
        return Stream.concat(pod().getInitContainers().stream(), pod().getContainers().stream());
    }

    @Test
    void onlySaveSeesWhatItReads() {
        List<String> written = List.of("/tmp", "/var/tmp", "/m", "/var/lib/kjadm-snapshots");
        List<String> read = List.of("/client.key", "/etc/kubernetes/pki/etcd/ca.crt", "/folder");
        assertEquals(
                Stream.concat(written.stream(), read.stream()).toList(),
                paths(pod().getInitContainers().getFirst()));
        assertEquals(
                Stream.concat(written.stream(), Stream.of("/verify.pub")).toList(),
                paths(pod().getContainers().getFirst()));
        pod().getInitContainers()
                .getFirst()
                .getVolumeMounts()
                .forEach(mount -> assertEquals(
                        read.contains(mount.getMountPath()),
                        Boolean.TRUE.equals(mount.getReadOnly()),
                        mount.getMountPath()));
    }

    @Test
    void everyMountHasItsVolume() {
        List<String> volumes = pod().getVolumes().stream().map(Volume::getName).toList();
        containers()
                .flatMap(container -> container.getVolumeMounts().stream())
                .forEach(mount -> assertTrue(volumes.contains(mount.getName()), mount.getName()));
        assertEquals(
                List.of("File", "File", "Directory"),
                pod().getVolumes().stream()
                        .filter(volume -> volume.getName().matches("(file|folder)-.*"))
                        .map(volume -> volume.getHostPath().getType())
                        .toList());
    }

    @Test
    void theContainersHaveNoPrivilegeThatTheyDoNotNeed() {
        containers().map(Container::getSecurityContext).forEach(context -> {
            assertEquals(List.of("ALL"), context.getCapabilities().getDrop());
            assertTrue(context.getCapabilities().getAdd().isEmpty());
            assertTrue(context.getReadOnlyRootFilesystem());
            assertEquals("RuntimeDefault", context.getSeccompProfile().getType());
            assertFalse(context.getAllowPrivilegeEscalation());
        });
        assertFalse(pod().getAutomountServiceAccountToken());
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
