package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The file that a container runtime keeps of a container's output. */
class ContainerLogTest {

    private static final String PATH = "/var/log/pods/kube-system_etcd-cp-1_u/etcd/0.log";
    private static final String STAMP = "2026-02-03T04:05:06.123456789Z stderr ";

    private static List<String> of(String content) {
        return new ContainerLog(new MemoryFiles().with(PATH, content)).end(PATH);
    }

    @Test
    void whatTheRuntimeAddsIsTakenAway() {
        assertEquals(
                List.of("one", "", "  two words"),
                of(STAMP + "F one\n" + STAMP + "F \n" + STAMP.replace("stderr", "stdout")
                        + "F   two words\n"));
    }

    @Test
    void theLogIsReadInWholeLines() {
        assertEquals(
                List.of("one long line", "next"),
                of(STAMP + "P one \n" + STAMP + "P:tag long \n" + STAMP + "F line\n" + STAMP
                        + "F:tag next\n"));
    }

    @Test
    void aLineThatIsStillBeingWrittenCounts() {
        assertEquals(List.of("panic: tocom"), of(STAMP + "P panic: tocom\n"));
    }

    @Test
    void anotherFormatIsShownAsItIs() {
        assertEquals(List.of("plain text", "more"), of("plain text\nmore"));
    }

    @Test
    void ofALongLogOnlyTheEndIsRead() {
        String line = STAMP + "F " + "x".repeat(100);
        List<String> lines = of((line + "\n").repeat(2000) + STAMP + "F last\n");
        assertEquals("last", lines.getLast());
        assertEquals("x".repeat(100), lines.getFirst(), "the line that was cut is left out");
        assertTrue(lines.size() > 900 && lines.size() < 1000, String.valueOf(lines.size()));
    }

    @Test
    void withoutALogThereIsNothing() {
        assertEquals(List.of(), new ContainerLog(new MemoryFiles()).end(PATH));
        assertEquals(List.of(), new ContainerLog(new MemoryFiles()).end(""));
        assertEquals(List.of(), of(""));
        assertThrows(
                HostException.class,
                () -> new ContainerLog(new MemoryFiles().withDirectory(PATH)).end(PATH));
    }
}
