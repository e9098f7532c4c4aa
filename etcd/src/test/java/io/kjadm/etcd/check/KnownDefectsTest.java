package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.KnownDefects.Affected;
import io.kjadm.etcd.check.KnownDefects.Defect;
import io.kjadm.etcd.upgrade.VersionGates;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

class KnownDefectsTest {

    private static KnownDefects of(String text) throws IOException {
        Properties lines = new Properties();
        lines.load(new StringReader(text));
        return KnownDefects.of(lines);
    }

    private static List<String> ids(String version) {
        return KnownDefects.shipped()
                .of(EtcdVersion.parse(version))
                .map(Affected::defects)
                .orElse(List.of())
                .stream()
                .map(Defect::id)
                .toList();
    }

    /** Each minor that upgrades know, from 3.5 on: also one that is added there later. */
    @Test
    void everyDefectNamesEveryMinorThatIsMaintained() {
        List<String> minors = VersionGates.shipped().steps().stream()
                .map(VersionGates.Step::minor)
                .filter(minor -> minor.atLeast(3, 5))
                .map(minor -> minor.major() + "." + minor.minor())
                .toList();
        assertEquals(List.of("3.5", "3.6", "3.7"), minors);
        for (Defect defect : KnownDefects.shipped().defects()) {
            assertTrue(defect.fixes().keySet().containsAll(minors), defect::toString);
            assertTrue(
                    defect.fixes().values().stream().anyMatch(Optional::isPresent),
                    defect::toString);
            assertTrue(
                    defect.source().matches("https://github\\.com/etcd-io/etcd/.*"),
                    defect::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "promotion-in-part, 3.5.0-alpha.0 3.5.19, 3.5.20 3.6.0 3.7.0",
        "promotion-replayed, 3.6.0-rc.3 3.6.0 3.6.3, 3.5.19 3.6.4 3.7.0",
        "learner-in-snapshot, 3.5.23, 3.5.24 3.6.0",
        "removed-members-return, 3.5.25, 3.5.26 3.6.0",
        "update-promotes, 3.5.30 3.6.11 3.7.0-alpha.0, 3.5.31 3.6.12 3.7.0-rc.0",
        "stale-reads, 3.4.41 3.5.27 3.6.8, 3.4.42 3.5.28 3.6.9 3.7.0",
        "snapshot-during-defrag, 3.5.22 3.6.4, 3.5.23 3.6.5 3.7.0",
        "watch-permission, 3.5.32 3.6.13 3.7.0, 3.5.33 3.6.14 3.7.1",
        "tls-handshake, 3.5.32 3.6.13 3.7.0, 3.5.33 3.6.14 3.7.1"
    })
    void aReleaseHasADefectUntilItsMinorRepairsIt(String id, String having, String lacking) {
        for (String version : having.split(" ")) {
            assertTrue(ids(version).contains(id), version);
        }
        for (String version : lacking.split(" ")) {
            assertTrue(!ids(version).contains(id), version);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.33", "3.6.14", "3.6.14-0", "3.7.1", "3.8.0-alpha.0", "4.0.0"})
    void repairedVersionsAndUnknownMinorsHaveNone(String version) {
        assertEquals(Optional.empty(), KnownDefects.shipped().of(EtcdVersion.parse(version)));
    }

    @Test
    void membersAreGroupedByVersionWithTheReleaseThatRepairsEverything() {
        Scene scene = Scene.ofVoters(4, "3.6.8");
        scene.node(2).version = EtcdVersion.parse("3.6.13");
        scene.node(3).version = EtcdVersion.parse("3.6.14");
        scene.silent(4);

        List<Affected> affected = KnownDefects.shipped().of(scene.cluster().health());

        assertEquals(
                List.of(List.of("cp-1"), List.of("cp-2")),
                affected.stream().map(Affected::members).toList());
        assertEquals(
                List.of("stale-reads", "tls-handshake", "update-promotes", "watch-permission"),
                affected.getFirst().defects().stream().map(Defect::id).toList());
        affected.forEach(one -> assertEquals(EtcdVersion.parse("3.6.14"), one.repaired()));
        assertTrue(
                affected.getFirst().text().startsWith("etcd 3.6.8 (cp-1): "),
                affected.getFirst()::text);
    }

    /** A join tells one defect; the advice repairs the others as well. */
    @Test
    void theAdviceCountsDefectsThatAreNotTold() {
        Affected told = KnownDefects.shipped()
                .of(
                        Scene.ofVoters(1, "3.6.2").cluster().health(),
                        defect -> defect.id().equals("promotion-replayed"))
                .getFirst();
        assertEquals(1, told.defects().size());
        assertEquals(EtcdVersion.parse("3.6.14"), told.repaired());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.what = b\na.3.6 = 3.6.4\n",
                "a.source = b\na.3.6 = 3.6.4\n",
                "a.what = b\na.source = c\n",
                "a.what = b\na.source = c\na.3.6 = 3.5.4\n",
                "a.what = b\na.source = c\na.3.6 = newest\n",
                "a.what = b\na.source = c\na.3.6 = 3.6.4\na.join = often\n",
                "a.what = b\na.source = c\na.3.6 = 3.6.4\na.since = 3.6.0\n",
                "what = b\n"
            })
    void aLineThatMeansNothingOrIsMissingIsRefused(String lines) {
        assertThrows(IllegalArgumentException.class, () -> of(lines));
    }
}
