package io.kjadm.etcd;

import java.net.URI;
import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The peer URLs of one member as a set in canonical form. etcd compares all of them, in any order,
 * so comparing only the first would miss a clash.
 */
public record PeerUrls(Set<URI> urls) {

    public PeerUrls {
        var sorted = new TreeSet<URI>();
        urls.forEach(url -> sorted.add(EtcdUrls.canonical(url, EtcdPorts.PEER)));
        urls = Collections.unmodifiableSet(sorted);
    }

    public static PeerUrls of(Collection<URI> urls) {
        return new PeerUrls(Set.copyOf(urls));
    }

    public static PeerUrls of(URI url) {
        return new PeerUrls(Set.of(url));
    }

    public static PeerUrls of(Member member) {
        return of(member.peerUrls());
    }

    public boolean overlaps(PeerUrls other) {
        return !Collections.disjoint(urls, other.urls);
    }

    @Override
    public String toString() {
        return urls.stream().map(URI::toString).collect(Collectors.joining(","));
    }
}
