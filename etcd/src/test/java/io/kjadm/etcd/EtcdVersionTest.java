package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class EtcdVersionTest {

    @Test
    void preReleasesComeBeforeTheirRelease() {
        List<String> ordered = List.of(
                "3.4.31", "3.5.2", "3.5.16", "3.6.0-alpha.0", "3.6.0-rc.2", "3.6.0-rc.10", "3.6.0");
        List<EtcdVersion> versions = ordered.stream().map(EtcdVersion::parse).toList();
        assertEquals(versions, versions.reversed().stream().sorted().toList());
    }

    @ParameterizedTest
    @CsvSource({
        "3.6.8-0,3.6.8",
        "v3.5.16,3.5.16",
        "3.5.0+git,3.5.0",
        "3.6,3.6.0",
        "3.6.0-rc.3,3.6.0-rc.3"
    })
    void imageTagsAndServerVersionsAreRead(String text, String version) {
        assertEquals(version, EtcdVersion.parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "latest", "3", "3.x", "not decided"})
    void otherTextsAreRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> EtcdVersion.parse(text));
    }

    @ParameterizedTest
    @CsvSource({"3.3.27,false", "3.4.0,true", "3.5.16,true", "4.0.0,true", "2.3.8,false"})
    void learnersCameWith34(String version, boolean known) {
        assertEquals(known, EtcdVersion.parse(version).knowsLearners());
    }

    @ParameterizedTest
    @CsvSource({
        "3.4.40,false",
        "3.5.29,false",
        "3.5.30,true",
        "3.6.0,false",
        "3.6.10,false",
        "3.6.11,true",
        "3.7.0-rc.1,false",
        "3.7.0,true"
    })
    void relaxedHealthTestCameInThreeLines(String version, boolean relaxed) {
        assertEquals(relaxed, EtcdVersion.parse(version).addsWithSilentVoter());
    }
}
