package io.kjadm.manifests;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The host's directories of certificate authorities, mounted into API server and controller manager
 * so that they trust what the host trusts. {@code /etc/ssl/certs} always is; distributions that
 * fill it with links need the targets too.
 */
public final class HostCaDirectories {

    /** Mounted where they exist. */
    public static final List<Path> CANDIDATES = List.of(
            Path.of("/etc/pki/ca-trust"),
            Path.of("/etc/pki/tls/certs"),
            Path.of("/etc/ca-certificates"),
            Path.of("/usr/share/ca-certificates"),
            Path.of("/usr/local/share/ca-certificates"));

    private static final Path ALWAYS = Path.of("/etc/ssl/certs");

    private HostCaDirectories() {}

    static List<HostVolume> volumes(List<Path> existing) {
        var volumes = new ArrayList<HostVolume>();
        volumes.add(HostVolume.directory("ca-certs", ALWAYS));
        existing.forEach(
                directory -> volumes.add(HostVolume.directory(volumeName(directory), directory)));
        return volumes;
    }

    /**
     * The directories of these files that no other mount covers: the outermost ones, sorted. What
     * lies below the CA directories or the certificates directory is in the pod already.
     */
    static List<Path> uncovered(Collection<Path> files, Path certificatesDir) {
        List<Path> covered = Stream.concat(Stream.of(ALWAYS, certificatesDir), CANDIDATES.stream())
                .toList();
        List<Path> parents = files.stream()
                .map(Path::normalize)
                .filter(file -> covered.stream().noneMatch(file::startsWith))
                .map(Path::getParent)
                .distinct()
                .sorted()
                .toList();
        return parents.stream()
                .filter(directory -> parents.stream()
                        .noneMatch(
                                other -> !other.equals(directory) && directory.startsWith(other)))
                .toList();
    }

    private static String volumeName(Path directory) {
        return directory.toString().substring(1).replace('/', '-');
    }
}
