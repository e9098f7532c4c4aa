package io.kjadm.core.etcd.upkeep;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.AnsweringUrl;
import io.kjadm.core.etcd.LeadershipTransfer;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.commands.Verdict;
import io.kjadm.core.etcd.upkeep.DefragRules.Choice;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.PeerUrls;
import io.kjadm.etcd.ReadAnswer;
import io.kjadm.etcd.RpcCode;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Defragments the databases of members, one member at a time: the followers first, the leader last,
 * after a transfer of leadership. Before each of them every voter has to serve and the leader has to
 * be the same. There is no journal, as each member is looked at again: the same command resumes a run
 * that was interrupted.
 */
public final class Defragmentation {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** An election, and entries that a member has to apply before it serves. */
    private static final Duration SERVE_LIMIT = Duration.ofMinutes(2);
    /** A slow disk; besides it a member needs some time for anything. */
    private static final long BYTES_PER_SECOND = 5L << 20;

    private static final Duration SHORTEST_LIMIT = Duration.ofMinutes(2);
    private static final String AGAIN = "run the command again: it checks each member again";

    private final EtcdSession session;
    private final MembershipSteps steps;
    private final Waiter waiter;
    private final DiskProbe disk;
    private final Reporter out;

    /** One member, as it was and is. */
    public record Result(Member member, long bytesBefore, long bytesAfter, Duration took) {}

    /**
     * @param waiter the clock; a dry run's only reports waits
     * @param disk   of this node
     */
    public Defragmentation(
            EtcdSession session,
            MembershipSteps steps,
            Waiter waiter,
            DiskProbe disk,
            Reporter out) {
        this.session = session;
        this.steps = steps;
        this.waiter = waiter;
        this.disk = disk;
        this.out = out;
    }

    /**
     * Looks at all members, and does those that are worth it.
     *
     * @param shown        gets what is to happen to each of them, before anything does
     * @param confirmation asked where the only voter would be silent meanwhile
     * @return those that were done
     * @throws ClusterException if the rules are against it and nothing is changed, or if a member
     *         does not come back, the leader changes by itself, or the disk of this node's member has
     *         become slow: then no other member is touched
     * @throws UsageException   if the operator says no
     */
    public List<Result> run(
            DefragOptions options, Confirmation confirmation, Consumer<List<Choice>> shown) {
        EtcdSurvey.Heard seen = steps.look();
        MembershipLeaseStatus lock = steps.lock();
        if (!steps.allowed(DefragRules.mayBegin(seen, lock), seen, lock)) {
            return List.of();
        }
        List<Choice> choices = DefragRules.choices(seen.health(), options);
        shown.accept(choices);
        List<Choice> chosen = choices.stream().filter(Choice::chosen).toList();
        if (chosen.isEmpty()) {
            out.step(
                    AREA,
                    "Nothing to do: no database has enough free space to be worth defragmenting");
            return List.of();
        }
        chosen.forEach(choice -> requireDisk(choice, options));
        confirm(choices, confirmation);
        List<Result> results = new ArrayList<>();
        steps.inTurn(lock, "defrag", held -> all(seen.health(), chosen, options, held, results));
        return List.copyOf(results);
    }

    /**
     * Asks the rules and the operator, before anything else is changed for the defragmentation.
     *
     * @return what is to be asked by {@link #run}: nothing, if the operator has said yes
     * @throws ClusterException if the rules are against it
     * @throws UsageException   if the operator says no
     */
    Confirmation requireMayBegin(DefragOptions options, Confirmation confirmation) {
        EtcdSurvey.Heard seen = steps.look();
        MembershipLeaseStatus lock = steps.lock();
        if (DefragRules.mayBegin(seen, lock) instanceof Verdict.Refused refused) {
            steps.allowed(refused, seen, lock);
        }
        return confirm(DefragRules.choices(seen.health(), options), confirmation);
    }

    private static Confirmation confirm(List<Choice> choices, Confirmation confirmation) {
        if (choices.size() == 1) {
            confirmation.require(
                    AREA,
                    "%s is the only voter: etcd is unavailable while its database of %s is defragmented. Are you sure you want to proceed?"
                            .formatted(
                                    choices.getFirst().member().label(),
                                    Sizes.text(choices.getFirst().database().sizeBytes())),
                    "the defragmentation");
            return Confirmation.GIVEN;
        }
        return confirmation;
    }

    private void requireDisk(Choice choice, DefragOptions options) {
        if (!onThisNode(choice.member())) {
            out.detail(
                    "the free space and the speed of the disk of etcd member %s are not known on this node"
                            .formatted(choice.member().label()));
            return;
        }
        requireRoom(choice);
        requireSpeed(choice.member(), options);
    }

    private boolean onThisNode(Member member) {
        LocalEtcdState node = session.node();
        return node.data() && PeerUrls.of(member).overlaps(PeerUrls.of(node.peerUrls()));
    }

    /** As the disk is now, with all that is on it: figures of etcd tell of its whole life. */
    private void requireSpeed(Member member, DefragOptions options) {
        Path folder = session.node().dataDir();
        try {
            disk.syncTime(folder)
                    .flatMap(sync -> DefragRules.speedProblem(member, sync))
                    .ifPresent(problem -> {
                        if (!options.slowDisk()) {
                            throw new ClusterException(problem);
                        }
                        out.warn(problem.why());
                    });
        } catch (IOException e) {
            out.warn("the speed of the disk of %s is not known: %s"
                    .formatted(folder, e.getMessage()));
        }
    }

    private void requireRoom(Choice choice) {
        LocalEtcdState node = session.node();
        try {
            DefragRules.diskProblem(choice, disk.freeBytes(node.dataDir())).ifPresent(problem -> {
                throw new ClusterException(problem);
            });
        } catch (IOException e) {
            out.warn("the free space on the disk of %s is not known: %s"
                    .formatted(node.dataDir(), e.getMessage()));
        }
    }

    private void all(
            EtcdHealth before,
            List<Choice> chosen,
            DefragOptions options,
            HeldLock held,
            List<Result> results) {
        MemberId leader = before.leader().map(Member::id).orElseThrow();
        for (Choice choice : chosen) {
            if (!results.isEmpty() && !options.pause().isZero()) {
                waiter.pause(AREA, "the other members settle before the next one", options.pause());
            }
            EtcdHealth now = serving(leader);
            Choice again = DefragRules.choice(
                    choice.member(),
                    choice.leads(),
                    database(now, choice.member()).orElse(choice.database()),
                    options);
            if (!again.chosen()) {
                out.step(
                        AREA, "Skipped: %s, %s".formatted(choice.member().label(), again.reason()));
                continue;
            }
            if (!results.isEmpty() && onThisNode(again.member())) {
                requireSpeed(again.member(), options);
            }
            if (now.leader().filter(choice.member()::equals).isPresent()) {
                leader = transferLeadership(now, choice.member());
            }
            held.requireHeld();
            results.add(one(again));
        }
        if (!results.isEmpty()) {
            serving(leader);
        }
    }

    private static Optional<MemberStatus.Database> database(EtcdHealth health, Member member) {
        return health.status(member.id()).map(MemberStatus::database);
    }

    private Result one(Choice choice) {
        Member member = choice.member();
        long before = choice.database().sizeBytes();
        URI url = AnsweringUrl.of(session.cluster(), member, List.of());
        out.step(
                AREA,
                "Defragmenting etcd member %s (%s); it is unavailable until this is finished"
                        .formatted(member.describe(), Sizes.text(before)));
        Instant began = waiter.now();
        defragment(member, url, limit(before));
        Duration took = Duration.between(began, waiter.now());
        long after = served(member);
        out.step(
                AREA,
                "etcd member %s: %s, was %s, in %.1f s"
                        .formatted(
                                member.label(),
                                Sizes.text(after),
                                Sizes.text(before),
                                took.toMillis() / 1000.0));
        return new Result(member, before, after, took);
    }

    /** By the size of the database. */
    static Duration limit(long bytes) {
        return SHORTEST_LIMIT.plusSeconds(bytes / BYTES_PER_SECOND);
    }

    private void defragment(Member member, URI url, Duration limit) {
        try {
            out.during(AREA, "Defragmenting " + member.label(), () -> {
                session.cluster().defragment(url, limit);
                return true;
            });
        } catch (EtcdCallException e) {
            boolean late = e.code() == RpcCode.DEADLINE_EXCEEDED;
            throw new ClusterException(
                    "the defragmentation of etcd member %s failed".formatted(member.describe()),
                    late
                            ? "it did not finish within %d min; the member continues it"
                                    .formatted(limit.toMinutes())
                            : e.text(),
                    e.errorClass() == ErrorClass.FATAL
                            ? "check the credentials, and the log of its etcd"
                            : "no other member was touched; read the log of its etcd, wait until 'kjadm etcd health' shows that it serves, then "
                                    + AGAIN,
                    e);
        }
    }

    /** The size of the database, once the member serves again. */
    private long served(Member member) {
        Await await = new Await(
                AREA,
                "etcd member %s to serve again".formatted(member.label()),
                SERVE_LIMIT,
                INTERVAL,
                "no other member was touched; read the log of its etcd, then " + AGAIN);
        waiter.until(await, () -> {
            ReadAnswer read = ReadAnswer.ask(session.cluster(), member);
            return read.serves() ? Attempt.done(read) : Attempt.notYet(read.problem());
        });
        return session.cluster().status(member).dbSizeBytes();
    }

    /**
     * Waits until every voter serves, under the leader that is expected.
     *
     * @throws ClusterException if one does not, or another one leads
     */
    private EtcdHealth serving(MemberId leader) {
        Await await = new Await(
                AREA,
                "every voter to serve",
                SERVE_LIMIT,
                INTERVAL,
                "no other member is touched before that; see 'kjadm etcd health', then " + AGAIN);
        return waiter.until(await, () -> look(leader)).orElseThrow(await::neededAnswer);
    }

    private Attempt<EtcdHealth> look(MemberId leader) {
        EtcdHealth health;
        try {
            health = EtcdHealth.ask(session.cluster());
        } catch (EtcdCallException e) {
            return Attempt.notYet(e.text());
        }
        if (health.leader().isEmpty()) {
            return Attempt.notYet("the voters do not agree on a leader");
        }
        if (!health.leader().get().id().equals(leader)) {
            throw new ClusterException(
                    "another etcd member leads than before",
                    "it was %s and is %s now, without a leadership transfer: the members or the network between them are too slow for this"
                            .formatted(leader, health.leader().get().describe()),
                    "no other member was touched; find out why in the logs of etcd, then " + AGAIN);
        }
        if (!health.allVotersHealthy()) {
            return Attempt.notYet(health.unhealthyMembers());
        }
        for (Map.Entry<Member, ReadAnswer> read :
                session.cluster().reads(health.voters()).entrySet()) {
            if (!read.getValue().serves()) {
                return Attempt.notYet("%s does not serve: %s"
                        .formatted(read.getKey().describe(), read.getValue().problem()));
            }
        }
        return Attempt.done(health);
    }

    /** The new leader, or the same one if there is no other voter. */
    private MemberId transferLeadership(EtcdHealth health, Member leader) {
        return health.successorOf(leader)
                .map(successor -> new LeadershipTransfer(waiter, out, AREA)
                        .away(
                                session.cluster(),
                                leader,
                                successor,
                                "the leader was not touched; see 'kjadm etcd status', then "
                                        + AGAIN))
                .orElse(leader)
                .id();
    }
}
