package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.manifests.Corefile.Removal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;

class CorefileTest {

    /** Of Kubernetes 1.18, in another order and with a comment. */
    private static final String FORMER = """
            .:53 { # all names
                ready
                errors
                health {
                   lameduck 5s
                }
                kubernetes cluster.example in-addr.arpa ip6.arpa {
                   fallthrough in-addr.arpa ip6.arpa
                   pods insecure
                   ttl 30
                }
                prometheus :9153
                forward . "/etc/resolv.conf"
                cache 30
                loop
                reload
                loadbalance
            }
            """;

    private static boolean isFormerDefault(String text) {
        return Corefile.parse(text).isFormerDefault();
    }

    @Test
    void whatKubeadmOnceWroteIsKnownForEveryDomain() {
        assertTrue(isFormerDefault(FORMER));
        assertTrue(isFormerDefault(FORMER.replace("/etc/resolv.conf", "192.0.2.53")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cache 30=cache 60",
                "loop=",
                "reload=reload\n log",
                "ttl 30=ttl 5",
                "lameduck 5s=lameduck 9s",
                ".:53=.:54",
                "forward .=forward . 192.0.2.1",
                "pods insecure=pods verified"
            })
    void everyChangeIsSeen(String change) {
        String[] parts = change.split("=", -1);
        String changed = FORMER.replace(parts[0], parts[1]);
        assertFalse(isFormerDefault(changed), changed);
    }

    @Test
    void aServerBlockMoreIsAChange() {
        assertFalse(isFormerDefault(FORMER + "example.org:53 {\n forward . 192.0.2.1\n}\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "}", "{", ".:53 {", "{ } }", "# nothing", "\"open"})
    void whatIsNoCorefileIsNoDefault(String text) {
        assertFalse(isFormerDefault(text));
    }

    @Test
    void theDefaultOfTodayIsNone() {
        assertFalse(isFormerDefault(CoreDnsAddon.corefile("cluster.local")));
    }

    @ParameterizedTest
    @CsvSource({
        "1.4.0, 1.14.2, option transfer of kubernetes+option upstream of kubernetes+plugin proxy",
        "1.5.0, 1.14.2, option transfer of kubernetes+option upstream of kubernetes",
        "1.7.1, 1.14.2, option transfer of kubernetes",
        "1.4.0, 1.6.9, plugin proxy",
        "1.8.0, 1.14.2, ''"
    })
    void whatCoreDnsHasLostOnTheWayIsNamed(String from, String to, String names) {
        Corefile corefile = Corefile.parse("""
                .:53 {
                    kubernetes cluster.local {
                        upstream
                        transfer to *
                    }
                    proxy . /etc/resolv.conf
                }
                a.example:53 {
                    proxy . 192.0.2.1
                }
                """);
        assertEquals(
                names,
                String.join(
                        "+",
                        corefile.removedBetween(version(from), version(to)).stream()
                                .map(Removal::name)
                                .sorted()
                                .toList()));
    }

    @Test
    void anImagesTagIsARelease() {
        assertEquals(
                Optional.of(new ImageVersion(1, 14, 2)),
                ImageVersion.ofRelease("registry.example:5000/coredns/coredns:v1.14.2"));
        assertEquals(
                Optional.of(new ImageVersion(1, 9, 3)), ImageVersion.ofRelease("coredns:1.9.3"));
        for (String own : List.of(
                "coredns:v1.14.2-mine",
                "coredns",
                "registry.example:5000/coredns",
                "coredns@sha256:abc")) {
            assertEquals(Optional.empty(), ImageVersion.ofRelease(own), own);
        }
    }

    private static ImageVersion version(String text) {
        return ImageVersion.ofRelease("coredns:" + text).orElseThrow();
    }

    @Test
    void theWayOfWhatKubeadmWritesIsKnown() {
        assertEquals(List.of(), Corefile.parse(FORMER).unfollowed());
    }

    @Test
    void pluginsAndOptionsThatNobodyFollowsAreNamedOnce() {
        assertEquals(
                List.of("plugin template", "option expire of cache", "plugin dnssec"),
                Corefile.parse("""
                        .:53 {
                            template IN A { answer "x" }
                            cache { success 10
                              expire 5 }
                            template IN B
                        }
                        example.org {
                            dnssec
                            hosts {
                              192.0.2.1 a.example.org
                              2001:db8::1 b.example.org
                              fallthrough
                            }
                            import common
                        }
                        """).unfollowed());
    }

    @Test
    void whatWasRemovedIsToldAsThat() {
        String text =
                ".:53 { \n proxy . 192.0.2.1 \n kubernetes cluster.local { \n upstream \n } \n }";
        assertEquals(List.of(), Corefile.parse(text).unfollowed());
        assertEquals(
                2,
                Corefile.parse(text)
                        .removedBetween(new ImageVersion(1, 4, 0), new ImageVersion(1, 14, 2))
                        .size());
    }

    @ParameterizedTest
    @CsvSource({
        "1.14.2, 1.14.6, true",
        "1.14.3, 1.14.4, true",
        "1.14.2, 1.14.3, false",
        "1.14.4, 1.14.6, false"
    })
    void whatStrictPluginsNeverKnewIsRefused(String from, String to, boolean refused) {
        Corefile corefile = Corefile.parse("""
                .:53 {
                    ready :8181 {
                        monitor continuously
                        speed 5
                        import common
                    }
                    trace zipkin 192.0.2.1:9411 {
                        every 10
                        colour red
                    }
                    dnstap tcp://192.0.2.1:6000 full {
                        identity me
                        retry 5
                    }
                    chaos one two {
                        sorted
                    }
                    any ANY
                    local here {
                        localhost_prefix off
                        remote
                    }
                    cache 30
                }
                example.org {
                    any ANY
                }
                """);
        assertEquals(
                refused
                        ? List.of(
                                "option speed of ready",
                                "option colour of trace",
                                "option retry of dnstap",
                                "option sorted of chaos",
                                "argument ANY of any",
                                "argument here of local",
                                "option remote of local")
                        : List.of(),
                corefile.removedBetween(version(from), version(to)).stream()
                        .map(Removal::name)
                        .toList());
    }

    @Test
    void pluginsThatAreUsedAsTheyAreMeantAreNotRefused() {
        assertEquals(
                List.of(),
                Corefile.parse(
                                ".:53 {\n ready\n any\n local\n chaos v1 me\n dnstap /run/x.sock full\n trace\n}")
                        .removedBetween(version("1.14.2"), version("1.14.6")));
    }

    @Test
    void nothingIsLostBetweenTheReleasesThatAreServed() {
        List<ImageVersion> shipped = KubernetesReleases.KNOWN.served().stream()
                .map(series ->
                        ImageVersion.ofRelease("coredns:" + series.coreDnsTag()).orElseThrow())
                .toList();
        String all =
                ".:53 { \n proxy . \n kubernetes c { \n upstream \n transfer to * \n resyncperiod 1m \n } \n }";
        assertEquals(
                List.of(),
                Corefile.parse(all).removedBetween(shipped.getFirst(), shipped.getLast()));
    }
}
