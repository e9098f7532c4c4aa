package io.kjadm.core.preflight;

import io.kjadm.core.net.ProxyEnvironment;

import java.util.List;

/** The API server is reached without a proxy. */
record ProxyCheck(String host, ProxyEnvironment environment) implements Check {

    private static final int HTTPS = 443;

    @Override
    public String name() {
        return "HTTPProxy";
    }

    @Override
    public List<Finding> run() {
        return environment.proxyFor(host, HTTPS).stream()
                .map(proxy -> Finding.warning(
                        "connections to https://%s go through a proxy; add it to NO_PROXY unless that is meant"
                                .formatted(host.contains(":") ? "[" + host + "]" : host)))
                .toList();
    }
}
