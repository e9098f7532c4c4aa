package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.manifests.EtcdRestorePod.Restore;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The pod that restores runs as etcd's own does, and nothing but etcdutl. */
class EtcdRestorePodTest {

    private static final NameAndUrl MEMBER =
            new NameAndUrl("cp-1", URI.create("https://192.0.2.10:2380"));

    private static Restore restore(long bump, boolean summed) {
        return new Restore(
                Path.of("/var/lib/etcd/restore/snapshot.db"),
                Path.of("/var/lib/etcd/restore/data"),
                MEMBER,
                "token-1",
                bump,
                summed);
    }

    private static String etcd() throws IOException {
        try (var golden = EtcdRestorePodTest.class.getResourceAsStream(
                "/io/kjadm/manifests/golden/etcd.yaml")) {
            return new String(golden.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<String> command(long bump, boolean summed) throws IOException {
        return EtcdRestorePod.build(etcd(), restore(bump, summed), "1")
                .getSpec()
                .getContainers()
                .getFirst()
                .getCommand();
    }

    @Test
    void etcdutlRaisesTheRevisionAndMarksItAsCompacted() throws IOException {
        assertEquals(
                List.of(
                        "etcdutl",
                        "snapshot",
                        "restore",
                        "/var/lib/etcd/restore/snapshot.db",
                        "--data-dir=/var/lib/etcd/restore/data",
                        "--name=cp-1",
                        "--initial-cluster=cp-1=https://192.0.2.10:2380",
                        "--initial-advertise-peer-urls=https://192.0.2.10:2380",
                        "--initial-cluster-token=token-1",
                        "--bump-revision=1000000000",
                        "--mark-compacted"),
                command(1_000_000_000, true));
    }

    /** etcdutl refuses the one without the other. */
    @Test
    void withoutARiseNothingIsMarked() throws IOException {
        assertEquals(
                List.of(),
                command(0, true).stream()
                        .filter(argument -> argument.startsWith("--bump-revision")
                                || argument.startsWith("--mark-compacted"))
                        .toList());
    }

    @Test
    void onlyAFileWithoutASumIsNotChecked() throws IOException {
        List<String> unsummed = new ArrayList<>(command(1, false));
        assertTrue(unsummed.remove("--skip-hash-check"));
        assertEquals(command(1, true), unsummed);
    }

    @Test
    void itHasEtcdsImageAndDataAndRunsOnce() throws IOException {
        Pod etcd = ManifestYaml.read(etcd(), Pod.class);
        Pod pod = EtcdRestorePod.build(etcd(), restore(1, true), "1");

        assertEquals("Never", pod.getSpec().getRestartPolicy());
        assertEquals(
                etcd.getSpec().getContainers().getFirst().getImage(),
                pod.getSpec().getContainers().getFirst().getImage());
        assertEquals(1, pod.getSpec().getVolumes().size());
        assertEquals(EtcdPod.DATA_VOLUME, pod.getSpec().getVolumes().getFirst().getName());
        assertEquals(etcd.getSpec().getSecurityContext(), pod.getSpec().getSecurityContext());
        assertEquals(null, pod.getSpec().getContainers().getFirst().getLivenessProbe());
    }

    @Test
    void eachAttemptIsAnotherPod() throws IOException {
        assertNotEquals(
                EtcdRestorePod.build(etcd(), restore(1, true), "1"),
                EtcdRestorePod.build(etcd(), restore(1, true), "2"));
    }

    @Test
    void afterwardsEtcdListsItselfAloneAndFoundsNothing() throws IOException {
        String alone = EtcdRestorePod.alone(etcd(), MEMBER);

        List<String> initial =
                ManifestYaml.read(alone, Pod.class)
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getCommand()
                        .stream()
                        .filter(argument -> argument.startsWith("--initial-cluster"))
                        .toList();
        assertEquals(
                List.of(
                        "--initial-cluster=cp-1=https://192.0.2.10:2380",
                        "--initial-cluster-state=existing"),
                initial);
        assertEquals(alone, EtcdRestorePod.alone(alone, MEMBER));
    }

    @Test
    void whatIsNoPodOfEtcdIsRefused() {
        assertThrows(
                ManifestException.class,
                () -> EtcdRestorePod.build(
                        "kind: Pod\nspec: {containers: []}", restore(1, true), "1"));
    }
}
