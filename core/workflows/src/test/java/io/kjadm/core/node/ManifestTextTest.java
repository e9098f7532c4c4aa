package io.kjadm.core.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.init.InitLab;
import io.kjadm.core.init.InitRun;
import io.kjadm.manifests.PatchTarget;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Manifests as text: what would be written, without any change. */
class ManifestTextTest {

    private static final List<PatchTarget> PODS = List.of(
            PatchTarget.ETCD,
            PatchTarget.KUBE_APISERVER,
            PatchTarget.KUBE_CONTROLLER_MANAGER,
            PatchTarget.KUBE_SCHEDULER);

    private final InitLab lab = new InitLab();

    private InitRun start(boolean rootless) {
        lab.files
                .with("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
                .with("/etc/group", "root:x:0:\n")
                .with("/patches/etcd.yaml", "metadata: {annotations: {example/a: b}}\n");
        return lab.start(InitLab.load("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
                patches: {directory: /patches}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                encryptionAlgorithm: ECDSA-P256
                featureGates: {RootlessControlPlane: %s}
                """.formatted(rootless)), false);
    }

    private ManifestStore store() {
        return new ManifestStore(
                lab.files,
                new ControlPlanePods(lab.files, Map.of()),
                new RootlessUsers(lab.files, lab.waiter),
                new PatchDirectory(lab.files, lab.out),
                lab.out);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTextIsWhatIsWrittenLater(boolean rootless) {
        InitRun run = lab.phases(start(rootless), "certs", "kubeconfig");
        Map<Path, String> before = lab.contents();
        Map<PatchTarget, String> texts = new TreeMap<>();
        PODS.forEach(pod -> texts.put(pod, store().foreseen(run.node(), pod, Optional.empty())));
        assertEquals(before, lab.contents());

        lab.phases(run, "etcd", "control-plane");
        PODS.forEach(pod -> assertEquals(
                lab.files.text("/etc/kubernetes/manifests/%s.yaml".formatted(pod.fileName())),
                texts.get(pod)));
    }

    @Test
    void whatIsNoPodHasNoManifest() {
        InitRun run = start(false);
        assertThrows(
                IllegalArgumentException.class,
                () -> store().foreseen(
                                run.node(), PatchTarget.KUBELET_CONFIGURATION, Optional.empty()));
    }
}
