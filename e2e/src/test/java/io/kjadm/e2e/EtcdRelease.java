package io.kjadm.e2e;

import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * Archives of etcd releases on nodes, as the release server would send them. kjadm knows the sums of
 * all releases, and what is packed from other binaries is rightly refused. So the etcd of this
 * machine calls itself a patch release that does not exist.
 */
final class EtcdRelease {
    /** In a binary the text can only be replaced by one as long. */
    private static final Pattern REPLACEABLE = Pattern.compile("3\\.[567]\\.\\d\\d");

    /** Where all archives of a node are. */
    static final String FOLDER = "/root/release";

    private EtcdRelease() {}

    /**
     * The newest etcd at hand, as another patch release of its minor version.
     *
     * @param patch of two digits
     */
    static String named(int patch) {
        var newest = newest();
        return newest.substring(0, newest.lastIndexOf('.') + 1) + patch;
    }

    /** Packs the newest etcd at hand on all nodes, as another patch release; its version. */
    static String packed(Lab lab) {
        var version = named(98);
        lab.nodes().forEach(node -> pack(node, version));
        return version;
    }

    /** Packs it on a node. */
    static void pack(Node node, String version) {
        pack(node, newest(), version);
    }

    /**
     * Packs a release at hand on a node.
     *
     * @param version that it calls itself, as long as its own
     */
    static void pack(Node node, String release, String version) {
        var folder = "/root/release/etcd-v%s-linux-amd64".formatted(version);
        node.copy(Components.etcdBinaries().resolve(release), folder);
        node.shell("LC_ALL=C sed -i 's/%s/%s/g' %s/*"
                .formatted(release.replace(".", "\\."), version, folder));
        node.shell("tar -C /root/release -czf %s etcd-v%s-linux-amd64 && rm -r %s"
                .formatted(tarball(version), version, folder));
    }

    /** Where {@link #pack} puts it, in {@link #FOLDER}. */
    static String tarball(String version) {
        return "%s/etcd-v%s-linux-amd64.tar.gz".formatted(FOLDER, version);
    }

    /** The newest etcd at hand, by its own version. */
    static String newest() {
        try (var folders = Files.list(Components.etcdBinaries())) {
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(version -> REPLACEABLE.matcher(version).matches())
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException("no etcd in " + Components.etcdBinaries(), e);
        }
    }
}
