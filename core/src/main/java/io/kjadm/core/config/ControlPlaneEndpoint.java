package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;

import java.util.Optional;

/** Reads {@code host[:port]} as {@code controlPlaneEndpoint} has it. */
final class ControlPlaneEndpoint {

    private ControlPlaneEndpoint() {}

    /**
     * The endpoint with its port. A bare IPv6 address is possible; one in brackets needs a port.
     *
     * @throws UsageException if host or port are not usable
     */
    static HostAndPort parse(Document document, String text, int defaultPort) {
        if (Names.isIp(text) || Names.isSubdomain(text)) {
            return new HostAndPort(text, defaultPort);
        }
        Optional<HostAndPort> whole = HostAndPort.parse(text);
        String host = whole.map(HostAndPort::host).orElse("");
        if (Names.isIp(host) || Names.isSubdomain(host)) {
            return whole.orElseThrow();
        }
        throw new UsageException(
                "%s in %s: invalid value \"%s\""
                        .formatted(document.label("controlPlaneEndpoint"), document.source(), text),
                "this is not host:port, the host being an IP address or a lower-case DNS name and "
                        + "the port a number between 1 and 65535",
                "give it without a scheme, for example api.example.test:6443");
    }
}
