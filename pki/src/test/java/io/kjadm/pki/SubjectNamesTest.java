package io.kjadm.pki;

import static io.kjadm.pki.Fixtures.apiServerNames;
import static io.kjadm.pki.Fixtures.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class SubjectNamesTest {

    @Test
    void theApiServerAnswersToItsFixedNamesAndAddresses() {
        SubjectNames names = SubjectNames.forApiServer(apiServerNames("")).names();

        assertEquals(
                List.of(
                        "cp-1",
                        "kubernetes",
                        "kubernetes.default",
                        "kubernetes.default.svc",
                        "kubernetes.default.svc.cluster.local"),
                names.dnsNames());
        assertEquals(ips("10.96.0.1", "192.0.2.10"), names.addresses());
    }

    @Test
    void theControlPlaneHostIsANameOrAnAddress() {
        SubjectNames byName =
                SubjectNames.forApiServer(apiServerNames("api.example.test")).names();
        SubjectNames byAddress =
                SubjectNames.forApiServer(apiServerNames("198.51.100.4")).names();

        assertEquals("api.example.test", byName.dnsNames().getFirst());
        assertEquals(ips("10.96.0.1", "192.0.2.10", "198.51.100.4"), byAddress.addresses());
    }

    @Test
    void extraNamesAreSortedIntoKinds() {
        NameSelection selection = SubjectNames.forApiServer(apiServerNames(
                "198.51.100.4",
                "LB.example.test",
                "203.0.113.7",
                "*.Wild.example.test",
                "2001:db8::7",
                "not_a_name"));

        assertEquals(
                List.of(
                        "*.wild.example.test",
                        "cp-1",
                        "kubernetes",
                        "kubernetes.default",
                        "kubernetes.default.svc",
                        "kubernetes.default.svc.cluster.local",
                        "lb.example.test"),
                selection.names().dnsNames());
        assertEquals(
                ips("10.96.0.1", "192.0.2.10", "198.51.100.4", "203.0.113.7", "2001:db8::7"),
                selection.names().addresses());
        assertEquals(List.of("not_a_name"), selection.dropped());
    }

    @Test
    void nothingIsInItTwice() {
        SubjectNames names = SubjectNames.forApiServer(apiServerNames(
                        "cp-1", "192.0.2.10", "CP-1", "10.96.0.1", "010.096.000.001"))
                .names();

        assertEquals(5, names.dnsNames().size());
        assertEquals(ips("10.96.0.1", "192.0.2.10"), names.addresses());
    }

    @Test
    void emptyNamesAreLeftOut() {
        SubjectNames names = SubjectNames.forApiServer(new ApiServerNames(
                        "", "", Optional.empty(), ip("fd00::1"), ip("2001:db8::10"), List.of()))
                .names();

        assertEquals(
                List.of("kubernetes", "kubernetes.default", "kubernetes.default.svc"),
                names.dnsNames());
    }

    @Test
    void etcdAlwaysAnswersToBothLoopbackAddresses() {
        SubjectNames names = SubjectNames.forEtcd(
                        "cp-1", ip("2001:db8::10"), List.of("etcd.example.test", "203.0.113.8"))
                .names();

        assertEquals(List.of("cp-1", "etcd.example.test", "localhost"), names.dnsNames());
        assertEquals(ips("2001:db8::10", "127.0.0.1", "::1", "203.0.113.8"), names.addresses());
    }

    @Test
    void etcdNamesAreTakenAsTheyAreWritten() {
        NameSelection selection =
                SubjectNames.forEtcd("", ip("192.0.2.10"), List.of("Upper.example.test"));

        assertEquals(List.of("localhost"), selection.names().dnsNames());
        assertEquals(List.of("Upper.example.test"), selection.dropped());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-a",
                "a-",
                "a..b",
                ".a",
                "a.",
                "*",
                "*.",
                "a.*.b",
                "*.*.b",
                "a b",
                "1.2.3.4:80",
                "[::1]",
                "fe80::1%eth0",
                "::g",
                "1:2",
                "https://a"
            })
    void whatIsNeitherNameNorAddressIsDropped(String text) {
        assertEquals(
                List.of(text),
                SubjectNames.forEtcd("", ip("192.0.2.10"), List.of(text)).dropped());
    }

    @Test
    void aNameOfMoreThan253CharactersIsDropped() {
        String longest = "a." + "b".repeat(251);
        NameSelection selection =
                SubjectNames.forEtcd("", ip("192.0.2.10"), List.of(longest, longest + "b"));

        assertEquals(List.of(longest + "b"), selection.dropped());
        assertTrue(selection.names().dnsNames().contains(longest));
    }

    @ParameterizedTest
    @CsvSource({
        "10, DNS",
        "10.1, DNS",
        "1.2.3, DNS",
        "1.2.3.256, DNS",
        "1.2.3.4.5, DNS",
        "1.2.3.4, IP",
        "001.02.3.0004, IP",
        "::ffff:1.2.3.4, IP",
        "::, IP"
    })
    void numbersAreAddressesOnlyWithFourOctets(String text, String kind) {
        assertEquals(kind.equals("IP"), IpLiteral.parse(text).isPresent());
    }

    @ParameterizedTest
    @CsvSource({
        "a.example.test, a.example.test, true",
        "A.Example.test, a.example.TEST, true",
        "*.example.test, a.example.test, true",
        "*.example.test, a.b.example.test, false",
        "*.example.test, example.test, false",
        "*.example.test, *.example.test, true",
        "*.test, *.example.test, false",
        "a.example.test, *.example.test, false",
        "*a.example.test, aa.example.test, false",
        "*.example.test, .example.test, false"
    })
    void aWildcardStandsForOneWholeLabel(String pattern, String host, boolean matches) {
        assertEquals(matches, new SubjectNames(List.of(pattern), List.of()).coversDns(host));
    }

    private static List<InetAddress> ips(String... literals) {
        return Stream.of(literals).map(InetAddress::ofLiteral).toList();
    }
}
