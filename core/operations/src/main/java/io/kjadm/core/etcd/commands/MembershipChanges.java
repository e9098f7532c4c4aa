package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.Promotion;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Changes the members as {@link MemberCommandRules} allow. Every change is decided on the list that
 * all voters agree on, made once, and read back; what the reply was does not matter.
 */
public final class MembershipChanges {

    private static final String AREA = "etcd";
    private static final Duration SETTLE_INTERVAL = Duration.ofSeconds(1);
    /** In which a learner that gets on is seen to. */
    private static final Duration OBSERVATION = Duration.ofSeconds(3);

    private final EtcdSession session;
    private final MembershipSteps steps;
    private final Reporter out;
    private final MemberCommandRules rules = new MemberCommandRules();

    /** @param session what is changed, and asked */
    public MembershipChanges(EtcdSession session, MembershipSteps steps, Reporter out) {
        this.session = session;
        this.steps = steps;
        this.out = out;
    }

    /**
     * Removes a member, its leadership handed over first. May be repeated.
     *
     * @param word ID or name
     * @throws UsageException   if no member or more than one is meant
     * @throws ClusterException if the rules are against it and nothing is changed, or if it is
     *         listed to the end
     */
    public void remove(String word) {
        remove(word, _ -> Optional.empty());
    }

    /**
     * The same, if nothing else is against it.
     *
     * @param against asked again when the lock is taken: a member may have come back by then
     */
    public void remove(String word, Function<EtcdHealth, Optional<Problem>> against) {
        EtcdSurvey.Heard seen = steps.look();
        Member member = MemberCommandRules.member(seen.health().members(), word);
        MembershipLeaseStatus lock = steps.lock();
        if (!steps.allowed(rules.remove(seen.health(), member, lock), seen, lock)) {
            return;
        }
        steps.inTurn(
                lock,
                "member remove",
                () -> steps.takeOut(
                        member,
                        health -> against.apply(health)
                                .<Verdict>map(Verdict.Refused::new)
                                .orElseGet(() -> rules.remove(health, member, lock))));
        steps.tellQuorum();
        if (session.node().name().filter(member.name()::equals).isPresent()) {
            out.warn(
                    "this node's etcd has been removed for good: clean this node with 'kjadm reset'");
        } else if (member.started() && session.node().setup().controlPlane()) {
            // a standalone etcd in automatic mode removes members itself, and lets them join again
            out.step(
                    AREA,
                    "Next: run 'kjadm reset' on %s; if that machine is lost, run 'kubectl delete node %s'"
                            .formatted(member.name(), member.name()));
        }
    }

    /**
     * Promotes a learner as soon as it may vote by our rule: it holds what was committed when the
     * wait began and is close to the leader.
     *
     * @param word  ID or name
     * @param limit how long to wait for it to catch up
     * @throws UsageException   if no member or more than one is meant
     * @throws ClusterException if the rules are against it and nothing is changed, or if it is a
     *         learner to the end
     */
    public void promote(String word, Duration limit) {
        EtcdSurvey.Heard seen = steps.lookUntil(
                health -> answers(health, MemberCommandRules.member(health.members(), word)));
        Member member = MemberCommandRules.member(seen.health().members(), word);
        MembershipLeaseStatus lock = steps.lock();
        if (!steps.allowed(rules.promote(seen.health(), member, lock), seen, lock)) {
            return;
        }
        JoinLimits limits = JoinLimits.DEFAULTS.withTotal(limit);
        MemberJoinExecutor promotion =
                Promotion.of(session.cluster(), seen.health(), member, limits, session::now);
        Await await = new Await(
                AREA,
                "learner %s to catch up and become a voter".formatted(member.describe()),
                limit.plus(limits.fault()),
                SETTLE_INTERVAL,
                "it is still a learner; check its progress with 'kjadm etcd status', and promote it later");
        // a dry run reports the wait and has nothing to say
        steps.inTurn(
                lock,
                "member promote",
                () -> steps.follow(promotion, await)
                        .ifPresent(voter -> out.step(
                                AREA, "etcd member %s votes".formatted(voter.describe()))));
        steps.tellQuorum();
    }

    /** etcd publishes its name some seconds before it serves, if it was sent a snapshot. */
    private static boolean answers(EtcdHealth health, Member member) {
        return !member.started() || health.status(member.id()).isPresent();
    }

    /**
     * Removes learners that show no sign of life, after showing them and asking.
     *
     * @param word         ID or name of the only one that is meant, if not all
     * @param insist       ask nothing, and take a learner that may be joining, if the rules let the
     *         operator say so
     * @param peers        whether something listens at a peer URL
     * @param confirmation asked unless that was said
     * @throws UsageException   if the operator says no
     * @throws ClusterException if one of them has to stay and nothing is changed, or if one is
     *         listed to the end
     */
    public void cleanUp(
            Optional<String> word,
            boolean insist,
            Predicate<URI> peers,
            Confirmation confirmation) {
        EtcdSurvey.Heard seen = steps.look();
        EtcdHealth health = seen.health();
        List<Member> meant = word.map(
                        id -> List.of(MemberCommandRules.member(health.members(), id)))
                .orElseGet(health::learners);
        if (meant.isEmpty()) {
            out.step(AREA, "There is no learner");
            return;
        }
        if (!health.hasQuorum()) {
            throw new ClusterException(
                    CommonReason.NO_QUORUM,
                    "etcd has no quorum and cannot change its members",
                    health.unhealthyMembers(),
                    "bring a majority of the voters back first");
        }
        MembershipLeaseStatus lock = steps.lock();
        List<Member> stale = new ArrayList<>();
        for (LearnerFacts facts : facts(meant, health, peers, lock)) {
            out.step(
                    AREA,
                    "Learner %s, %s"
                            .formatted(
                                    facts.learner().describe(),
                                    facts.owner()
                                            .map(owner -> "added by " + owner.who())
                                            .orElse("unknown who added it")));
            if (steps.allowed(rules.cleanUp(facts, insist), seen, lock)) {
                stale.add(facts.learner());
            }
        }
        if (!insist) {
            confirmation.require(
                    AREA,
                    "%s will be removed from etcd for good. If a node is joining as it, "
                                    .formatted(
                                            stale.size() == 1
                                                    ? "This learner"
                                                    : "Each of these learners")
                            + "that join fails. Are you sure you want to proceed?",
                    "the cleanup");
        }
        steps.inTurn(
                lock,
                "member cleanup",
                () -> stale.forEach(learner -> steps.takeOut(
                        learner, now -> isStillStale(learner, now, peers, lock, insist))));
    }

    /** Its machine may have come back since it was shown; one that was promoted is told by its removal. */
    private Verdict isStillStale(
            Member shown,
            EtcdHealth now,
            Predicate<URI> peers,
            MembershipLeaseStatus lock,
            boolean insist) {
        return now.find(shown.id())
                .filter(Member::learner)
                .map(learner ->
                        rules.cleanUp(facts(List.of(learner), now, peers, lock).getFirst(), insist))
                .orElseGet(() -> new Verdict.Allowed("it is no learner any more"));
    }

    private List<LearnerFacts> facts(
            List<Member> meant,
            EtcdHealth before,
            Predicate<URI> peers,
            MembershipLeaseStatus lock) {
        boolean someAnswer =
                meant.stream().anyMatch(member -> before.status(member.id()).isPresent());
        EtcdHealth after = someAnswer ? aMomentLater() : before;
        Instant now = session.now();
        return meant.stream()
                .map(member -> new LearnerFacts(
                        member,
                        EtcdStatus.progress(before, member),
                        EtcdStatus.progress(after, member),
                        member.peerUrls().stream().anyMatch(peers),
                        LearnerOwner.of(
                                member, before.learners(), session.node().noted(), lock),
                        now))
                .toList();
    }

    private EtcdHealth aMomentLater() {
        session.pause("checking whether the learner makes progress", OBSERVATION);
        return steps.agreed();
    }
}
