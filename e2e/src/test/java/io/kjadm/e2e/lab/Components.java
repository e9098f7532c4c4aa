package io.kjadm.e2e.lab;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What runs inside the nodes: Kubernetes itself, or stand-ins for it. Every run says which of the
 * two it was.
 */
public enum Components {
    /** Kubernetes' own kubelet, API server, controller manager, scheduler and proxy. */
    REAL("real components", "on real components: Kubernetes' own and etcd"),
    /** A stand-in kubelet and a stand-in API server; etcd is the real one all the same. */
    SANDBOX(
            "sandbox",
            "in the sandbox: kjadm, etcd and the container runtime are real; kubelet,"
                    + " API server, controller manager and scheduler are stand-ins");

    private final String title;
    private final String description;

    Components(String title, String description) {
        this.title = title;
        this.description = description;
    }

    /** What is real and what is a stand-in, as the end of a sentence about a run. */
    public String description() {
        return description;
    }

    /**
     * Real components if there is a folder with Kubernetes binaries, the sandbox otherwise;
     * {@code KJADM_COMPONENTS}, which is {@code real} or {@code sandbox}, decides if it is set.
     */
    public static Components atHand() {
        var chosen = System.getenv("KJADM_COMPONENTS");
        if (chosen != null && !chosen.isEmpty()) {
            return chosen.equals("real") ? REAL : SANDBOX;
        }
        return Files.isExecutable(kubeBinaries().resolve("kube-apiserver")) ? REAL : SANDBOX;
    }

    /** Whether a kubeadm program is there to be mixed with. */
    public static boolean kubeadmAtHand() {
        return atHand() == REAL && Files.isExecutable(kubeBinaries().resolve("kubeadm"));
    }

    /** Whether nodes can have that version of Kubernetes: a sandbox can have any. */
    public static boolean kubernetesAtHand(String version) {
        return atHand() == SANDBOX
                || Files.isExecutable(
                        kubeBinaries().resolveSibling(version).resolve("kube-apiserver"));
    }

    /**
     * The folder of Kubernetes binaries, which need not exist; the node image's build script looks
     * there too.
     */
    public static Path kubeBinaries() {
        var chosen = System.getenv("KJADM_KUBE_BIN");
        return chosen != null
                ? Path.of(chosen)
                : cache().resolve("kube").resolve(kubernetesVersion());
    }

    /** The folder with one folder of etcd binaries per version, which need not exist. */
    public static Path etcdBinaries() {
        var chosen = System.getenv("KJADM_ETCD_BIN");
        return chosen != null ? Path.of(chosen) : cache().resolve("etcd");
    }

    /**
     * The image tag of an etcd at hand whose version begins with {@code series}; the test is
     * skipped if there is none.
     *
     * @param series such as {@code 3.3.}
     */
    public static String etcdTag(String series) {
        try (var folders = Files.list(etcdBinaries())) {
            var found = folders.map(folder -> folder.getFileName().toString())
                    .filter(version -> version.startsWith(series))
                    .findFirst();
            Assumptions.assumeTrue(
                    found.isPresent(), () -> "no etcd " + series + "x in " + etcdBinaries());
            return found.get() + "-0";
        } catch (IOException e) {
            return Assumptions.abort("no etcd in " + etcdBinaries());
        }
    }

    /** The program of etcdadm, if {@code KJADM_ETCDADM} names one: there are no packages of it. */
    public static Optional<Path> etcdadm() {
        return Optional.ofNullable(System.getenv("KJADM_ETCDADM")).map(Path::of);
    }

    /** Whether that release of etcd is at hand. */
    public static boolean etcdAtHand(String version) {
        return Files.isExecutable(etcdBinaries().resolve(version).resolve("etcd"));
    }

    /**
     * Whether a suite that takes long plays everything: always on real components, in the sandbox
     * if that was asked for.
     */
    public static boolean playsAll() {
        return atHand() == REAL || "all".equals(System.getProperty("kjadm.faults"));
    }

    /** Skips a test unless everything is played. */
    public static void playOnDemandInSandbox() {
        Assumptions.assumeTrue(playsAll(), "in the sandbox played only with -Dkjadm.faults=all");
    }

    /** The Kubernetes version under test, such as {@code v1.36.2}. */
    public static String kubernetesVersion() {
        return System.getenv().getOrDefault("KJADM_KUBE_VERSION", "v1.36.2");
    }

    private static Path cache() {
        var home = System.getenv("XDG_CACHE_HOME");
        var base =
                home != null ? Path.of(home) : Path.of(System.getProperty("user.home"), ".cache");
        return base.resolve("kjadm");
    }

    @Override
    public String toString() {
        return title;
    }
}
