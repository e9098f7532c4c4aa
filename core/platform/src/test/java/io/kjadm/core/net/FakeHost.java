package io.kjadm.core.net;

import io.kjadm.core.value.IpAddresses;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A machine as a test wants it: by default one interface, one route, no runtime, no network. */
public final class FakeHost implements HostFacts {

    public String hostname = "Test-Host";
    public final Set<String> sockets = new HashSet<>();
    public final Map<String, String> pages = new HashMap<>();
    public final List<String> fetched = new ArrayList<>();
    public NetworkFacts network = new NetworkFacts(
            Optional.of(List.of(new NetworkFacts.DefaultRoute(false, "eth0"))),
            List.of(lo("127.0.0.1"), up("eth0", "192.0.2.10", "2001:db8::10")));

    public static NetworkFacts.Interface up(String name, String... addresses) {
        return new NetworkFacts.Interface(name, true, false, false, addresses(addresses));
    }

    public static NetworkFacts.Interface lo(String... addresses) {
        return new NetworkFacts.Interface("lo", true, true, false, addresses(addresses));
    }

    private static List<InetAddress> addresses(String... texts) {
        return Stream.of(texts)
                .map(text -> IpAddresses.parse(text).orElseThrow())
                .toList();
    }

    @Override
    public String hostname() {
        return hostname;
    }

    @Override
    public NetworkFacts network() {
        return network;
    }

    @Override
    public boolean answers(Path socket) {
        return sockets.contains(socket.toString());
    }

    @Override
    public String fetch(URI url) throws IOException {
        fetched.add(url.toString());
        String page = pages.get(url.toString());
        if (page == null) {
            throw new IOException("no network");
        }
        return page;
    }
}
