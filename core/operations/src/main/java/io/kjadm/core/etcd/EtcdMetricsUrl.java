package io.kjadm.core.etcd;

import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where this machine's etcd answers for its metrics and its health, in plain HTTP if it can. */
public final class EtcdMetricsUrl {

    private static final Set<String> EVERYWHERE = Set.of("0.0.0.0", "::");

    private static final String PLAIN = "http";

    private EtcdMetricsUrl() {}

    /**
     * The URL without a path.
     *
     * @param listenMetricsUrls the value of {@code --listen-metrics-urls}, URLs between commas
     * @param ipv6              whether this machine's own address is one of IPv6
     */
    public static URI of(Optional<String> listenMetricsUrls, boolean ipv6) {
        String loopback = ipv6 ? "::1" : "127.0.0.1";
        List<URI> urls = listenMetricsUrls.stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .map(String::strip)
                .filter(url -> !url.isEmpty())
                .map(URI::create)
                .toList();
        return urls.stream()
                .filter(url -> PLAIN.equals(url.getScheme()))
                .findFirst()
                .or(() -> urls.stream().findFirst())
                .map(url -> EVERYWHERE.contains(EtcdUrls.host(url))
                        ? EtcdUrls.of(url.getScheme(), loopback, url.getPort())
                        : url)
                .orElseGet(() -> EtcdUrls.of(PLAIN, loopback, EtcdPorts.METRICS));
    }
}
