package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.core.etcd.commands.MembershipLeaseStatus;

import org.junit.jupiter.api.Test;

import java.util.List;

class QueueLookupTest {

    /** With any other answer a command would go ahead without a turn. */
    @Test
    void whoChangesEtcdWaitsForHisTurn() {
        assertInstanceOf(MembershipLeaseStatus.Free.class, new QueueLookup().lock());
        assertEquals(List.of(), new QueueLookup().endpoints());
    }
}
