package io.kjadm.pki;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Subject alternative names: DNS names sorted, addresses in the order given, neither of them twice.
 */
public record SubjectNames(List<String> dnsNames, List<InetAddress> addresses) {

    private static final String WILDCARD = "*.";
    private static final SubjectNames NONE = new SubjectNames(List.of(), List.of());

    public SubjectNames {
        dnsNames = dnsNames.stream().distinct().sorted().toList();
        addresses = addresses.stream().distinct().toList();
    }

    public static SubjectNames none() {
        return NONE;
    }

    /** A CA carries its common name once more as DNS name. */
    public static SubjectNames ofCa(String commonName) {
        return new SubjectNames(List.of(commonName), List.of());
    }

    /** The names of an API server certificate. */
    public static NameSelection forApiServer(ApiServerNames input) {
        SubjectNameCollector names = new SubjectNameCollector();
        names.dnsUnlessEmpty(input.nodeName());
        names.dns("kubernetes");
        names.dns("kubernetes.default");
        names.dns("kubernetes.default.svc");
        if (!input.dnsDomain().isEmpty()) {
            names.dns("kubernetes.default.svc." + input.dnsDomain());
        }
        names.address(input.serviceIp());
        names.address(input.advertiseAddress());
        input.controlPlaneHost().ifPresent(names::host);
        input.extraSans().forEach(extra -> names.extra(extra.toLowerCase(Locale.ROOT)));
        return names.selection();
    }

    /**
     * The names of an etcd server or peer certificate. Both loopback addresses are in it, whatever
     * the IP family.
     *
     * @param nodeName may be empty
     * @param extraSans names and addresses that the configuration adds to this certificate
     */
    public static NameSelection forEtcd(
            String nodeName, InetAddress advertiseAddress, List<String> extraSans) {
        SubjectNameCollector names = new SubjectNameCollector();
        names.dnsUnlessEmpty(nodeName);
        names.dns("localhost");
        names.address(advertiseAddress);
        names.address(InetAddress.ofLiteral("127.0.0.1"));
        names.address(InetAddress.ofLiteral("::1"));
        extraSans.forEach(names::extra);
        return names.selection();
    }

    /** Whether a client that calls by this name finds it here (RFC 6125 §6.4). */
    boolean coversDns(String host) {
        String wanted = host.toLowerCase(Locale.ROOT);
        return dnsNames.stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .anyMatch(name -> wanted.equals(name) || isBelow(wanted, name));
    }

    private static boolean isBelow(String wanted, String wildcard) {
        int firstDot = wanted.indexOf('.');
        // a wanted wildcard is covered by the same wildcard only, never by a wider one
        return wildcard.startsWith(WILDCARD)
                && !wanted.startsWith(WILDCARD)
                && firstDot > 0
                && wanted.substring(firstDot).equals(wildcard.substring(1));
    }

    public boolean isEmpty() {
        return dnsNames.isEmpty() && addresses.isEmpty();
    }

    /** For people: {@code a.example, 10.0.0.1}. */
    @Override
    public String toString() {
        return Stream.concat(dnsNames.stream(), addresses.stream().map(InetAddress::getHostAddress))
                .collect(Collectors.joining(", "));
    }

    /**
     * Gathers the names of one certificate and sorts what the configuration adds into addresses and DNS
     * names.
     */
    private static final class SubjectNameCollector {

        private static final int DNS_NAME_LIMIT = 253;
        private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
        /** A subdomain as RFC 1123 has it, in lower case, possibly below a wildcard label. */
        private static final Pattern DNS_NAME =
                Pattern.compile("(\\*\\.)?" + LABEL + "(\\." + LABEL + ")*");

        private final List<String> dnsNames = new ArrayList<>();
        private final List<InetAddress> addresses = new ArrayList<>();
        private final List<String> dropped = new ArrayList<>();

        void dns(String name) {
            dnsNames.add(name);
        }

        void dnsUnlessEmpty(String name) {
            if (!name.isEmpty()) {
                dns(name);
            }
        }

        void address(InetAddress address) {
            addresses.add(address);
        }

        /** A host that is known to be one or the other. */
        void host(String host) {
            IpLiteral.parse(host).ifPresentOrElse(this::address, () -> dnsUnlessEmpty(host));
        }

        /** What somebody wrote into the configuration; anything unusable is put aside. */
        void extra(String text) {
            Optional<InetAddress> address = IpLiteral.parse(text);
            if (address.isPresent()) {
                address(address.get());
            } else if (text.length() <= DNS_NAME_LIMIT && DNS_NAME.matcher(text).matches()) {
                dns(text);
            } else {
                dropped.add(text);
            }
        }

        NameSelection selection() {
            return new NameSelection(new SubjectNames(dnsNames, addresses), dropped);
        }
    }
}
