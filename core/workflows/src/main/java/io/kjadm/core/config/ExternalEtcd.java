package io.kjadm.core.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Somebody else's etcd.
 *
 * @param endpoints client URLs for the API server
 * @param httpEndpoints URLs whose {@code /version} tells the version
 */
public record ExternalEtcd(
        List<URI> endpoints,
        List<URI> httpEndpoints,
        Optional<Path> caFile,
        Optional<Path> certFile,
        Optional<Path> keyFile)
        implements Etcd {

    public ExternalEtcd {
        endpoints = List.copyOf(endpoints);
        httpEndpoints = List.copyOf(httpEndpoints);
    }
}
