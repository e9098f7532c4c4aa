package io.kjadm.core.node;

import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.KubeletFiles;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.PatchTarget;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Writes the files that configure a node's kubelet. */
public final class KubeletFileStore {

    private final HostFiles files;
    private final PatchDirectory patches;
    private final String hostname;
    private final Reporter out;

    /**
     * @param hostname of this machine, which the kubelet puts into lower case; a node that is
     *        called otherwise tells its kubelet so
     */
    public KubeletFileStore(
            HostFiles files, PatchDirectory patches, String hostname, Reporter out) {
        this.files = files;
        this.patches = patches;
        this.hostname = hostname.toLowerCase(Locale.ROOT);
        this.out = out;
    }

    /** What the kubelet's files are made from. */
    public record Input(
            NodeRegistration registration,
            KubeletConfig kubelet,
            Optional<Path> patchesDirectory,
            KubernetesPaths paths,
            boolean controlPlane) {}

    /** Writes flags, instance configuration and configuration. */
    public void write(Input input) {
        writeFlags(input);
        files.write(
                input.paths().kubeletInstanceConfig(),
                KubeletFiles.instanceConfig(input.registration().criSocket()),
                FileMode.WORLD_READABLE);
        files.write(
                input.paths().kubeletConfig(),
                ManifestYaml.write(effective(input).tree()),
                FileMode.WORLD_READABLE);
        out.step(
                "kubelet-start",
                "Writing kubelet configuration to file \"%s\""
                        .formatted(input.paths().kubeletConfig()));
    }

    /** The cluster-wide configuration with patches and what is this node's alone. */
    public KubeletConfig effective(Input input) {
        KubeletConfig patched = input.kubelet()
                .withTree(patches.patched(
                        input.patchesDirectory(),
                        PatchTarget.KUBELET_CONFIGURATION,
                        input.kubelet().tree()));
        return patched.with(input.registration().criSocket(), "containerRuntimeEndpoint");
    }

    private void writeFlags(Input input) {
        NodeRegistration registration = input.registration();
        List<KubeletFiles.Taint> taints = input.controlPlane()
                ? List.of()
                : registration.taints().orElse(List.of()).stream()
                        .map(taint ->
                                new KubeletFiles.Taint(taint.key(), taint.value(), taint.effect()))
                        .toList();
        String text = KubeletFiles.flagsEnv(new KubeletFiles.Flags(
                Optional.of(registration.name()).filter(name -> !name.equals(hostname)),
                taints,
                registration.kubeletExtraArgs().stream()
                        .map(arg -> new Argument(arg.name(), arg.value()))
                        .toList()));
        files.write(input.paths().kubeletFlags(), text, FileMode.WORLD_READABLE);
        out.step(
                "kubelet-start",
                "Writing kubelet environment file with flags to file \"%s\""
                        .formatted(input.paths().kubeletFlags()));
    }
}
