package io.kjadm.core.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.lock.OwnTurn;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A lock that notes what is done with it, and the turn made of it. */
class MembershipLeaseTest {

    private final List<String> calls = new ArrayList<>();
    private final MembershipLease turn = new MembershipLease((work, wait) -> {
        calls.add("take %s %s".formatted(work.operation(), wait));
        return new OwnTurn() {
            @Override
            public void tell(Work now) {
                calls.add("tell " + now.progress());
            }

            @Override
            public void close() {
                calls.add("close");
            }
        };
    });

    @Test
    void itIsTakenOnceAndGivenBackOnce() {
        Work work = Work.beginning("join");
        turn.tell(work.at("connection refused"));
        turn.take(Duration.ofSeconds(9));
        turn.take(Duration.ofSeconds(8));
        turn.tell(work.at("half"));
        turn.release();
        turn.tell(work.at("connection refused"));
        turn.close();
        turn.take(Duration.ofSeconds(7));
        turn.close();
        assertEquals(
                List.of("take join PT9S", "tell half", "close", "take join PT7S", "close"), calls);
    }
}
