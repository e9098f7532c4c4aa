package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.manifests.KubernetesReleases.Series;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;

final class KubernetesReleasesTest {

    private static final KubernetesReleases KNOWN = KubernetesReleases.KNOWN;

    /** A minor that does not exist, with values that no other has. */
    private static final Series NEXT =
            new Series(KNOWN.newest().minor() + 1, 0, "3.8.1-0", "v1.15.0", "3.11", "3.6.11-0");

    @Test
    void theNewestMinorAndTheOneBeforeAreServed() {
        assertEquals(List.of(36, 37), KNOWN.served().stream().map(Series::minor).toList());
        assertEquals("v1.36.0", KNOWN.oldestControlPlane());
        assertEquals("v1.34.0", KNOWN.oldestKubelet());
        assertEquals("v1.37.0", KNOWN.newest().newestRelease());
    }

    @Test
    void oneRowMoreIsAllThatANewMinorNeeds() {
        KubernetesReleases table = KNOWN.with(NEXT);
        assertEquals(NEXT, table.newest());
        assertEquals(List.of(KNOWN.newest(), NEXT), table.served());
        assertEquals(KNOWN.newest().firstRelease(), table.oldestControlPlane());
        assertEquals(
                "v1.%d.0".formatted(NEXT.minor() - KubernetesReleases.KUBELET_SKEW),
                table.oldestKubelet());
        assertEquals("3.8.1-0", table.etcdTag(NEXT.newestRelease()));
        assertEquals(KNOWN.newest().etcdTag(), table.etcdTag(KNOWN.newest().newestRelease()));
        assertEquals(Optional.of(KNOWN.newest()), table.series(KNOWN.newest().minor()));
    }

    @Test
    void aRowTakesThePlaceOfItsMinors() {
        Series patched = new Series(37, 9, "e", "c", "p", "x");
        assertEquals(List.of(36, 37), minors(KNOWN.with(patched)));
        assertEquals("v1.37.9", KNOWN.with(patched).newest().newestRelease());
    }

    @ParameterizedTest
    @CsvSource({
        "v1.38.4, 3.8.1-0",
        "1.99.0, 3.8.1-0",
        "v1.38.0-rc.1, 3.8.1-0",
        "v1.37.0, 3.7.0-0",
        "v1.36.9, 3.6.11-0",
        "v1.35.6, 3.6.11-0",
        "v1.20.0, 3.6.11-0",
        "nonsense, 3.8.1-0"
    })
    void etcdIsTheNearestMinors(String version, String tag) {
        assertEquals(tag, KNOWN.with(NEXT).etcdTag(version));
    }

    @Test
    void anUnknownMinorHasNoRow() {
        assertEquals(Optional.empty(), KNOWN.series(34));
    }

    private static List<Integer> minors(KubernetesReleases table) {
        return table.served().stream().map(Series::minor).toList();
    }

    @Test
    void theNewestEtcdOfAMinorIsTheOneThatMembersGetBeforeTheNext() {
        assertEquals(Optional.of("3.6.11-0"), KubernetesReleases.KNOWN.etcdTagOf("3.6"));
        assertEquals(Optional.of("3.7.0-0"), KubernetesReleases.KNOWN.etcdTagOf("3.7"));
        assertEquals(Optional.empty(), KubernetesReleases.KNOWN.etcdTagOf("3.5"));
    }
}
