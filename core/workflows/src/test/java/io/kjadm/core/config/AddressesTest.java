package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.value.Cidr;
import io.kjadm.core.value.HostAndPort;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.core.value.KubernetesVersion;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

class AddressesTest {

    @Test
    void addressesHaveOneText() {
        assertEquals("2001:db8::1", text("2001:0DB8:0:0:0:0:0:1"));
        assertEquals("::", text("::"));
        assertEquals("::1", text("0:0:0:0:0:0:0:1"));
        assertEquals("1::", text("1:0:0:0:0:0:0:0"));
        assertEquals("1:0:2:3:4:5:6:7", text("1:0:2:3:4:5:6:7"));
        assertEquals("1:0:0:2::3", text("1:0:0:2:0:0:0:3"));
        assertEquals("64:ff9b::c000:201", text("64:ff9b::192.0.2.1"));
        assertEquals("10.0.0.1", text("010.0.00.01"));
    }

    @Test
    void whatIsNoAddressIsNotLookedUp() {
        for (String bad : List.of(
                "",
                "localhost",
                "1.2.3",
                "1.2.3.256",
                "1.2.3.4/8",
                "fe80::1%0",
                ":::",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "g::",
                "::1::",
                "1.2.3.+4")) {
            assertTrue(IpAddresses.parse(bad).isEmpty(), bad);
        }
    }

    @Test
    void networksCountTheirAddresses() {
        Cidr network = Cidr.parse("10.96.1.2/12").orElseThrow();
        assertEquals("10.96.0.0/12", network.text());
        assertEquals("10.96.0.10", IpAddresses.text(network.address(10)));
        assertEquals(20, network.hostBits());
        Cidr six = Cidr.parse("fd00:10:96::/112").orElseThrow();
        assertEquals("fd00:10:96::a", IpAddresses.text(six.address(10)));
        assertTrue(six.contains(IpAddresses.parse("fd00:10:96::ffff").orElseThrow()));
        assertFalse(six.contains(IpAddresses.parse("fd00:10:97::").orElseThrow()));
        assertThrows(IllegalArgumentException.class, () -> six.address(1 << 16));
        assertEquals(
                "255.255.255.255",
                IpAddresses.text(Cidr.parse("255.255.255.0/24").orElseThrow().address(255)));
        assertTrue(Cidr.parse("10.0.0.0/33").isEmpty());
        assertTrue(Cidr.parse("10.0.0.0").isEmpty());
    }

    @Test
    void hostAndPortKeepBracketsOutside() {
        assertEquals(
                Optional.of(new HostAndPort("2001:db8::1", 1)),
                HostAndPort.parse("[2001:db8::1]:1"));
        assertEquals("[2001:db8::1]:1", new HostAndPort("2001:db8::1", 1).text());
        for (String bad : List.of("host", "h:", "h:0", "h:65536", "2001:db8::1", "[::1]", "h:x")) {
            assertTrue(HostAndPort.parse(bad).isEmpty(), bad);
        }
    }

    @Test
    void versionsAreOrdered() {
        List<String> ascending = List.of(
                "v1.35.0-alpha.1",
                "v1.35.0-alpha.2",
                "v1.35.0-alpha.10",
                "v1.35.0-rc.0",
                "v1.35.0",
                "v1.35.1",
                "v1.36.0",
                "v2.0.0");
        List<KubernetesVersion> versions = ascending.stream()
                .map(text -> KubernetesVersion.parse(text).orElseThrow())
                .toList();
        assertEquals(versions, versions.reversed().stream().sorted().toList());
        assertEquals(ascending, versions.stream().map(KubernetesVersion::text).toList());
    }

    private static String text(String address) {
        return IpAddresses.text(IpAddresses.parse(address).orElseThrow());
    }
}
