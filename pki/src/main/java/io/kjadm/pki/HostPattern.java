package io.kjadm.pki;

import java.util.Locale;

/** How a DNS name in a certificate is compared with the name a client calls by (RFC 6125 §6.4). */
final class HostPattern {

    private static final String WILDCARD = "*.";

    private HostPattern() {}

    static boolean matches(String pattern, String host) {
        String wanted = host.toLowerCase(Locale.ROOT);
        String present = pattern.toLowerCase(Locale.ROOT);
        if (wanted.equals(present)) {
            return true;
        }
        int firstDot = wanted.indexOf('.');
        // a wanted wildcard is covered by the same wildcard only, never by a wider one
        return present.startsWith(WILDCARD)
                && !wanted.startsWith(WILDCARD)
                && firstDot > 0
                && wanted.substring(firstDot).equals(present.substring(1));
    }
}
