package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.flag.CommandFlags;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.KubernetesReleases;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The releases whose published sums this program has. */
class KnownReleasesTest {

    /**
     * A release of the table whose published sums this program does not have: an image alone is made
     * of it by default.
     */
    private static final Set<String> WITHOUT_SUMS = Set.of("3.7.0");

    /** What may be installed without being asked for by number, or is upgraded to. */
    @Test
    void everyReleaseThatIsInstalledByDefaultIsKnown() {
        Stream<String> inUse = Stream.concat(
                KubernetesReleases.KNOWN.served().stream()
                        .flatMap(
                                series -> Stream.of(series.etcdTag(), series.oldestExternalEtcd())),
                Stream.of(EtcdRunLoader.version(CommandFlags.none(), Optional.empty())
                        .toString()));
        ReleaseSums known = ReleaseSums.pinned();
        inUse.map(tag -> EtcdVersion.parse(tag.replaceAll("-.*", "")))
                .flatMap(version -> Stream.of("amd64", "arm64")
                        .map(machine -> new EtcdRelease(version, machine).archive()))
                .forEach(archive -> assertEquals(
                        WITHOUT_SUMS.stream()
                                .noneMatch(version -> archive.contains("-v" + version + "-")),
                        known.of(archive).isPresent(),
                        archive));
    }

    @Test
    void everyKnownReleaseIsKnownForEachMachine() {
        Set<String> files = ReleaseSums.pinned().byFile().keySet();
        files.stream()
                .map(file -> file.replaceAll("-linux.*", "-linux-"))
                .flatMap(base -> Stream.of(base + "amd64.tar.gz", base + "arm64.tar.gz"))
                .forEach(file -> assertTrue(files.contains(file), file));
    }

    /** Kubernetes 1.37 has 3.7.0; 3.7.1 repairs security faults, and its sums are pinned. */
    @Test
    void theDefaultIsTheNewestPinnedReleaseOfItsMinor() {
        assertEquals(EtcdVersion.parse("3.7.1"), EtcdRunLoader.defaultVersion());
    }

    @Test
    void thePinnedSumsAreReadable() {
        Map<String, String> known = ReleaseSums.pinned().byFile();
        assertEquals(
                "b414b27a5ad05f7cb01395c447c85d3227e3fb1c176e51757a283b817f645ccc",
                known.get("etcd-v3.5.16-linux-amd64.tar.gz"));
        assertEquals(
                known.size(), Map.copyOf(known).values().stream().distinct().count());
    }
}
