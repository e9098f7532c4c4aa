package io.kjadm.core.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

class ProxyEnvironmentTest {

    private static boolean proxied(String noProxy, String host, int port) {
        return new ProxyEnvironment(Map.of("https_proxy", "http://proxy:3128", "no_proxy", noProxy))
                .proxyFor(host, port)
                .isPresent();
    }

    @Test
    void withoutAProxyEverythingIsDirect() {
        assertEquals(
                Optional.empty(),
                new ProxyEnvironment(Map.of("HTTP_PROXY", "x", "HTTPS_PROXY", ""))
                        .proxyFor("10.0.0.1", 443));
    }

    @Test
    void upperCaseCountsBeforeLowerCase() {
        assertEquals(
                Optional.of("a"),
                new ProxyEnvironment(Map.of("HTTPS_PROXY", "a", "https_proxy", "b"))
                        .proxyFor("10.0.0.1", 443));
    }

    @Test
    void thisMachineIsDirect() {
        assertEquals(
                List.of(false, false, false, false, true),
                List.of(
                        proxied("", "localhost", 443),
                        proxied("", "LocalHost", 443),
                        proxied("", "127.0.0.5", 443),
                        proxied("", "::1", 443),
                        proxied("", "10.0.0.1", 443)));
    }

    @Test
    void exemptionsAreHostsDomainsAddressesAndNetworks() {
        String exempt =
                " example.org, .only.below,*.star.net,10.0.0.0/8 ,192.168.1.1,fd00::/8,[2001:db8::1]:443";
        for (String host : List.of(
                "example.org",
                "a.example.org",
                "a.only.below",
                "a.star.net",
                "10.200.3.4",
                "192.168.1.1",
                "fd00:5::1",
                "2001:db8::1")) {
            assertEquals(false, proxied(exempt, host, 443), host);
        }
        for (String host :
                List.of("notexample.org", "only.below", "star.net", "11.0.0.1", "192.168.1.2")) {
            assertTrue(proxied(exempt, host, 443), host);
        }
        assertTrue(proxied(exempt, "2001:db8::1", 6443));
        assertEquals(false, proxied("*", "11.0.0.1", 443));
    }
}
