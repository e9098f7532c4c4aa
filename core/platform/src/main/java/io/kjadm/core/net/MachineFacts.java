package io.kjadm.core.net;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.value.IpAddresses;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The facts of the machine this program runs on, from the kernel and the JDK. */
public final class MachineFacts implements HostFacts {

    private static final Duration FETCH_LIMIT = Duration.ofSeconds(10);
    private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");
    private static final int ROUTE_UP = 0x1;
    private static final int ROUTE_REJECTS = 0x200;
    private static final Path IPV4_ROUTES = Path.of("/proc/net/route");
    private static final Path IPV6_ROUTES = Path.of("/proc/net/ipv6_route");

    @Override
    public String hostname() {
        try {
            return Files.readString(HOSTNAME).strip();
        } catch (IOException e) {
            throw new HostException(
                    "the host name cannot be read",
                    HOSTNAME + ": " + Causes.words(e),
                    "give a name with --node-name",
                    e);
        }
    }

    @Override
    public NetworkFacts network() {
        try {
            Optional<List<NetworkFacts.DefaultRoute>> routes =
                    Files.exists(IPV4_ROUTES) ? Optional.of(routes()) : Optional.empty();
            return new NetworkFacts(routes, interfaces());
        } catch (IOException e) {
            throw new HostException(
                    "the network of this machine cannot be read",
                    Causes.words(e),
                    "give an address with --apiserver-advertise-address",
                    e);
        }
    }

    @Override
    public boolean answers(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String fetch(URI url) throws IOException {
        HttpText.Answer answer =
                HttpText.ofMachine(System.getenv(), FETCH_LIMIT).get(url);
        if (answer.status() != 200) {
            throw new IOException("HTTP status " + answer.status());
        }
        return answer.body();
    }

    private static List<NetworkFacts.DefaultRoute> routes() throws IOException {
        List<NetworkFacts.DefaultRoute> routes =
                new ArrayList<>(ipv4Routes(Files.readAllLines(IPV4_ROUTES)));
        if (Files.exists(IPV6_ROUTES)) {
            routes.addAll(ipv6Routes(Files.readAllLines(IPV6_ROUTES)));
        }
        return routes;
    }

    /**
     * Default routes, from the lines of {@code /proc/net/route}: interface, destination, gateway,
     * flags, …
     */
    public static List<NetworkFacts.DefaultRoute> ipv4Routes(List<String> lines) {
        return lines.stream()
                .skip(1)
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> fields.length > 7
                        && fields[1].equals("00000000")
                        && fields[7].equals("00000000")
                        && usable(fields[3]))
                .map(fields -> new NetworkFacts.DefaultRoute(false, fields[0]))
                .toList();
    }

    /** Default routes, from the lines of {@code /proc/net/ipv6_route}; the interface comes last. */
    public static List<NetworkFacts.DefaultRoute> ipv6Routes(List<String> lines) {
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> fields.length > 9
                        && fields[0].matches("0{32}")
                        && fields[1].equals("00")
                        && usable(fields[8])
                        && !fields[9].equals("lo"))
                .map(fields -> new NetworkFacts.DefaultRoute(true, fields[9]))
                .toList();
    }

    /** The kernel keeps a refusing route to everywhere in each table without a real one. */
    private static boolean usable(String hexFlags) {
        long flags = Long.parseLong(hexFlags, 16);
        return (flags & ROUTE_UP) != 0 && (flags & ROUTE_REJECTS) == 0;
    }

    private static List<NetworkFacts.Interface> interfaces() throws SocketException {
        List<NetworkFacts.Interface> interfaces = new ArrayList<>();
        for (NetworkInterface found : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            List<InetAddress> addresses = found.getInterfaceAddresses().stream()
                    .map(address -> IpAddresses.address(address.getAddress().getAddress()))
                    .toList();
            interfaces.add(new NetworkFacts.Interface(
                    found.getName(),
                    found.isUp(),
                    found.isLoopback(),
                    found.isPointToPoint(),
                    addresses));
        }
        return interfaces;
    }
}
