package io.kjadm.core.preflight.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.check.Finding;
import io.kjadm.core.net.ProxyEnvironment;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class ProxyChecksTest {

    @Test
    void checksWarnAboutProxiedDestinations() {
        ProxyEnvironment environment = new ProxyEnvironment(
                Map.of("HTTPS_PROXY", "http://user:pass@proxy", "NO_PROXY", "10.96.0.0/12"));
        assertEquals(1, ProxyChecks.server("fd00::1", environment).run().size());
        assertEquals(
                "connections to https://[fd00::1] go through a proxy; add it to NO_PROXY unless that is meant",
                ProxyChecks.server("fd00::1", environment).run().getFirst().text());
        List<Finding> findings = ProxyChecks.networks(
                        "10.96.0.0/12,fd00:1::/112,nonsense", environment)
                .run();
        assertEquals(
                List.of(
                        new Finding(
                                Finding.Level.WARNING,
                                "connections to fd00:1::/112 go through a proxy; the cluster may not work"
                                        + " unless this network is added to NO_PROXY"),
                        new Finding(Finding.Level.ERROR, "cannot parse CIDR \"nonsense\"")),
                findings);
    }
}
