package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.net.URI;
import java.util.List;

class PeerUrlsTest {

    @ParameterizedTest
    @CsvSource({
        "https://10.0.0.1:2380,                    https://10.0.0.1:2380",
        "HTTPS://CP-1.Example.com:2380/,           https://cp-1.example.com:2380",
        "https://10.0.0.1,                         https://10.0.0.1:2380",
        "https://[2001:0DB8:0:0:0:0:0:1]:2380,     https://[2001:db8::1]:2380",
        "https://[2001:db8:0:1:1:1:1:1]:2380,      https://[2001:db8:0:1:1:1:1:1]:2380",
        "https://[2001:0:0:1:0:0:0:1]:2380,        https://[2001:0:0:1::1]:2380",
        "https://[2001:db8:0:0:1:0:0:1]:2380,      https://[2001:db8::1:0:0:1]:2380",
        "https://[::]:2380,                        https://[::]:2380",
        "https://[fe80::1%25eth0]:2380,            https://[fe80::1%25eth0]:2380",
        "https://[::ffff:10.0.0.1]:2380,           https://10.0.0.1:2380",
    })
    void sameAddressHasOneText(URI written, URI canonical) {
        assertEquals(canonical, EtcdUrls.canonical(written, EtcdPorts.PEER));
    }

    @Test
    void orderAndSpellingDoNotMatter() {
        assertEquals(
                PeerUrls.of(
                        List.of(URI.create("https://a:2380"), URI.create("https://[::1]:2380"))),
                PeerUrls.of(
                        List.of(URI.create("https://[0:0::1]:2380/"), URI.create("https://A"))));
    }

    @Test
    void oneCommonUrlIsAnOverlapButNotTheSameSet() {
        PeerUrls both =
                PeerUrls.of(List.of(URI.create("https://a:2380"), URI.create("https://b:2380")));
        PeerUrls one = PeerUrls.of(URI.create("https://b:2380"));
        assertNotEquals(both, one);
        assertTrue(both.overlaps(one));
    }

    @Test
    void schemeAndPortTellUrlsApart() {
        assertNotEquals(
                PeerUrls.of(URI.create("http://a:2380")),
                PeerUrls.of(URI.create("https://a:2380")));
        assertNotEquals(
                PeerUrls.of(URI.create("https://a:2381")),
                PeerUrls.of(URI.create("https://a:2380")));
    }

    @Test
    void urlsOfAddressesHaveBracketsWhereNeeded() {
        assertEquals(
                "https://[fd00::5]:2380",
                EtcdUrls.peer(InetAddress.ofLiteral("fd00:0::5")).toString());
        assertEquals(
                "https://10.0.0.5:2379",
                EtcdUrls.client(InetAddress.ofLiteral("10.0.0.5")).toString());
        assertEquals("fd00::5", EtcdUrls.host(URI.create("https://[fd00::5]:2379")));
    }

    @Test
    void memberIdsAreUnsignedAndHexadecimal() {
        assertEquals("fd422379fda50e48", MemberId.parse("fd422379fda50e48").toString());
        assertEquals("1a", new MemberId(26).toString());
        assertTrue(MemberId.parse("fd422379fda50e48").compareTo(new MemberId(1)) > 0);
    }
}
