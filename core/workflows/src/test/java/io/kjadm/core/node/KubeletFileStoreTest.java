package io.kjadm.core.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.init.InitLab;
import io.kjadm.core.phase.RecordingReporter;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Optional;

class KubeletFileStoreTest {

    private static final LoadedInit LOADED = InitLab.load("""
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: InitConfiguration
            nodeRegistration: {name: node-1, criSocket: "unix:///run/c.sock"}
            ---
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: ClusterConfiguration
            kubernetesVersion: v1.36.2
            """);

    private final MemoryFiles files = new MemoryFiles();
    private final RecordingReporter out = new RecordingReporter();

    @ParameterizedTest
    @CsvSource({"node-1,false", "Node-1,false", "other,true", "node-1.example,true"})
    void theKubeletIsToldItsNameOnlyIfItIsNotTheMachines(String hostname, boolean told) {
        KubernetesPaths paths = KubernetesPaths.standard();
        new KubeletFileStore(files, new PatchDirectory(files, out), hostname, out)
                .write(new KubeletFileStore.Input(
                        LOADED.init().nodeRegistration(),
                        LOADED.kubelet(),
                        Optional.empty(),
                        paths,
                        true));
        assertEquals(
                "KUBELET_KUBEADM_ARGS=\"%s\"\n".formatted(told ? "--hostname-override=node-1" : ""),
                files.text(paths.kubeletFlags().toString()));
    }
}
