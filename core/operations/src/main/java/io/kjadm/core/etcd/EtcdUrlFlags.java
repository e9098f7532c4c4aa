package io.kjadm.core.etcd;

import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The URLs in the flags of an etcd, whether these are in a manifest or in an environment file. What
 * is no URL with a host is left out.
 *
 * @param flag the value of a flag by its name, without dashes in front
 */
public record EtcdUrlFlags(Function<String, Optional<String>> flag) {

    private static final Set<String> ANYWHERE = Set.of("0.0.0.0", "::");

    /** The URLs between the commas of one flag. */
    public Set<URI> of(String name) {
        Set<URI> urls = new LinkedHashSet<>();
        entries(name).flatMap(text -> StaticPodText.url(text).stream()).forEach(urls::add);
        return urls;
    }

    private Stream<String> entries(String name) {
        return flag.apply(name).stream().flatMap(list -> Arrays.stream(list.split(",")));
    }

    /** The members that it was started with. */
    public List<NameAndUrl> initialCluster() {
        return entries("initial-cluster")
                .flatMap(entry -> member(entry).stream())
                .toList();
    }

    private static Optional<NameAndUrl> member(String entry) {
        int equals = entry.indexOf('=');
        return StaticPodText.url(entry.substring(equals + 1))
                .filter(_ -> equals > 0)
                .map(url -> new NameAndUrl(entry.substring(0, equals), url));
    }

    /** Where the member serves clients. */
    public Set<URI> clients() {
        Set<URI> urls = of("advertise-client-urls");
        urls.addAll(of("listen-client-urls"));
        urls.removeIf(url -> ANYWHERE.contains(EtcdUrls.host(url)));
        return urls;
    }

    /** Where only this machine reaches it. */
    public Set<URI> local() {
        Set<URI> urls = of("listen-client-urls");
        urls.removeIf(url -> !EtcdUrls.loopback(url));
        return urls;
    }

    /**
     * Where the members that it was started with serve clients, if they do so at the usual port;
     * those that are still there know all the others.
     */
    public Set<URI> others() {
        Set<URI> urls = new LinkedHashSet<>();
        entries("initial-cluster")
                .map(entry -> entry.substring(entry.indexOf('=') + 1))
                .flatMap(url -> StaticPodText.url(url).stream())
                .map(url -> EtcdUrls.of(url.getScheme(), EtcdUrls.host(url), EtcdPorts.CLIENT))
                .forEach(urls::add);
        return urls;
    }
}
