package io.kjadm.etcd.api;

import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.Promotion;

import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Changes the members of an etcd cluster by the rules of this project: a new member is a learner
 * first, no removal takes the quorum away, and every change is read back from the list. Each method
 * makes one attempt and tells what came of it; when to repeat it is the caller's to say. Two callers
 * at a time harm nothing, though one of them may be refused.
 */
public final class MembershipOperations implements AutoCloseable {

    private final EtcdCluster cluster;
    private final InstantSource clock;
    private final MemberRemoval removal = new MemberRemoval();

    /** @param cluster is closed with this */
    public MembershipOperations(EtcdCluster cluster, InstantSource clock) {
        this.cluster = cluster;
        this.clock = clock;
    }

    /**
     * Operations on a real cluster; the first of them connects.
     *
     * @throws EtcdCallException if the certificates or the key cannot be used
     */
    public static MembershipOperations on(EtcdAccess access) {
        return new MembershipOperations(
                new JetcdConnector().connect(access), InstantSource.system());
    }

    /**
     * The members that all voters agree on, and what each says of itself.
     *
     * @throws EtcdCallException if the list cannot be read, as without a quorum
     */
    public EtcdHealth look() {
        return EtcdHealth.ask(cluster);
    }

    /**
     * Adds a member that has no vote yet (KEP-3614). It is then to be started with
     * {@link Addition.Added#initialCluster} and brought to its vote by {@link #promotion}.
     *
     * @param peerUrl of the new member
     * @throws EtcdCallException if the list cannot be read
     */
    public Addition addLearner(URI peerUrl) {
        EtcdHealth health = look();
        Optional<Problem> obstacle = obstacle(health, peerUrl);
        if (obstacle.isPresent()) {
            return new Addition.Refused(obstacle.get());
        }
        Optional<EtcdCallException> failure =
                EtcdCallException.of(() -> cluster.addLearner(peerUrl));
        List<Member> members = cluster.members();
        return members.stream()
                .filter(member -> member.learner() && member.peerUrls().contains(peerUrl))
                .findFirst()
                .<Addition>map(learner -> new Addition.Added(learner, members))
                .orElseGet(() -> notListed(failure));
    }

    private static Addition notListed(Optional<EtcdCallException> failure) {
        String why =
                failure.map(EtcdCallException::text).orElse("the new member is not listed yet");
        boolean late = failure.isEmpty()
                || failure.get().errorClass() == ErrorClass.AMBIGUOUS
                || failure.get().errorClass() == ErrorClass.DONE;
        return late
                ? new Addition.Unknown(why, EtcdCluster.LATE_CHANGE)
                : new Addition.Refused(new Problem(
                        "etcd did not add the member", why, "look at its members first"));
    }

    private static Optional<Problem> obstacle(EtcdHealth health, URI peerUrl) {
        return Stream.of(
                        listed(health, peerUrl),
                        health.learnersUnknown(),
                        health.alarmRaised(),
                        health.downgradeUnderWay(),
                        learner(health),
                        silent(health))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<Problem> listed(EtcdHealth health, URI peerUrl) {
        return health.members().stream()
                .filter(member -> member.peerUrls().contains(peerUrl))
                .findFirst()
                .map(member -> new Problem(
                        CommonReason.EXISTS,
                        "a member with this peer URL is listed already: " + member.describe(),
                        "",
                        "promote it if it is yours, or remove it first"));
    }

    private static Optional<Problem> learner(EtcdHealth health) {
        return health.learners().stream()
                .findFirst()
                .map(member -> new Problem(
                        CommonReason.JOINING,
                        "etcd has a learner already: " + member.describe(),
                        "it takes one at a time",
                        "promote or remove that one first"));
    }

    private static Optional<Problem> silent(EtcdHealth health) {
        return health.allVotersHealthy()
                ? Optional.empty()
                : Optional.of(new Problem(
                        "not all voters are healthy: " + health.quorumText(),
                        health.unhealthyMembers(),
                        "bring them back, or remove those that are gone for good"));
    }

    /**
     * The way of a learner to its vote: {@link MemberJoinExecutor#step} looks once, does one thing,
     * and says when to look again. It is promoted when it holds what was committed when this was
     * called and is close to the leader.
     *
     * @throws IllegalArgumentException if no such member is listed
     * @throws IllegalStateException    if the members name no common leader
     * @throws EtcdCallException        if the list cannot be read
     */
    public MemberJoinExecutor promotion(MemberId learner, JoinLimits limits) {
        EtcdHealth health = look();
        Member member = health.find(learner)
                .orElseThrow(() -> new IllegalArgumentException("no member " + learner));
        if (health.leaderStatus().isEmpty()) {
            throw new IllegalStateException("the members name no common leader");
        }
        return Promotion.of(cluster, health, member, limits, clock);
    }

    /**
     * Removes a member, its leadership handed over first; a voter only if the healthy voters that
     * remain are a quorum of what remains.
     *
     * @param member   by its ID: names and addresses may be another's by now
     * @param progress told before anything is sent
     * @throws EtcdCallException if the list cannot be read
     */
    public Removal remove(MemberId member, Removal.Progress progress) {
        return removal.attempt(cluster, look(), OwnMember.known(member), progress);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
