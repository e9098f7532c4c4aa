package io.kjadm.core.etcd.upkeep;

import io.kjadm.core.etcd.upkeep.Defragmentation.Result;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Decides whether an alarm may be disarmed: only once its cause has gone. Nothing here asks. */
final class AlarmRules {

    /** In parts of a hundred: what has to have become free where nobody tells the quota. */
    private static final int SHRUNK_PERCENT = 5;

    private AlarmRules() {}

    /**
     * What stands against disarming a {@code CORRUPT}: its member is listed still, or those that are
     * listed do not hold the same.
     */
    static Optional<Problem> corrupt(
            EtcdHealth health, List<Alarm> corrupt, CorruptionEvidence evidence) {
        List<Member> listed = health.members().stream()
                .filter(member ->
                        corrupt.stream().anyMatch(alarm -> alarm.memberId().equals(member.id())))
                .toList();
        List<Member> suspects = evidence.deviating().isEmpty() ? listed : evidence.deviating();
        if (listed.isEmpty() && evidence.agrees()) {
            return Optional.empty();
        }
        String what = "the alarm CORRUPT is not disarmed";
        if (suspects.isEmpty()) {
            return Optional.of(
                    new Problem(
                            what,
                            "it is not known whose data is damaged: " + evidence,
                            "write nothing; make every member respond and run the command again, or restore a snapshot that was verified: kjadm etcd snapshot restore"));
        }
        String who = Member.describeAll(suspects);
        String name = suspects.getFirst().label();
        return Optional.of(new Problem(
                what,
                "%s %s listed, and its data cannot be trusted (%s)"
                        .formatted(who, suspects.size() == 1 ? "is" : "are", evidence),
                ("replace it: 'kjadm etcd member replace %s NEW-PEER-URL --name NEW-NAME', or without a URL to remove it and"
                                + " show how a new control-plane node joins; then run this command again")
                        .formatted(name)));
    }

    /**
     * What stands against disarming a {@code NOSPACE}: a database that is as large as its quota
     * still, so that the next write would raise the alarm again.
     *
     * @param before of the databases, as they were when the alarm was raised
     * @param told   the quota, where the members do not tell it
     */
    static Optional<Problem> noSpace(EtcdHealth after, List<Result> before, OptionalLong told) {
        return after.voters().stream()
                .flatMap(voter -> after.status(voter.id()).stream()
                        .flatMap(status -> full(voter, status.database(), before, told).stream()))
                .findFirst();
    }

    private static Optional<Problem> full(
            Member voter, MemberStatus.Database database, List<Result> before, OptionalLong told) {
        OptionalLong quota = database.quotaBytes().isPresent() ? database.quotaBytes() : told;
        String what = "the alarm NOSPACE is not disarmed";
        String next =
                "keep fewer revisions (--compact-keep), delete keys that are not needed, or start the members with a larger --quota-backend-bytes; then run the command again";
        if (quota.isPresent()) {
            return database.sizeBytes() < quota.getAsLong()
                    ? Optional.empty()
                    : Optional.of(new Problem(
                            what,
                            "the database of %s is %s, and its quota %s"
                                    .formatted(
                                            voter.describe(),
                                            Sizes.text(database.sizeBytes()),
                                            Sizes.text(quota.getAsLong())),
                            next));
        }
        long was = before.stream()
                .filter(result -> result.member().id().equals(voter.id()))
                .mapToLong(Result::bytesBefore)
                .findFirst()
                .orElse(database.sizeBytes());
        // it was at its quota then, within the size of one write
        return database.sizeBytes() <= was / 100 * (100 - SHRUNK_PERCENT)
                ? Optional.empty()
                : Optional.of(new Problem(
                        what,
                        "the database of %s is %s after its defragmentation, was %s, and etcd before 3.6 does not report its quota"
                                .formatted(
                                        voter.describe(),
                                        Sizes.text(database.sizeBytes()),
                                        Sizes.text(was)),
                        "if the members run with a larger quota now, specify it with --quota-backend-bytes; else "
                                + next));
    }
}
