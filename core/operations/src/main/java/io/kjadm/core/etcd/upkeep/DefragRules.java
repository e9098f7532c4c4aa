package io.kjadm.core.etcd.upkeep;

import io.kjadm.core.etcd.commands.MemberCommandRules;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.commands.Verdict;
import io.kjadm.core.etcd.commands.Verdict.Allowed;
import io.kjadm.core.etcd.commands.Verdict.Refused;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides whether databases may be defragmented, whose, and in what order: facts in, verdict out.
 * Nothing here asks or changes anything.
 */
public final class DefragRules {

    private static final String WHAT = "nothing is defragmented";

    /**
     * What 99 of 100 small synced writes may take. On a slower disk the member's vote and log would
     * wait behind its new file for longer than an election takes.
     */
    private static final Duration SLOWEST_SYNC = Duration.ofMillis(100);

    private DefragRules() {}

    /**
     * A member and what is to happen to it.
     *
     * @param leads    whether it leads now; it comes last, after a transfer of leadership
     * @param chosen   whether it is worth it
     * @param reason   why, or why not
     */
    public record Choice(
            Member member,
            boolean leads,
            MemberStatus.Database database,
            boolean chosen,
            String reason) {}

    /**
     * Whether it may begin: every voter is healthy, no member is joining. The alarm {@code NOSPACE} is no
     * obstacle, as room is what it asks for.
     */
    static Verdict mayBegin(EtcdSurvey.Heard seen, MembershipLeaseStatus lock) {
        EtcdHealth health = seen.health();
        Optional<Refused> busy = MemberCommandRules.busy(lock);
        if (busy.isPresent()) {
            return busy.get();
        }
        if (health.leader().isEmpty()) {
            return refused(
                    "the voters do not agree on a leader: " + health.leadersNamed(),
                    "wait for the election to end, or bring a majority of the voters back");
        }
        if (!health.allVotersHealthy()) {
            return refused(
                    "a member is unavailable during defragmentation, so all others must be healthy: "
                            + health.unhealthyMembers(),
                    "bring the member back, or remove it if it is gone for good (kjadm etcd member remove)");
        }
        if (!health.learners().isEmpty()) {
            return refused(
                    "a member is joining: " + Member.describeAll(health.learners()),
                    "wait for its join to finish, or run 'kjadm etcd member cleanup' if it is not going to start");
        }
        List<Alarm> others = health.raisedAlarms().stream()
                .filter(alarm -> !alarm.is(Alarm.NOSPACE))
                .toList();
        if (!others.isEmpty()) {
            return refused(
                    "etcd raises an alarm: " + String.join(", ", health.alarms()), Alarm.WAY_OUT);
        }
        if (!seen.disputes().isEmpty()) {
            return refused(
                    String.join("; ", seen.disputes()),
                    "compare the members in 'kjadm etcd status', and run the command again once they agree");
        }
        return new Allowed("all %d voters are healthy".formatted(health.quorum().voters()));
    }

    private static Refused refused(String why, String next) {
        return new Refused(new Problem(WHAT, why, next));
    }

    /** Every voter in the order in which it would be done: the followers by name, then the leader. */
    static List<Choice> choices(EtcdHealth health, DefragOptions options) {
        List<Choice> choices = new ArrayList<>();
        for (Member voter : health.voters()) {
            MemberStatus status = health.status(voter.id()).orElseThrow();
            choices.add(choice(
                    voter,
                    health.leader().filter(voter::equals).isPresent(),
                    status.database(),
                    options));
        }
        choices.sort(Comparator.comparing(Choice::leads)
                .thenComparing(choice -> choice.member().name())
                .thenComparing(choice -> choice.member().id()));
        return List.copyOf(choices);
    }

    /** Whether one member is worth it. */
    static Choice choice(
            Member member, boolean leads, MemberStatus.Database database, DefragOptions options) {
        if (options.all()) {
            return new Choice(member, leads, database, true, "all members were selected");
        }
        OptionalLong free = database.freeBytes();
        if (free.isEmpty()) {
            return new Choice(member, leads, database, false, "it does not report its free space");
        }
        double part =
                database.sizeBytes() == 0 ? 0 : (double) free.getAsLong() / database.sizeBytes();
        boolean worth = part > options.threshold() && free.getAsLong() >= options.minFreeBytes();
        String told = "%s of %s are free (%s)"
                .formatted(
                        Sizes.text(free.getAsLong()),
                        Sizes.text(database.sizeBytes()),
                        percent(part));
        return new Choice(
                member,
                leads,
                database,
                worth,
                worth
                        ? told
                        : told
                                + (part > options.threshold()
                                        ? ", fewer than " + Sizes.text(options.minFreeBytes())
                                        : ", no more than " + percent(options.threshold())));
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.0f %%", part * 100);
    }

    /**
     * Whether a member's disk is too slow for it.
     *
     * @param sync what 99 of 100 small synced writes take at most
     */
    static Optional<Problem> speedProblem(Member member, Duration sync) {
        return sync.compareTo(SLOWEST_SYNC) <= 0
                ? Optional.empty()
                : Optional.of(
                        new Problem(
                                "etcd member %s is not defragmented".formatted(member.describe()),
                                "its disk takes %d ms to sync a small write (p99), %d ms is the limit: the other members may consider it failed during defragmentation"
                                        .formatted(sync.toMillis(), SLOWEST_SYNC.toMillis()),
                                "find what else writes to that disk, and run the command again once it is done; --force overrides this check"));
    }

    /** Room that has to be on a member's disk: the new file lies beside the old one for a while. */
    static Optional<Problem> diskProblem(Choice choice, long freeBytes) {
        return freeBytes >= choice.database().sizeBytes()
                ? Optional.empty()
                : Optional.of(
                        new Problem(
                                "etcd member %s is not defragmented"
                                        .formatted(choice.member().describe()),
                                "its disk has %s left, and a new file may take as much as the database, %s"
                                        .formatted(
                                                Sizes.text(freeBytes),
                                                Sizes.text(choice.database().sizeBytes())),
                                "free space on the disk of its data directory, then run the command again"));
    }
}
