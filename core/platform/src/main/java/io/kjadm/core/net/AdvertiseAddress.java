package io.kjadm.core.net;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.IpAddresses;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Finds the address under which this node's API server is reached. */
public final class AdvertiseAddress {

    /** What stands for "none was found". */
    public static final String UNSPECIFIED = "0.0.0.0";

    private static final List<Boolean> IPV4_FIRST = List.of(false, true);
    private static final List<Boolean> IPV6_FIRST = List.of(true, false);

    private final Supplier<NetworkFacts> network;

    /** Asks for the network only if the address is not given. */
    public AdvertiseAddress(Supplier<NetworkFacts> network) {
        this.network = network;
    }

    /**
     * The address to use. An ordinary address stays as it is, a loopback address stands for the
     * global one of the loopback interface, none or an unspecified one for that of the default
     * route.
     *
     * @param given the configured text, may be empty
     * @return the address in its usual text, or {@link #UNSPECIFIED} without any default route
     * @throws UsageException if the text is not an IP address, or loopback leads nowhere
     */
    public String choose(String given) {
        if (given.isEmpty()) {
            return byDefaultRoute(IPV4_FIRST);
        }
        InetAddress address = IpAddresses.parse(given)
                .orElseThrow(
                        () -> new UsageException(
                                "invalid advertise address \"%s\"".formatted(given),
                                "it is not an IP address",
                                "correct localAPIEndpoint.advertiseAddress (--apiserver-advertise-address)"));
        if (address.isAnyLocalAddress()) {
            return byDefaultRoute(given.contains(":") ? IPV6_FIRST : IPV4_FIRST);
        }
        return IpAddresses.text(address.isLoopbackAddress() ? loopback(given) : address);
    }

    /** As Go has it: private networks count, link-local ones do not. */
    public static boolean isGlobalUnicast(InetAddress address) {
        return !address.isAnyLocalAddress()
                && !address.isLoopbackAddress()
                && !address.isMulticastAddress()
                && !address.isLinkLocalAddress()
                && !Arrays.equals(address.getAddress(), new byte[] {-1, -1, -1, -1});
    }

    private InetAddress loopback(String given) {
        return firstGlobal(
                        network.get().interfaces().stream()
                                .filter(candidate -> candidate.name().equals("lo"))
                                .toList(),
                        IPV4_FIRST)
                .orElseThrow(() -> new UsageException(
                        "advertise address %s cannot be used".formatted(given),
                        "other nodes cannot reach it, and interface lo has no other address",
                        "give an address of this machine that the other nodes can reach"));
    }

    private String byDefaultRoute(List<Boolean> families) {
        NetworkFacts facts = network.get();
        Optional<InetAddress> found = facts.defaultRoutes().isPresent()
                ? families.stream().flatMap(ipv6 -> onRoutes(facts, ipv6)).findFirst()
                : firstGlobal(
                        facts.interfaces().stream()
                                .filter(candidate ->
                                        !candidate.loopback() && !candidate.pointToPoint())
                                .toList(),
                        families);
        return found.map(IpAddresses::text).orElse(UNSPECIFIED);
    }

    /** Addresses for the routes of a family; hosts may keep their address on loopback (BGP). */
    private static Stream<InetAddress> onRoutes(NetworkFacts facts, boolean ipv6) {
        return facts.defaultRoutes().orElseThrow().stream()
                .filter(route -> route.ipv6() == ipv6)
                .flatMap(route -> facts.interfaces().stream()
                        .filter(candidate -> candidate.name().equals(route.interfaceName()))
                        .flatMap(candidate -> candidate.globalUnicast(ipv6).stream())
                        .findFirst()
                        .or(() -> facts.interfaces().stream()
                                .filter(NetworkFacts.Interface::loopback)
                                .flatMap(candidate -> candidate.globalUnicast(ipv6).stream())
                                .findFirst())
                        .stream());
    }

    private static Optional<InetAddress> firstGlobal(
            List<NetworkFacts.Interface> candidates, List<Boolean> families) {
        return families.stream()
                .flatMap(ipv6 -> candidates.stream()
                        .flatMap(candidate -> candidate.globalUnicast(ipv6).stream()))
                .findFirst();
    }
}
