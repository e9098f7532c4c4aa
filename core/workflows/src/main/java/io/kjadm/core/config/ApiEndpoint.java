package io.kjadm.core.config;

import io.kjadm.core.value.HostAndPort;
import io.kjadm.core.value.IpAddresses;

import java.net.InetAddress;

/**
 * Where an API server listens.
 *
 * @param advertiseAddress an IP address in its usual text form; empty until one was detected
 */
public record ApiEndpoint(String advertiseAddress, int bindPort) {

    /** The port when nobody chose. */
    public static final int DEFAULT_PORT = 6443;

    public ApiEndpoint withAdvertiseAddress(String address) {
        return new ApiEndpoint(address, bindPort);
    }

    /** The advertise address as an object. */
    public InetAddress address() {
        return IpAddresses.parse(advertiseAddress)
                .orElseThrow(
                        () -> new IllegalStateException("not an IP address: " + advertiseAddress));
    }

    public HostAndPort hostAndPort() {
        return new HostAndPort(advertiseAddress, bindPort);
    }
}
