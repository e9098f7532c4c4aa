package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.manifests.Corefile;
import io.kjadm.manifests.ImageVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

class CorefileRulesTest {

    private static final String PLAIN = ".:53 {\n errors\n log\n cache 60\n}\n";
    private static final String FOREIGN = ".:53 {\n errors\n dnssec\n}\n";
    private static final String OLD = ".:53 {\n proxy . 192.0.2.1\n}\n";

    private static List<UpgradeFinding> findings(String corefile, String installed, String wanted) {
        return CorefileRules.findings(
                Optional.of(corefile).filter(text -> !text.isEmpty()).map(Corefile::parse),
                version(installed),
                version(wanted));
    }

    private static Optional<ImageVersion> version(String tag) {
        return ImageVersion.ofRelease("registry.k8s.io/coredns/coredns:" + tag);
    }

    private static String told(List<UpgradeFinding> findings) {
        return findings.stream()
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest
    @CsvSource({
        "v1.13.1, v1.14.2, ''",
        "v1.14.2, v1.14.2, ''",
        "v1.15.0, v1.14.2, COREDNS_MIGRATION SKIPPABLE",
        "mine, v1.14.2, COREDNS_MIGRATION WARNING",
        "v1.13.1, mine, COREDNS_MIGRATION WARNING"
    })
    void aCorefileOfKnownPluginsFits(String installed, String wanted, String expected) {
        assertEquals(expected, told(findings(PLAIN, installed, wanted)));
    }

    @Test
    void aPluginThatNobodyFollowsIsNamed() {
        List<UpgradeFinding> findings = findings(FOREIGN, "v1.13.1", "v1.14.2");
        assertEquals("COREDNS_UNSUPPORTED_PLUGINS SKIPPABLE", told(findings));
        String text = findings.getFirst().problem().toString();
        assertEquals(
                "the Corefile uses what is not tracked across releases: plugin dnssec: it is not known whether CoreDNS 1.14.2 supports it as 1.13.1 does; see the notes of the releases between, then give --ignore-preflight-errors=CoreDNSUnsupportedPlugins",
                text);
    }

    @Test
    void itDoesNotMatterWhileTheReleaseStays() {
        assertEquals("", told(findings(FOREIGN, "v1.14.2", "v1.14.2")));
    }

    @Test
    void whatWasRemovedIsToldWithItsRemedy() {
        List<UpgradeFinding> findings = findings(OLD, "v1.4.0", "v1.14.2");
        assertEquals("COREDNS_MIGRATION SKIPPABLE", told(findings));
        assertEquals(
                "use plugin forward in ConfigMap coredns; until then the running CoreDNS is kept, with its Corefile",
                findings.getFirst().problem().next());
    }

    @Test
    void anOptionThatReadyNeverKnewIsToldBeforeCoreDnsRefusesIt() {
        String corefile = ".:53 {\n ready {\n  speed 5\n }\n}\n";
        List<UpgradeFinding> findings = findings(corefile, "v1.14.2", "v1.14.6");
        assertEquals("COREDNS_MIGRATION SKIPPABLE", told(findings));
        String text = findings.getFirst().problem().toString();
        assertEquals(
                "the Corefile uses option speed of ready: CoreDNS refuses it since 1.14.4; remove it, as it has no effect in ConfigMap coredns; until then the running CoreDNS is kept, with its Corefile",
                text);
        assertEquals(
                "COREDNS_UNSUPPORTED_PLUGINS SKIPPABLE",
                told(findings(corefile, "v1.14.2", "v1.14.3")));
        assertEquals(
                "",
                told(findings(
                        ".:53 {\n ready {\n  monitor continuously\n }\n}\n",
                        "v1.14.2",
                        "v1.14.6")));
    }

    @Test
    void withoutACorefileOfItsOwnNothingIsInTheWay() {
        assertEquals("", told(findings("", "mine", "v1.14.2")));
    }
}
