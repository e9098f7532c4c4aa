package io.kjadm.core.preflight;

import io.kjadm.core.config.Cidr;
import io.kjadm.core.config.IpAddresses;
import io.kjadm.core.net.ProxyEnvironment;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Services or pods are reached without a proxy; their addresses mean nothing to one. */
record ProxyNetworksCheck(String cidrs, ProxyEnvironment environment) implements Check {

    /** Any will do; exemptions of one port are rare. */
    private static final int PORT = 1234;

    @Override
    public String name() {
        return "HTTPProxyCIDR";
    }

    @Override
    public List<Finding> run() {
        return Arrays.stream(cidrs.split(",", -1))
                .map(String::strip)
                .flatMap(this::ask)
                .toList();
    }

    private Stream<Finding> ask(String text) {
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
