package io.kjadm.core.etcd.replace;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MemberCommandRules;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.commands.Verdict;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.join.DistantJoin;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.TransientJournal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Adds a learner whose etcd somebody starts elsewhere. Run again, it finds the member that is listed,
 * and tells once more how to start it.
 */
public final class MemberAddition {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final EtcdSession session;
    private final MembershipSteps steps;
    private final Supplier<ClusterFacts> facts;
    private final Reporter out;

    /** @param facts looks at all members at once, as a join does */
    public MemberAddition(
            EtcdSession session,
            MembershipSteps steps,
            Supplier<ClusterFacts> facts,
            Reporter out) {
        this.session = session;
        this.steps = steps;
        this.facts = facts;
        this.out = out;
    }

    /**
     * Adds the member as a learner.
     *
     * @param allowDegraded although a voter is unhealthy, as far as etcd itself accepts that
     * @throws ClusterException if something is against it and nothing is changed, or if it is not
     *         listed in the end
     */
    public void add(NewMember wanted, boolean allowDegraded) {
        EtcdSurvey.Heard seen = steps.look();
        MembershipLeaseStatus lock = steps.lock();
        EtcdHealth health = seen.health();
        Optional<Member> listed =
                health.members().stream().filter(wanted::hasUrlOf).findFirst();
        if (listed.isPresent()) {
            again(wanted, listed.get(), health);
            return;
        }
        if (!steps.allowed(mayAdd(health, lock), seen, lock)) {
            return;
        }
        NewMemberFindings.require(wanted, facts.get(), allowDegraded, finding -> true, out);
        steps.inTurn(lock, "member add", () -> announce(wanted, allowDegraded));
    }

    private void again(NewMember wanted, Member listed, EtcdHealth health) {
        if (listed.started()) {
            if (!listed.name().equals(wanted.name())) {
                throw new ClusterException(
                        "the peer URL %s belongs to etcd member %s"
                                .formatted(wanted.peerUrlText(), listed.describe()),
                        "no two members can have one peer URL",
                        "choose another one, or remove that member if it is gone for good: kjadm etcd member remove "
                                + listed.id());
            }
            out.step(
                    AREA,
                    "Nothing to do: %s is listed and has started".formatted(listed.describe()));
            return;
        }
        // its name is not known to etcd before it starts
        health.members().stream()
                .filter(member -> !member.equals(listed) && member.name().equals(wanted.name()))
                .findFirst()
                .ifPresent(namesake -> {
                    throw new ClusterException(
                            CommonReason.EXISTS,
                            "no etcd can be started with the name " + wanted.name(),
                            "it is that of %s, and two members of one name break the list that a new member starts with"
                                    .formatted(namesake.describe()),
                            "run the command again with the name of before, or another one");
                });
        out.step(AREA, "It is listed already: " + listed.describe());
        out.print(StartLines.of(wanted, health.members()));
    }

    /** Whether nobody else is at it. */
    private static Verdict mayAdd(EtcdHealth health, MembershipLeaseStatus lock) {
        Optional<Verdict.Refused> busy = MemberCommandRules.busy(lock);
        if (busy.isPresent()) {
            return busy.get();
        }
        Optional<Member> learner = health.learners().stream().findFirst();
        return learner.<Verdict>map(
                        joining -> new Verdict.Refused(
                                new Problem(
                                        "no learner is added while there is one",
                                        joining.describe(),
                                        joining.started()
                                                ? "promote it with 'kjadm etcd member promote %s', or remove it"
                                                        .formatted(joining.id())
                                                : "start its etcd, or run 'kjadm etcd member cleanup' if it will not be started")))
                .orElseGet(() -> new Verdict.Allowed("no other member is joining"));
    }

    private void announce(NewMember wanted, boolean allowDegraded) {
        AtomicBoolean told = new AtomicBoolean();
        Await await = new Await(
                AREA,
                "etcd to list the new member",
                LIMIT,
                INTERVAL,
                "see 'kjadm etcd member list', then run the command again");
        steps.followUntil(
                DistantJoin.of(
                        session.cluster(),
                        wanted,
                        new TransientJournal(),
                        new DistantJoin.Terms(false, allowDegraded, LIMIT),
                        (members, own) -> {
                            if (told.compareAndSet(false, true)) {
                                out.step(
                                        AREA,
                                        "etcd member %s is a learner: it has no vote before it has caught up and is promoted"
                                                .formatted(own.id()));
                                out.print(StartLines.of(wanted, members));
                                out.print("Then run 'kjadm etcd member promote %s'"
                                        .formatted(own.id()));
                            }
                        },
                        session::now),
                await,
                told::get);
    }
}
