package io.kjadm.pki;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Gathers the names of one certificate and sorts what the configuration adds into addresses and DNS
 * names.
 */
final class SubjectNameCollector {

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
