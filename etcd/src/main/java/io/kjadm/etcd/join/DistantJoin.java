package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Brings a member in whose node is in other hands, by the decisions of a join: a learner is added, is
 * waited for while somebody starts it, and is promoted once it has caught up.
 */
public final class DistantJoin {

    private DistantJoin() {}

    /**
     * What holds for one of them.
     *
     * @param listedAlready whether an earlier run has added it, and its journal may be gone
     * @param allowDegraded whether it is added and promoted although other voters are unhealthy, as
     *                      far as etcd itself accepts that
     * @param limit         from the add to the vote
     */
    public record Terms(boolean listedAlready, boolean allowDegraded, Duration limit) {}

    /**
     * The way of that member in.
     *
     * @param journal what is announced there is gone on with by the next run
     * @param start   tells with which members it has to be started, and which of them it is; called
     *                once it is listed, and again if the list changes before its start
     */
    public static MemberJoinExecutor of(
            EtcdCluster cluster,
            NewMember wanted,
            MembershipJournal journal,
            Terms terms,
            BiConsumer<List<Member>, Member> start,
            InstantSource clock) {
        MemberAdder adder = new LearnerMemberAdder();
        RejoinOptions options = new RejoinOptions(
                false, false, false, terms.allowDegraded(), false, Optional.empty());
        // nobody here sees its data grow
        JoinLimits limits = JoinLimits.DEFAULTS.withTotal(terms.limit()).withStall(terms.limit());
        return new MemberJoinExecutor(
                wanted,
                adder,
                new JoinDecider(
                        wanted,
                        JoinPlace.ANOTHER_MACHINE,
                        UUID.randomUUID().toString(),
                        adder,
                        options,
                        limits),
                cluster,
                journal,
                new DistantMember(
                        () -> terms.listedAlready()
                                || journal.read().flatMap(JoinEntry::memberId).isPresent(),
                        LocalMemberHealth.ALIVE,
                        start),
                clock);
    }
}
