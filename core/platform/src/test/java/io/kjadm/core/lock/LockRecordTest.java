package io.kjadm.core.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.lock.MembershipLock.Work;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** What a lease says of its holder. */
class LockRecordTest extends LeaseLab {

    @Test
    void aLongStoryIsShortened() {
        taken("cp-1").tell(JOIN.at("x".repeat(5000)));
        pass(Duration.ofSeconds(10));
        assertEquals("x".repeat(199) + "…", record().work().progress());
    }

    @Test
    void aStoryThatFitsIsToldToItsEnd() {
        taken("cp-1").tell(JOIN.at("x".repeat(200)));
        pass(Duration.ofSeconds(10));
        assertEquals("x".repeat(200), record().work().progress());
    }

    @Test
    void whatSomebodyElseLeftOutIsAssumed() {
        Lease lease = LockRecord.begun(new LockHolder("cp-9", "1"), JOIN.at("on"), waiter.now())
                .newLease(waiter.now());
        lease.getSpec().setLeaseDurationSeconds(0);
        lease.getMetadata().getAnnotations().replaceAll((key, text) -> " ");
        LockRecord read = LockRecord.of(lease).orElseThrow();
        assertEquals(Duration.ofSeconds(60), read.lasts(), "0 s would be taken over at once");
        assertEquals(Work.beginning("change").at(""), read.work());
        lease.getSpec().setLeaseDurationSeconds(1);
        assertEquals(Duration.ofSeconds(1), LockRecord.of(lease).orElseThrow().lasts());
        lease.getMetadata().setAnnotations(null);
        assertEquals(
                Work.beginning("change").at(""),
                LockRecord.of(lease).orElseThrow().work());
        lease.getSpec().setHolderIdentity(" ");
        assertTrue(LockRecord.of(lease).isEmpty());
    }

    @Test
    void aHolderIsReadAsItWasWritten() {
        for (LockHolder holder : List.of(
                new LockHolder("cp-1", "311-90412-9b0c7a55-12"), new LockHolder("", "x_y"))) {
            assertEquals(holder, LockHolder.parse(holder.identity()));
        }
    }

    @Test
    void aHolderOfAnotherKindIsShownAsItIs() {
        Lease foreign = new LeaseBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("kjadm-etcd-membership")
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("some-operator")
                .endSpec()
                .build();
        assertEquals(
                "change on node some-operator, since 1970-01-01T00:00:00Z",
                LockRecord.of(foreign).orElseThrow().toString());
        assertTrue(
                LockRecord.of(new LeaseBuilder().withNewMetadata().endMetadata().build())
                        .isEmpty());
        api.with(foreign);
        taken("cp-2").close();
        assertTrue(
                out.text().contains(LockRecord.of(foreign).orElseThrow().toString()), out.text());
    }
}
