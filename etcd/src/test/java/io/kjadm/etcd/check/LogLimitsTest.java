package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SmallHeap;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What a reader of etcd's log takes of memory, whatever a file is made of. */
class LogLimitsTest {

    @Test
    void aLogOfAnyRecordsIsReadInLittleMemory() throws Exception {
        List<String> lines = SmallHeap.run(CraftedLogs.class);

        assertEquals(4, lines.size(), lines.toString());
        assertTrue(lines.stream().allMatch(line -> line.contains(": c1, ")), lines.toString());
    }
}
