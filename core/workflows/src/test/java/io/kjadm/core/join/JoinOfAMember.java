package io.kjadm.core.join;

import io.kjadm.core.etcd.join.MemberJoinLoop;
import io.kjadm.core.etcd.join.MembershipLease;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MembershipJournal;

import java.net.URI;
import java.util.Optional;
import java.util.function.Supplier;

/** What {@link EtcdJoinPhase} does once it knows everything, for the simulation. */
public final class JoinOfAMember {

    private JoinOfAMember() {}

    /** Brings the member in, in this node's turn; throws what the phase throws. */
    public static Optional<Member> join(
            MemberJoinExecutor joiner,
            URI peerUrl,
            JoinLimits limits,
            MembershipLock lock,
            MembershipJournal journal,
            Waiter waiter,
            Reporter out) {
        Supplier<Optional<MemberId>> own = () -> journal.read().flatMap(JoinEntry::memberId);
        try (MembershipLease turn = new MembershipLease(lock)) {
            return new MemberJoinLoop(joiner, peerUrl, limits, turn, own, waiter, out).join();
        }
    }
}
