package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.ClusterSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class ClusterFileTest {

    private static final ClusterFile FILE = new ClusterFile(
            "6f0c41",
            "etcd1",
            Instant.parse("2026-11-26T10:24:59Z"),
            "s3://backups/etcd1/",
            new ClusterSpec(
                    new EtcdVersion(3, 6, 14), 3, 2, Optional.of(Duration.ofMinutes(10)), false));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text() {
        return new String(FILE.bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void itIsOneLineAndReadAsItWasWritten() {
        assertEquals("""
                {"v":1,"uid":"6f0c41","name":"etcd1","at":"2026-11-26T10:24:59Z",\
                "place":"s3://backups/etcd1/","spec":{"version":"3.6.14","nodes":3,"formWith":2,"replaceAfter":"PT10M","unsaved":false},"operators":[]}
                """, text());
        assertEquals(FILE, ClusterFile.parse(FILE.bytes()));
    }

    @Test
    void oneThatDoesNotMentionSnapshotsWantsThem() {
        String older = text().replace(",\"unsaved\":false", "");
        assertEquals(FILE, ClusterFile.parse(older.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void itNamesTheClusterThatIsAdopted() {
        ClusterFile adopts = new ClusterFile(
                FILE.uid(),
                FILE.name(),
                FILE.at(),
                FILE.place(),
                FILE.spec(),
                Optional.of("a655067d30f39934"),
                List.of());
        assertEquals(adopts, ClusterFile.parse(adopts.bytes()));
        assertEquals(Optional.of("a655067d30f39934"), adopts.seed().adopts());
    }

    @Test
    void fieldsOfLaterReleasesArePassedOver() {
        assertEquals(
                FILE, ClusterFile.parse(bytes(text().replace("\"nodes\"", "\"x\":{},\"nodes\""))));
    }

    @Test
    void anotherVersionIsOfANewerProgram() {
        Exception refusal = assertThrows(
                IllegalArgumentException.class,
                () -> ClusterFile.parse(bytes(text().replace("\"v\":1", "\"v\":2"))));
        assertEquals("it was written by a newer kjadm", refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"uid\":\"6f0c41\",",
                "\"name\":\"etcd1\",",
                "\"version\":\"3.6.14\",",
                "\"nodes\":3,",
                ",\"formWith\":2"
            })
    void whatIsMissingIsAnError(String field) {
        assertThrows(
                IllegalArgumentException.class,
                () -> ClusterFile.parse(bytes(text().replace(field, ""))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "nothing"})
    void anotherTextIsAnError(String text) {
        assertThrows(IllegalArgumentException.class, () -> ClusterFile.parse(bytes(text)));
    }
}
