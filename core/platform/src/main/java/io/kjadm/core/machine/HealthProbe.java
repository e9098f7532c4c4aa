package io.kjadm.core.machine;

import java.net.URI;

/** Asks a component on this node whether it is healthy, as a port. */
@FunctionalInterface
public interface HealthProbe {

    /**
     * One GET without credentials and without verification of the server, since kubelet and
     * components use certificates of their own; at most two seconds.
     *
     * @return empty text if the answer is 200, else what was seen
     */
    String ask(URI url);

    /** Where on this node somebody answers who listens at that address, be it all addresses. */
    static URI url(String scheme, String bindAddress, int port, String path) {
        String host = switch (bindAddress) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::" -> "::1";
            default -> bindAddress;
        };
        return URI.create("%s://%s:%d%s"
                .formatted(scheme, host.contains(":") ? "[" + host + "]" : host, port, path));
    }
}
