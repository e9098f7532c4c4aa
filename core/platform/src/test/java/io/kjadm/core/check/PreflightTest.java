package io.kjadm.core.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.PreflightException;
import io.kjadm.core.phase.RecordingReporter;

import org.junit.jupiter.api.Test;

import java.util.List;

class PreflightTest {

    private final RecordingReporter out = new RecordingReporter();

    private static final List<Check> BATCH = List.of(
            Check.of("NumCPU", () -> List.of(Finding.error("one CPU"))),
            Check.of("Swap", () -> List.of(Finding.warning("swap is on"))),
            Check.of("Fine", List::of),
            Check.of("CRI", () -> {
                throw new HostException("no runtime", "connection refused", "start it");
            }));

    private Preflight ignoring(String... names) {
        return new Preflight(List.of(names), out);
    }

    @Test
    void allFindingsAreToldWarningsFirst() {
        PreflightException failed =
                assertThrows(PreflightException.class, () -> ignoring().run(BATCH));
        assertEquals("preflight checks failed", failed.getMessage());
        assertEquals(
                List.of(
                        "\t[WARNING Swap]: swap is on",
                        "[preflight] Some fatal errors occurred:",
                        "\t[ERROR NumCPU]: one CPU",
                        "\t[ERROR CRI]: no runtime: connection refused; start it"),
                out.findings().subList(0, 4));
        assertEquals(5, out.findings().size());
    }

    @Test
    void ignoredErrorsAreWarningsWhateverTheCase() {
        ignoring("numcpu", "cri", "unknown").run(BATCH);
        assertEquals(
                List.of(
                        "\t[WARNING NumCPU]: one CPU",
                        "\t[WARNING Swap]: swap is on",
                        "\t[WARNING CRI]: no runtime: connection refused; start it"),
                out.findings());
    }

    @Test
    void oneIgnoredCheckDoesNotExcuseAnother() {
        assertThrows(PreflightException.class, () -> ignoring("NumCPU").run(BATCH));
    }

    @Test
    void allIgnoresEveryCheck() {
        ignoring("All").run(BATCH);
        assertEquals(3, out.findings().size());
    }

    @Test
    void whatProtectsTheClusterIsNotIgnored() {
        Check required =
                Check.required("EtcdVoters", () -> List.of(Finding.error("one is silent")));
        assertThrows(PreflightException.class, () -> ignoring("all").run(List.of(required)));
        assertThrows(PreflightException.class, () -> ignoring("etcdvoters").run(List.of(required)));
        assertEquals(
                List.of(
                        "[preflight] Some fatal errors occurred:",
                        "\t[ERROR EtcdVoters]: one is silent",
                        "[preflight] These protect the cluster and cannot be ignored: EtcdVoters",
                        "[preflight] If you know what you are doing, you can make another check non-fatal with `--ignore-preflight-errors=...`"),
                out.findings().subList(0, 4));
    }

    @Test
    void nothingIsSaidWhenAllIsWell() {
        ignoring().run(List.of(Check.of("Fine", List::of)));
        assertEquals(List.of(), out.findings());
    }
}
