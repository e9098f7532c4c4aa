package io.kjadm.cli.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.ClusterSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What an operator says of a cluster. */
class ClusterSettingsTest {

    private static final ClusterSettings SETTINGS = new ClusterSettings(
            List.of("version", "nodes", "form-with", "replace-after", "backup"));
    private static final ClusterSpec THREE = ClusterSpec.of(EtcdVersion.parse("3.6.14"), 3);

    private static ClusterSpec spec(String... words) {
        return ClusterSettings.spec(SETTINGS.values(List.of(words)), THREE);
    }

    @Test
    void whatIsNotSaidStays() {
        assertEquals(THREE, spec());
        assertEquals(
                new ClusterSpec(
                        EtcdVersion.parse("3.7.0"), 5, 3, Optional.of(Duration.ofMinutes(2)), true),
                spec("version=3.7.0", "nodes=5", "replace-after=2m", "backup=off"));
        assertEquals(Optional.empty(), spec("replace-after=never").replaceAfter());
        assertEquals(THREE, ClusterSettings.spec(SETTINGS.values(List.of("backup=on")), THREE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "backup=no",
                "nodes=0",
                "nodes=8",
                "nodes=x",
                "form-with=4",
                "replace-after=1m",
                "replace-after=soon",
                "replace-after=5",
                "colour=blue",
                "nodes"
            })
    void whatIsNoClusterIsRefused(String word) {
        assertThrows(UsageException.class, () -> spec(word));
    }

    /** Machines would begin an upgrade that etcd refuses, again and again. */
    @Test
    void etcdIsUpgradedByOneMinorVersionAtATime() {
        EtcdVersion oldest = EtcdVersion.parse("3.6.14");
        for (String next : List.of("3.6.15", "3.7.0")) {
            ClusterSettings.requireNextMinor(oldest, EtcdVersion.parse(next));
        }
        for (String later : List.of("3.8.0", "4.0.0")) {
            UsageException refused = assertThrows(
                    UsageException.class,
                    () -> ClusterSettings.requireNextMinor(oldest, EtcdVersion.parse(later)));
            assertEquals("approve a release of 3.7 first", refused.problem().next());
        }
    }

    @Test
    void noSettingIsGivenTwice() {
        assertThrows(UsageException.class, () -> spec("nodes=3", "nodes=5"));
    }
}
