package io.kjadm.etcd.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class WayBackTest {

    private static WayBack way(String old, String tried, String cluster, String others) {
        return WayBack.of(
                EtcdVersion.parse(old),
                EtcdVersion.parse(tried),
                cluster.isEmpty() ? Optional.empty() : Optional.of(EtcdVersion.parse(cluster)),
                Stream.of(others.split(" "))
                        .filter(text -> !text.isEmpty())
                        .map(EtcdVersion::parse)
                        .toList());
    }

    @ParameterizedTest(name = "{0} after {1}, cluster {2}, others {3}: {4}")
    @CsvSource({
        // another patch release reads the same data, whatever else there is
        "3.6.8, 3.6.13, 3.6.0, '', Open",
        "3.6.8, 3.6.13, '', '', Open",
        "3.6.8, 3.5.32, 3.5.0, '', Open",
        // the cluster version decides
        "3.5.32, 3.6.8, 3.5.0, '3.6.8 3.6.8', Open",
        "3.5.32, 3.6.8, 3.6.0, '3.6.8 3.6.8', ForwardOnly",
        "3.6.11, 3.7.0, 3.7.0, '', ForwardOnly",
        // one of the old minor holds it down
        "3.5.32, 3.6.8, '', '3.6.8 3.5.30', Open",
        // a cluster of one, or the last member of many
        "3.5.32, 3.6.8, '', '', Uncertain",
        "3.5.32, 3.6.8, '', '3.6.8 3.6.8', Uncertain"
    })
    void everyCase(String old, String tried, String cluster, String others, String expected) {
        assertEquals(expected, way(old, tried, cluster, others).getClass().getSimpleName());
    }

    @Test
    void onlyForwardIsShownAfterTheClusterVersionRose() {
        WayBack.ForwardOnly forward =
                assertInstanceOf(WayBack.ForwardOnly.class, way("3.5.32", "3.6.8", "3.6.0", ""));
        assertEquals(
                "the cluster is of version 3.6 since its last member was upgraded, and an older etcd does not start in it",
                forward.problem().why());
        assertTrue(forward.problem().next().startsWith("complete the upgrade"), forward.toString());
        assertEquals(
                new WayBack.Open(),
                WayBack.of(
                        EtcdVersion.parse("3.6.8"),
                        EtcdVersion.parse("3.6.8"),
                        Optional.empty(),
                        List.of()));
    }
}
