package io.kjadm.core.standalone;

import io.kjadm.pki.CertificateKey;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What only one run is told.
 *
 * @param releaseUrl     below which releases of etcd are
 * @param insecureServerAllowed whether a release that this program does not know may come over
 *                       plain HTTP
 * @param tarball        a release that is here already
 * @param bundle         the file with the encrypted CA
 * @param certificateKey by which it is encrypted
 * @param ignorePreflightErrors names of checks whose errors are warnings
 * @param versionChosen  whether it says which release it wants
 */
public record EtcdRunOptions(
        URI releaseUrl,
        boolean insecureServerAllowed,
        Optional<Path> tarball,
        Optional<Path> bundle,
        Optional<CertificateKey> certificateKey,
        List<String> ignorePreflightErrors,
        boolean versionChosen) {

    /** Where etcd's own releases are. */
    public static final URI RELEASES =
            URI.create("https://github.com/etcd-io/etcd/releases/download");

    public EtcdRunOptions {
        ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
    }
}
