package io.kjadm.etcd.recover;

import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A member as all evidence together tells of it.
 *
 * @param member   as it is listed; its ID is none if only manifests name it
 * @param status   what it said last, if it answers
 * @param silence  why it does not, or empty text
 * @param hash     what its keys add up to
 * @param disk     of the node that runs it, if that was looked at
 * @param declared whether the operator says that it is gone for good
 */
public record MemberFacts(
        Member member,
        Optional<MemberStatus> status,
        String silence,
        Optional<KvHash> hash,
        Optional<SeenDisk> disk,
        boolean declared) {

    /**
     * A disk, on which node and when it was looked at.
     *
     * @param current whether that was so short a time ago that it says something of now
     */
    public record SeenDisk(String node, Instant taken, DiskEvidence evidence, boolean current) {}

    /** Whether a member is gone. */
    public enum Loss {
        /** Nobody says so. */
        NONE,
        /** Its disk was looked at and has no data of it; the operator does not give it up. */
        SEEN,
        /** The operator gives it up. */
        DECLARED
    }

    /**
     * How far a member's data go.
     *
     * @param applied    the entry of raft's log that its database has
     * @param commit     the last one that it knows to be committed
     * @param lastTerm   of the last entry of its log
     * @param lastIndex  of the last entry of its log
     * @param revision   of its database, if that was looked into
     * @param gap        what its database has not got
     */
    public record Progress(
            long applied,
            long commit,
            long lastTerm,
            long lastIndex,
            OptionalLong revision,
            LogEvidence.Gap gap) {

        /**
         * What is kept decides first: entries that are committed are the same everywhere, so who has
         * more of them has all that the others have.
         */
        static final Comparator<Progress> ORDER = Comparator.comparingLong(Progress::kept)
                .thenComparingLong(Progress::lastTerm)
                .thenComparingLong(Progress::lastIndex);

        /** Whether a restore of it keeps more. */
        public boolean isMoreThan(Progress other) {
            return ORDER.compare(this, other) > 0;
        }

        /** The entry up to which a restore of it keeps everything, once it has started. */
        public long kept() {
            return Math.max(applied, commit);
        }
    }

    /** Name, or ID, or peer URL: how messages speak of it. */
    public String label() {
        return ClusterLook.label(member);
    }

    public boolean answers() {
        return status.isPresent();
    }

    /** Whether what is known of its data is of now: it may have served since an older look. */
    boolean seenNow() {
        return answers() || disk.filter(SeenDisk::current).isPresent();
    }

    /** Whether it answers and knows a leader. */
    public boolean led() {
        return status.filter(own -> !own.leaderId().isNone()).isPresent();
    }

    /** Whoever answers is not lost, whatever is said of it. */
    public Loss loss() {
        if (answers()) {
            return Loss.NONE;
        }
        return declared ? Loss.DECLARED : seenWithoutData() ? Loss.SEEN : Loss.NONE;
    }

    private boolean seenWithoutData() {
        return disk.filter(SeenDisk::current)
                .map(seen -> switch (seen.evidence()) {
                    case DiskEvidence.Empty empty -> empty.doubt().isEmpty() && isOwner(empty);
                    case DiskEvidence.Unreadable _ -> false;
                    case DiskEvidence.Held held ->
                        isAnothers(held) && held.doubt().isEmpty();
                })
                .orElse(false);
    }

    private boolean isOwner(DiskEvidence.Empty empty) {
        return member.id().isNone()
                || empty.owner()
                        .filter(id -> id.isEmpty() || id.equals(member.id().toString()))
                        .isPresent();
    }

    private boolean isAnothers(DiskEvidence.Held held) {
        return !member.id().isNone()
                && held.log() instanceof LogEvidence.Readable log
                && !log.memberId().equals(member.id());
    }

    /** Why its data cannot be used, if they were looked into and found damaged. */
    public Optional<String> damage() {
        return held().flatMap(held -> {
            if (held.database() instanceof DatabaseEvidence.Damaged(String why)) {
                return Optional.of("its database is damaged: " + why);
            }
            return held.log() instanceof LogEvidence.Damaged(String why)
                    ? Optional.of("its write-ahead log is damaged: " + why)
                    : Optional.empty();
        });
    }

    /** Why its database was not looked into, if that could not be. */
    public Optional<String> unread() {
        return held().flatMap(held -> held.database() instanceof DatabaseEvidence.Unread(String why)
                ? Optional.of(why)
                : Optional.empty());
    }

    private Optional<DiskEvidence.Held> held() {
        return disk.map(SeenDisk::evidence)
                .filter(DiskEvidence.Held.class::isInstance)
                .map(DiskEvidence.Held.class::cast)
                .filter(held -> !isAnothers(held));
    }

    /** How far its data go, if anybody knows. */
    public Optional<Progress> progress() {
        Optional<DatabaseEvidence.Whole> database = held().map(DiskEvidence.Held::database)
                .filter(DatabaseEvidence.Whole.class::isInstance)
                .map(DatabaseEvidence.Whole.class::cast);
        Optional<LogEvidence.Readable> log = held().map(DiskEvidence.Held::log)
                .filter(LogEvidence.Readable.class::isInstance)
                .map(LogEvidence.Readable.class::cast);
        // a log that cannot be read is damage
        if (damage().isPresent() || status.isEmpty() && database.isEmpty()) {
            return Optional.empty();
        }
        long applied = Math.max(
                status.map(MemberStatus::appliedIndex).orElse(0L),
                database.map(DatabaseEvidence.Whole::applied).orElse(0L));
        long commit = Math.max(
                status.map(MemberStatus::raftIndex).orElse(0L),
                log.map(readable -> readable.position().commit()).orElse(0L));
        return Optional.of(new Progress(
                applied,
                commit,
                log.map(readable -> readable.position().lastTerm())
                        .or(() -> status.map(MemberStatus::raftTerm))
                        .orElse(0L),
                // the log was read before the member was asked
                Math.max(
                        commit,
                        log.map(readable -> readable.position().lastIndex()).orElse(commit)),
                database.map(whole -> OptionalLong.of(whole.revision()))
                        .orElseGet(OptionalLong::empty),
                log.map(LogEvidence.Readable::gap).orElse(new LogEvidence.Gap(0, 0))));
    }
}
