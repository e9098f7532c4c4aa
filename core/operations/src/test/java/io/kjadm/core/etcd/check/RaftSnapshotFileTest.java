package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.SmallHeap;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What a reader of raft's snapshots takes of memory; what it finds is in V2ContentReaderTest. */
class RaftSnapshotFileTest {

    @Test
    void aStoreOfAnyContentIsReadInLittleMemory() throws Exception {
        assertEquals(
                List.of("keys: 4, true", "lists: 4, false", "a value: 4, false"),
                SmallHeap.run(CraftedStores.class));
    }
}
