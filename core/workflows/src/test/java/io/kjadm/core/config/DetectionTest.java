package io.kjadm.core.config;

import static io.kjadm.core.net.FakeHost.lo;
import static io.kjadm.core.net.FakeHost.up;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.net.AdvertiseAddress;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.net.NetworkFacts;
import io.kjadm.core.value.KubernetesVersion;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finding addresses and versions. */
class DetectionTest {

    private static final NetworkFacts.DefaultRoute IPV4 =
            new NetworkFacts.DefaultRoute(false, "eth0");
    private static final NetworkFacts.DefaultRoute IPV6 =
            new NetworkFacts.DefaultRoute(true, "eth0");
    private static final NetworkFacts.Interface ETH0 =
            up("eth0", "fe80::1", "169.254.1.1", "10.0.0.5", "2001:db8::5");

    private final List<String> warnings = new ArrayList<>();
    private final FakeHost host = new FakeHost();

    @Test
    void defaultRouteLeadsToTheAddress() {
        NetworkFacts both = network(List.of(IPV4, IPV6), lo("127.0.0.1"), ETH0);
        assertEquals("10.0.0.5", choose(both, ""));
        assertEquals("10.0.0.5", choose(both, "0.0.0.0"));
        assertEquals("2001:db8::5", choose(both, "::"));
        assertEquals("2001:db8::5", choose(network(List.of(IPV6), ETH0), ""));
        assertEquals("0.0.0.0", choose(network(List.of(), ETH0), ""));
    }

    @Test
    void whoCannotChooseARuntimeIsNotAskedTo() {
        CriSockets sockets = new CriSockets(host::answers);
        assertEquals(CriSockets.DEFAULT, sockets.firstAnswering());
        host.sockets.add("/var/run/cri-dockerd.sock");
        assertEquals("unix:///var/run/cri-dockerd.sock", sockets.firstAnswering());
        host.sockets.add("/var/run/containerd/containerd.sock");
        assertEquals(CriSockets.DEFAULT, sockets.firstAnswering());
        assertThrows(UsageException.class, sockets::detect);
    }

    @Test
    void givenAddressStays() {
        assertEquals("192.0.2.7", choose(network(List.of()), "192.000.2.007"));
        assertEquals("2001:db8::10", choose(network(List.of()), "2001:DB8:0:0::10"));
        assertThrows(UsageException.class, () -> choose(network(List.of()), "host"));
        assertThrows(UsageException.class, () -> choose(network(List.of()), "10.0.0.0/8"));
    }

    @Test
    void addressOnLoopbackServesHostsThatAnnounceIt() {
        NetworkFacts facts =
                network(List.of(IPV4), lo("127.0.0.1", "10.9.9.9"), up("eth0", "169.254.1.1"));
        assertEquals("10.9.9.9", choose(facts, ""));
        assertEquals("10.9.9.9", choose(facts, "127.0.0.1"));
        assertThrows(
                UsageException.class,
                () -> choose(network(List.of(IPV4), lo("127.0.0.1"), ETH0), "::1"));
    }

    @Test
    void interfacesAreWalkedWithoutRoutingTables() {
        NetworkFacts facts = new NetworkFacts(
                Optional.empty(),
                List.of(
                        lo("10.1.1.1"),
                        new NetworkFacts.Interface("ppp0", true, false, true, List.of()),
                        new NetworkFacts.Interface(
                                "eth1", false, false, false, up("x", "10.2.2.2").addresses()),
                        ETH0));
        assertEquals("10.0.0.5", choose(facts, ""));
    }

    @Test
    void routingTablesAreUnderstood() {
        assertEquals(
                List.of(IPV4),
                MachineFacts.ipv4Routes(List.of(
                        "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT",
                        "eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0",
                        "eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0")));
        String zeroes = "0".repeat(32);
        assertEquals(
                List.of(IPV6),
                MachineFacts.ipv6Routes(List.of(
                        zeroes + " 00 " + zeroes + " 00 " + "fe80" + "0".repeat(28)
                                + " 00000400 00000001 00000000 00000003 eth0",
                        zeroes + " 00 " + zeroes + " 00 " + zeroes
                                + " ffffffff 00000001 00000000 00200200 lo")));
    }

    @Test
    void thisMachineCanBeAsked() {
        MachineFacts machine = new MachineFacts();
        assertFalse(machine.network().interfaces().isEmpty());
        assertFalse(machine.answers(Path.of("/no/such.sock")));
        assertTrue(!Files.exists(Path.of("/proc/sys/kernel/hostname"))
                || !machine.hostname().isBlank());
    }

    @Test
    void exactVersionsNeedNoNetwork() {
        assertEquals("v1.36.0-rc.1+abc", resolve("1.36.0-rc.1+abc").kubernetesVersion());
        assertEquals("v1.36.3-5+f", resolve("ci/v1.36.3-5+f").kubernetesVersion());
        assertTrue(resolve("ci/v1.36.3-5+f").ciVersion());
        assertFalse(resolve("v1.36.3-5+f").ciVersion());
        assertEquals("v1.36.2", resolve("release/v1.36.2").kubernetesVersion());
        assertEquals(List.of(), host.fetched);
    }

    @Test
    void labelsAreLookedUp() {
        host.pages.put("https://dl.k8s.io/release/stable-1.36.txt", "v1.36.9\n");
        host.pages.put(
                "https://storage.googleapis.com/k8s-release-dev/ci/latest.txt", "v1.36.10-alpha.1");
        assertEquals("v1.36.9", resolve("stable-1.36").kubernetesVersion());
        assertEquals("v1.36.9", resolve("release/stable-1.36").kubernetesVersion());
        assertTrue(resolve("ci/latest").ciVersion());
        assertEquals(List.of(), warnings);
    }

    @Test
    void newerReleasesFallBackToOwnMinor() {
        host.pages.put("https://dl.k8s.io/release/stable-1.txt", "v1.38.1");
        host.pages.put("https://dl.k8s.io/release/stable-1.37.txt", "v1.37.4");
        assertEquals("v1.37.4", resolve("stable-1").kubernetesVersion());
        assertEquals(1, warnings.size());
    }

    @Test
    void ownVersionServesWithoutNetwork() {
        assertEquals(KubernetesVersion.CURRENT.text(), resolve("stable-1").kubernetesVersion());
        assertEquals(2, warnings.size());
    }

    @Test
    void theMinorOfALabelIsNotLeftWithoutNetwork() {
        for (String label : List.of("stable-1.36", "latest-1.36", "release/stable-1.36")) {
            assertEquals("v1.36.4", resolve(label).kubernetesVersion(), label);
        }
        assertEquals(
                3,
                warnings.stream()
                        .filter("using v1.36.4, the newest 1.36 that this program knows"::equals)
                        .count(),
                warnings.toString());
        assertEquals("v1.35.6", resolve("stable-1.35").kubernetesVersion());
        assertThrows(UsageException.class, () -> resolve("stable-1.30"));
        assertEquals(KubernetesVersion.CURRENT.text(), resolve("stable-1.99").kubernetesVersion());
    }

    @Test
    void whatIsNeitherVersionNorLabelIsRefused() {
        for (String text : List.of("v1.36", "01.36.0", "stable-1.036", "stable-10", "newest")) {
            assertThrows(UsageException.class, () -> resolve(text), text);
        }
    }

    @Test
    void anOldVersionIsReadButNotDeployed() {
        assertEquals("v1.35.6", resolve("v1.35.6").kubernetesVersion());
        for (String text : List.of("v1.35.6", "v1.36.0-rc.1")) {
            UsageException refusal = assertThrows(
                    UsageException.class,
                    () -> VersionResolver.requireDeployable(KubernetesVersion.of(text)));
            assertEquals(
                    "the oldest control plane that can be deployed is v1.36.0; clusters are maintained from v1.35.0 on",
                    refusal.why());
        }
        VersionResolver.requireDeployable(KubernetesVersion.of("v1.36.0"));
    }

    private static String choose(NetworkFacts facts, String given) {
        return new AdvertiseAddress(() -> facts).choose(given);
    }

    private static NetworkFacts network(
            List<NetworkFacts.DefaultRoute> routes, NetworkFacts.Interface... interfaces) {
        return new NetworkFacts(Optional.of(routes), List.of(interfaces));
    }

    private ClusterConfiguration resolve(String text) {
        return new VersionResolver(host::fetch, warnings::add)
                .resolve(ClusterConfiguration.defaults().withKubernetesVersion(text, false));
    }
}
