package io.kjadm.core.etcd.upkeep;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.upkeep.DefragRules.Choice;
import io.kjadm.core.etcd.upkeep.Defragmentation.Result;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ReadAnswer;
import io.kjadm.manifests.EtcdPod;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Removes the cause of an alarm, then disarms the alarm. Every step may be repeated, so the same
 * command resumes a run that was interrupted.
 */
public final class AlarmDisarm {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    /** The members compact on their own, with pauses. */
    private static final Duration COMPACTION_LIMIT = Duration.ofMinutes(10);

    private static final Duration READ_BACK_LIMIT = Duration.ofSeconds(30);
    /** In which an API server writes. */
    private static final Duration OBSERVATION = Duration.ofSeconds(3);

    private final EtcdSession session;
    private final MembershipSteps steps;
    private final Defragmentation defragmentation;
    private final Waiter waiter;
    private final Reporter out;

    /**
     * How room is made.
     *
     * @param keepRevisions how many of the newest revisions are kept
     * @param quotaBytes    of the databases, where their members do not tell it
     */
    public record Options(long keepRevisions, OptionalLong quotaBytes) {}

    /** @param waiter the clock; a dry run's only reports waits */
    public AlarmDisarm(
            EtcdSession session,
            MembershipSteps steps,
            Defragmentation defragmentation,
            Waiter waiter,
            Reporter out) {
        this.session = session;
        this.steps = steps;
        this.defragmentation = defragmentation;
        this.waiter = waiter;
        this.out = out;
    }

    /** The quota that this node's manifest gives its member, if it gives one. */
    public static OptionalLong quotaOnNode(HostFiles files, KubernetesPaths paths) {
        return StaticPodText.of(files, paths, EtcdPod.NAME)
                .flatMap(pod -> pod.flag("quota-backend-bytes"))
                .filter(text -> text.matches("\\d{1,18}"))
                .map(text -> OptionalLong.of(Long.parseLong(text)))
                .orElseGet(OptionalLong::empty);
    }

    /**
     * Disarms all alarms.
     *
     * @param confirmation asked where the only voter would be silent meanwhile
     * @param shown        gets what is to happen to each database, before anything does
     * @throws ClusterException if the cause of one has not gone, so that it stays raised
     */
    public void run(Options options, Confirmation confirmation, Consumer<List<Choice>> shown) {
        EtcdHealth health = steps.look().health();
        List<Alarm> alarms = health.raisedAlarms();
        if (alarms.isEmpty()) {
            out.step(AREA, "Nothing to do: no alarm is raised");
            return;
        }
        List<Alarm> corrupt = of(alarms, Alarm.CORRUPT);
        List<Alarm> noSpace = of(alarms, Alarm.NOSPACE);
        if (corrupt.size() + noSpace.size() < alarms.size()) {
            throw new ClusterException(
                    "no alarm is disarmed",
                    "there is one that is neither NOSPACE nor CORRUPT: "
                            + String.join(", ", health.alarms()),
                    "look up in etcd's documentation what it means");
        }
        if (!corrupt.isEmpty()) {
            corrupt(health, corrupt);
        }
        if (!noSpace.isEmpty()) {
            makeRoom(health, options, confirmation, shown);
            disarm(noSpace);
        }
    }

    private static List<Alarm> of(List<Alarm> alarms, String kind) {
        return alarms.stream().filter(alarm -> alarm.is(kind)).toList();
    }

    /**
     * Disarms {@code CORRUPT} of members that are no longer listed, once those that are hold the same.
     *
     * @throws ClusterException if it has to stay, with what the members hold
     */
    private void corrupt(EtcdHealth health, List<Alarm> corrupt) {
        out.step(AREA, "Comparing the data of the members; this reads all of it");
        CorruptionEvidence evidence = out.during(
                AREA,
                "Comparing the data of the members",
                () -> CorruptionEvidence.gather(session.cluster(), health));
        AlarmRules.corrupt(health, corrupt, evidence).ifPresent(AlarmDisarm::refuse);
        out.step(AREA, "All voters hold the same data: " + evidence);
        disarm(corrupt);
    }

    /**
     * Disarms {@code CORRUPT} where the member that raised it has left: while it is raised nobody is
     * promoted.
     */
    public void disarmCorruptOfThoseGone(EtcdHealth health) {
        List<Alarm> orphans = of(health.raisedAlarms(), Alarm.CORRUPT).stream()
                .filter(alarm -> health.find(alarm.memberId()).isEmpty())
                .toList();
        if (!orphans.isEmpty()) {
            corrupt(health, orphans);
        }
    }

    private static void refuse(Problem problem) {
        throw new ClusterException(problem);
    }

    private void makeRoom(
            EtcdHealth health,
            Options options,
            Confirmation confirmation,
            Consumer<List<Choice>> shown) {
        // what is compacted cannot be put back
        Confirmation then = defragmentation.requireMayBegin(DefragOptions.EVERYBODY, confirmation);
        long revision = health.voters().stream()
                .map(voter -> ReadAnswer.ask(session.cluster(), voter))
                .filter(ReadAnswer::serves)
                .mapToLong(read -> read.revision().getAsLong())
                .max()
                .orElseThrow(() -> new ClusterException(
                        "etcd does not serve",
                        health.unhealthyMembers(),
                        "bring a majority of the voters back first; see 'kjadm etcd health'"));
        if (revision > options.keepRevisions()) {
            compact(revision, revision - options.keepRevisions());
        } else {
            out.step(
                    AREA,
                    "Nothing to compact: there are %d revisions, and %d are kept"
                            .formatted(revision, options.keepRevisions()));
        }
        List<Result> done = defragmentation.run(DefragOptions.EVERYBODY, then, shown);
        AlarmRules.noSpace(steps.agreed(), done, options.quotaBytes())
                .ifPresent(AlarmDisarm::refuse);
    }

    private void compact(long newest, long target) {
        out.step(
                AREA, "Compacting etcd to revision %d; its newest is %d".formatted(target, newest));
        try {
            out.during(AREA, "Compacting", () -> {
                session.cluster().compact(target);
                return true;
            });
        } catch (EtcdCallException e) {
            if (e.errorClass() != ErrorClass.DONE) {
                throw new ClusterException(
                        "etcd was not compacted",
                        e.getMessage(),
                        "see 'kjadm etcd health', then run the command again",
                        e);
            }
            out.step(AREA, "It was already compacted to that revision");
        }
        long applied = steps.agreed().statuses().values().stream()
                .mapToLong(MemberStatus::appliedIndex)
                .max()
                .orElse(0);
        Map<MemberId, OptionalLong> last = new HashMap<>();
        Await await = new Await(
                AREA,
                "the members to have removed old revisions",
                COMPACTION_LIMIT,
                INTERVAL,
                "run the command again");
        waiter.until(await, () -> settled(applied, last));
    }

    /**
     * Two looks at what is in use that show the same, once all have applied the compaction. They are
     * no proof: a member that nobody writes to shows its new figure with the next write.
     *
     * @param applied an index of the log at or after the compaction
     */
    private Attempt<Boolean> settled(long applied, Map<MemberId, OptionalLong> last) {
        Map<MemberId, MemberStatus> statuses = steps.agreed().statuses();
        Optional<MemberStatus> behind = statuses.values().stream()
                .filter(status -> status.appliedIndex() < applied)
                .findFirst();
        if (behind.isPresent()) {
            last.clear();
            return Attempt.notYet("etcd member %s has not applied the compaction"
                    .formatted(behind.get().memberId()));
        }
        Map<MemberId, OptionalLong> now = new HashMap<>();
        statuses.forEach((id, status) -> now.put(id, status.database().inUseBytes()));
        boolean same = now.equals(last);
        last.clear();
        last.putAll(now);
        return same ? Attempt.done(true) : Attempt.notYet("compaction is in progress");
    }

    private void disarm(List<Alarm> alarms) {
        for (Alarm alarm : alarms) {
            out.step(
                    AREA,
                    "Disarming alarm %s of etcd member %s"
                            .formatted(alarm.kind(), alarm.memberId()));
        }
        Await await = new Await(
                AREA,
                "etcd to list the alarm no longer",
                READ_BACK_LIMIT,
                INTERVAL,
                "see 'kjadm etcd alarm list', then run the command again");
        waiter.until(await, () -> disarmed(alarms));
        waiter.pause(AREA, "whether it is raised again", OBSERVATION);
        List<Alarm> again =
                session.cluster().alarms().stream().filter(alarms::contains).toList();
        if (!again.isEmpty()) {
            throw new ClusterException(
                    "an alarm was raised again at once: "
                            + again.stream().map(Alarm::kind).collect(Collectors.joining(", ")),
                    "its cause has not gone",
                    "see the sizes and quotas of the databases in 'kjadm etcd status -o yaml'");
        }
        out.step(AREA, "The alarm is disarmed");
    }

    private Attempt<Boolean> disarmed(List<Alarm> alarms) {
        try {
            List<Alarm> raised =
                    session.cluster().alarms().stream().filter(alarms::contains).toList();
            raised.forEach(session.cluster()::disarm);
            return raised.isEmpty() ? Attempt.done(true) : Attempt.notYet("it is listed");
        } catch (EtcdCallException e) {
            return Attempt.notYet(e.text());
        }
    }
}
