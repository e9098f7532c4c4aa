package io.kjadm.core.config;

import java.util.List;

/** Finds the default routes in the kernel's routing tables, as {@code /proc/net} shows them. */
final class RouteTable {

    private static final int UP = 0x1;
    private static final int REJECT = 0x200;

    private RouteTable() {}

    /** From the lines of {@code /proc/net/route}: interface, destination, gateway, flags, … */
    static List<NetworkFacts.DefaultRoute> ipv4(List<String> lines) {
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

    /** From the lines of {@code /proc/net/ipv6_route}; the interface comes last. */
    static List<NetworkFacts.DefaultRoute> ipv6(List<String> lines) {
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
        return (flags & UP) != 0 && (flags & REJECT) == 0;
    }
}
