package io.kjadm.core.net;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * The machine's network, as far as finding its address goes.
 *
 * @param defaultRoutes in the order of the routing tables; absent if there are no such tables
 * @param interfaces in the order of the operating system
 */
public record NetworkFacts(Optional<List<DefaultRoute>> defaultRoutes, List<Interface> interfaces) {

    public NetworkFacts {
        defaultRoutes = defaultRoutes.map(List::copyOf);
        interfaces = List.copyOf(interfaces);
    }

    /** A route to everywhere. */
    public record DefaultRoute(boolean ipv6, String interfaceName) {}

    /** One interface with its addresses. */
    public record Interface(
            String name,
            boolean up,
            boolean loopback,
            boolean pointToPoint,
            List<InetAddress> addresses) {

        public Interface {
            addresses = List.copyOf(addresses);
        }

        /** The first address of a family that other machines may reach, if the interface is up. */
        Optional<InetAddress> globalUnicast(boolean ipv6) {
            return !up
                    ? Optional.empty()
                    : addresses.stream()
                            .filter(address -> address instanceof Inet6Address == ipv6)
                            .filter(AdvertiseAddress::isGlobalUnicast)
                            .findFirst();
        }
    }
}
