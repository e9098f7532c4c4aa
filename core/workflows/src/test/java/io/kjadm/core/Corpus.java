package io.kjadm.core;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.manifests.KubernetesReleases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the real kubeadm renders, in a folder beside the repository that not everybody has. */
public final class Corpus {

    private static final Path FOLDER = Path.of("../../../shared/corpus");

    private Corpus() {}

    /** The folder; without it the test is skipped, and says so. */
    public static Path folder() {
        boolean present = Files.isDirectory(FOLDER);
        if (!present) {
            System.out.println("skipped: ../shared/corpus is not there to compare with");
        }
        assumeTrue(present, "../shared/corpus is not there to compare with");
        return FOLDER;
    }

    /**
     * What was recorded, with what has changed since that kubeadm: the tags that go with this
     * program, and kube-proxy's mode, which is written out since kubeadm 1.37.
     */
    public static String read(Path file) throws IOException {
        KubernetesReleases table = KubernetesReleases.KNOWN;
        return Files.readString(file)
                .replace("/etcd:3.6.8-0", "/etcd:" + table.etcdTag("v1.36.2"))
                .replace("/coredns:v1.14.2", "/coredns:" + table.newest().coreDnsTag())
                .replace("mode: \\\"\\\"", "mode: iptables");
    }
}
