package io.kjadm.core.config;

import io.kjadm.core.value.IpAddresses;

import java.util.regex.Pattern;

/** The forms of names and addresses that configuration values must have. */
final class Names {

    private static final Pattern SUBDOMAIN = Pattern.compile(
            "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*");

    private static final String PATH_PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
    private static final String LABEL = "[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?";
    private static final Pattern IMAGE_NAME = Pattern.compile("(?:(?:" + LABEL + "(?:\\." + LABEL
            + ")*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?/)?" + PATH_PART + "(?:/" + PATH_PART + ")*");

    private Names() {}

    /** A DNS subdomain of RFC 1123, in lower case. */
    static boolean isSubdomain(String text) {
        return text.length() <= 253 && SUBDOMAIN.matcher(text).matches();
    }

    /** {@code *.} and a subdomain. */
    static boolean isWildcard(String text) {
        return text.startsWith("*.") && isSubdomain(text.substring(2));
    }

    static boolean isIp(String text) {
        return IpAddresses.parse(text).isPresent();
    }

    /** Whether image names can be made by appending {@code /name:tag}. */
    static boolean isRepository(String text) {
        return IMAGE_NAME.matcher(text + "/name").matches();
    }

    /** {@code unix:} and an absolute path. */
    static boolean isSocket(String text) {
        return text.matches("unix:(//)?/[^\\s?#]+");
    }
}
