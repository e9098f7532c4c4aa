package io.kjadm.core.reset;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.Mounts;
import io.kjadm.core.host.Services;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.UnmountFlag;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes from the machine what made it a node: the running kubelet, its
 * mounts, all pods of the container runtime, and the files. What cannot be taken is a warning, but
 * for a mount: below it may lie somebody's data, which must not be deleted through it.
 *
 * <p>etcd's data is never touched. A member that is still in the member list and has lost its data
 * harms the whole cluster, so deleting it is for the step that removed the member.
 *
 * <p>Running it again goes on with what is left.
 */
record NodeCleanup(HostFiles files, Mounts mounts, Services services, RuntimeConnector runtimes) {

    private static final String AREA = "reset";
    private static final int ATTEMPTS = 5;
    private static final List<String> KUBECONFIGS = List.of(
            "admin.conf",
            "super-admin.conf",
            "kubelet.conf",
            "bootstrap-kubelet.conf",
            "controller-manager.conf",
            "scheduler.conf");

    /**
     * What to clean.
     *
     * @param paths       of the node; the certificates directory is the operator's choice
     * @param etcdDataDir what stays, wherever it is
     * @param criSocket   of the runtime whose pods go; empty if the runtime is not known
     * @param cleanTmpDir whether {@code /etc/kubernetes/tmp} goes too
     */
    public record Order(
            KubernetesPaths paths,
            Path etcdDataDir,
            Optional<String> criSocket,
            List<UnmountFlag> unmountFlags,
            boolean cleanTmpDir) {
        public Order {
            unmountFlags = List.copyOf(unmountFlags);
        }
    }

    /**
     * Cleans.
     *
     * @return what could not be done, as warnings to print
     * @throws HostException if a mount below the kubelet's directory stays; no file was deleted
     *         then
     */
    public List<String> run(Order order, Reporter out) {
        List<String> warnings = new ArrayList<>();
        out.step(AREA, "Stopping the kubelet service");
        services.stop("kubelet").ifPresent(warnings::add);
        Optional<Path> kubeletDir = kubeletDir(order, warnings);
        kubeletDir.ifPresent(directory -> {
            out.step(AREA, "Unmounting what is mounted below \"%s\"".formatted(directory));
            unmount(directory, order.unmountFlags(), warnings);
        });
        removePods(order.criSocket(), warnings, out);
        // a driver of volumes brings back what it takes for lost, until its own pod is gone
        kubeletDir.ifPresent(directory -> unmount(directory, order.unmountFlags(), warnings));
        emptyDirectories(order, kubeletDir, warnings, out);
        deleteKubeconfigs(order.paths(), warnings, out);
        if (order.cleanTmpDir()) {
            // last, as the reset's own journal is in it
            out.step(AREA, "Deleting contents of directory " + order.paths().tmpDir());
            empty(order.paths().tmpDir(), order.etcdDataDir(), warnings);
        }
        return warnings;
    }

    /** The kernel lists mounts by the directory behind a symbolic link. */
    private Optional<Path> kubeletDir(Order order, List<String> warnings) {
        Path directory = order.paths().kubeletDir();
        try {
            Optional<Path> real = files.realPath(directory);
            if (real.isEmpty()) {
                warnings.add("%s does not exist, nothing to clean there".formatted(directory));
            }
            return real;
        } catch (HostException e) {
            warnings.add("%s is left alone: %s".formatted(directory, e.getMessage()));
            return Optional.empty();
        }
    }

    private void unmount(Path directory, List<UnmountFlag> flags, List<String> warnings) {
        List<String> stuck = new ArrayList<>();
        for (Path target : mounts.below(directory)) {
            try {
                mounts.unmount(target, flags).ifPresent(warnings::add);
            } catch (HostException e) {
                stuck.add("%s (%s)".formatted(target, e.why()));
            }
        }
        if (!stuck.isEmpty()) {
            throw new HostException(
                    "cannot unmount everything below " + directory,
                    String.join(", ", stuck),
                    "stop what uses these mounts or set unmountFlags, then reset again");
        }
    }

    private void removePods(Optional<String> criSocket, List<String> warnings, Reporter out) {
        if (criSocket.isEmpty()) {
            warnings.add("the container runtime is not known, so its pods were not removed");
            return;
        }
        out.step(AREA, "Removing all pods of the container runtime at " + criSocket.get());
        try {
            ContainerRuntime runtime = runtimes.connect(criSocket.get());
            runtime.sandboxes().forEach(id -> removeSandbox(runtime, id).ifPresent(warnings::add));
        } catch (HostException e) {
            warnings.add("pods were not removed: " + e.getMessage());
        }
    }

    /** A pod that is just being started or stopped refuses for a moment. */
    private static Optional<String> removeSandbox(ContainerRuntime runtime, String id) {
        HostException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                runtime.stopSandbox(id);
                runtime.removeSandbox(id);
                return Optional.empty();
            } catch (HostException e) {
                last = e;
            }
        }
        return Optional.of("pod sandbox %s was not removed: %s".formatted(id, last.getMessage()));
    }

    private void emptyDirectories(
            Order order, Optional<Path> kubeletDir, List<String> warnings, Reporter out) {
        KubernetesPaths paths = order.paths();
        List<Path> directories = new ArrayList<>(List.of(paths.manifestsDir()));
        kubeletDir.ifPresent(directories::add);
        directories.add(paths.certificatesDir());
        if (!paths.certificatesDir().equals(KubernetesPaths.CERTIFICATES_DIR)) {
            warnings.add(
                    "the contents of %s are deleted, which is not the usual certificates directory"
                            .formatted(paths.certificatesDir()));
        }
        out.step(AREA, "Deleting contents of directories: " + directories);
        directories.forEach(directory -> empty(directory, order.etcdDataDir(), warnings));
    }

    private void empty(Path directory, Path etcdDataDir, List<String> warnings) {
        try {
            Path real = files.realPath(directory).orElse(directory);
            Path data = files.realPath(etcdDataDir).orElse(etcdDataDir);
            if (data.startsWith(real) || real.startsWith(data)) {
                warnings.add("%s is left alone, since etcd keeps its data in %s"
                        .formatted(directory, etcdDataDir));
                return;
            }
            files.deleteContents(directory);
        } catch (HostException e) {
            warnings.add(e.getMessage());
        }
    }

    private void deleteKubeconfigs(KubernetesPaths paths, List<String> warnings, Reporter out) {
        List<Path> kubeconfigs = KUBECONFIGS.stream().map(paths::kubeconfig).toList();
        out.step(AREA, "Deleting files: " + kubeconfigs);
        for (Path kubeconfig : kubeconfigs) {
            try {
                files.delete(kubeconfig);
            } catch (HostException e) {
                warnings.add(e.getMessage());
            }
        }
    }
}
