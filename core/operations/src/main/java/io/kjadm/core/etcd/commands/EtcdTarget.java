package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.UsageException;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Which etcd is meant.
 *
 * @param endpoints       client URLs the operator names; none means this node's etcd
 * @param certificatesDir with {@code etcd/ca.crt} and the client certificate, if the operator names
 *         it
 */
public record EtcdTarget(List<URI> endpoints, Optional<Path> certificatesDir) {

    public EtcdTarget {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * From what was typed.
     *
     * @param endpoints client URLs; {@code host:port} alone means https
     * @throws UsageException if one is no URL of an etcd server
     */
    public static EtcdTarget of(List<String> endpoints, Optional<Path> certificatesDir) {
        return new EtcdTarget(
                endpoints.stream().map(EtcdTarget::url).distinct().toList(), certificatesDir);
    }

    private static URI url(String text) {
        String typed = text.strip();
        try {
            URI url = URI.create(typed.contains("://") ? typed : "https://" + typed);
            boolean known = "https".equalsIgnoreCase(url.getScheme())
                    || "http".equalsIgnoreCase(url.getScheme());
            boolean bare = url.getPath().isEmpty() || url.getPath().equals("/");
            if (known && url.getHost() != null && bare) {
                return url;
            }
        } catch (IllegalArgumentException e) {
            // the same answer as for every other text that is no such URL
        }
        throw new UsageException(
                "\"%s\" is not an etcd endpoint".formatted(typed),
                "an endpoint is a client URL such as https://10.0.0.1:2379",
                "name client URLs with --endpoints, commas between them");
    }
}
