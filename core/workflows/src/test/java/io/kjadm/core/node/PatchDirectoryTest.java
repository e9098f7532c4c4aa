package io.kjadm.core.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.manifests.PatchTarget;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class PatchDirectoryTest {

    @TempDir
    private Path directory;

    private final RecordingReporter out = new RecordingReporter();
    private final PatchDirectory patches = new PatchDirectory(new DiskFiles(), out);

    private void file(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Map<String, Object> patched(PatchTarget target) {
        return patches.patched(Optional.of(directory), target, Map.of("kind", "Pod"));
    }

    @Test
    void patchesInSubDirectoriesCount() throws IOException {
        file("hardening/more/etcd.yaml", "a: 1");
        file("etcd+merge.yaml", "b: 2");
        file("kube-scheduler.yaml", "c: 3");
        assertEquals(Map.of("kind", "Pod", "a", 1, "b", 2), patched(PatchTarget.ETCD));
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void aLinkToADirectoryIsNotGoneThrough() throws IOException {
        file("etcd.yaml", "a: 1");
        Files.createSymbolicLink(directory.resolve("again"), directory);
        assertEquals(Map.of("kind", "Pod", "a", 1), patched(PatchTarget.ETCD));
    }

    @Test
    void aMistypedTargetIsAWarningOnce() throws IOException {
        file("kube-apisever+json.yaml", "- {op: add, path: /a, value: 1}");
        file("etcd.yml", "a: 1");
        patched(PatchTarget.ETCD);
        patched(PatchTarget.KUBE_APISERVER);
        assertEquals(2, out.warnings().size(), out.warnings()::toString);
        assertEquals(
                "patches: kube-apisever+json.yaml in %s is skipped: its name does not start with what may be patched: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubeletconfiguration, corednsdeployment, kubeproxydaemonset"
                        .formatted(directory),
                out.warnings().getLast());
    }
}
