package io.kjadm.core.preflight.machine;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.net.ProxyEnvironment;
import io.kjadm.core.value.Cidr;
import io.kjadm.core.value.IpAddresses;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks of what is to be reached without a proxy. */
public final class ProxyChecks {

    private static final int HTTPS = 443;

    /** Any will do; exemptions of one port are rare. */
    private static final int PORT = 1234;

    private ProxyChecks() {}

    /** The API server is reached without a proxy. */
    public static Check server(String host, ProxyEnvironment environment) {
        return Check.of(
                "HTTPProxy",
                () -> environment.proxyFor(host, HTTPS).stream()
                        .map(proxy -> Finding.warning(
                                "connections to https://%s go through a proxy; add it to NO_PROXY unless that is meant"
                                        .formatted(host.contains(":") ? "[" + host + "]" : host)))
                        .toList());
    }

    /** Services or pods are reached without a proxy; their addresses mean nothing to one. */
    public static Check networks(String cidrs, ProxyEnvironment environment) {
        return Check.of(
                "HTTPProxyCIDR",
                () -> Arrays.stream(cidrs.split(",", -1))
                        .map(String::strip)
                        .flatMap(cidr -> network(cidr, environment))
                        .toList());
    }

    private static Stream<Finding> network(String text, ProxyEnvironment environment) {
        Optional<Cidr> network = Cidr.parse(text);
        if (network.isEmpty()) {
            return Stream.of(Finding.error("cannot parse CIDR \"%s\"".formatted(text)));
        }
        return environment.proxyFor(firstAddress(network.get()), PORT).stream()
                .map(
                        proxy -> Finding.warning(
                                "connections to %s go through a proxy; ".formatted(text)
                                        + "the cluster may not work unless this network is added to NO_PROXY"));
    }

    private static String firstAddress(Cidr network) {
        boolean hasSecond = network.size().compareTo(BigInteger.ONE) > 0;
        return IpAddresses.text(network.address(hasSecond ? 1 : 0));
    }
}
