package io.kjadm.core.lock;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.etcd.MemberId;
import io.kjadm.manifests.KubeSystem;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a Lease says of its holder. The times are by the holder's clock: they are for people, no
 * decision is made by them.
 *
 * @param since    when the holder took the lock
 * @param reached  when it came as far as it is
 * @param lasts    how long the record holds after it was last renewed
 */
public record LockRecord(
        LockHolder holder, Work work, Instant since, Instant reached, Duration lasts) {

    /** Where the Lease is. */
    public static final String NAMESPACE = KubeSystem.NAMESPACE;
    /** Its name. */
    public static final String NAME = "kjadm-etcd-membership";

    /** Six renewals may fail before others take the holder for dead. */
    static final Duration DURATION = Duration.ofSeconds(60);

    private static final String OPERATION = "kjadm.io/operation";
    private static final String MEMBER = "kjadm.io/member-id";
    private static final String PROGRESS = "kjadm.io/progress";
    private static final String REACHED = "kjadm.io/progress-since";
    private static final List<String> NOTES = List.of(OPERATION, MEMBER, PROGRESS, REACHED);
    private static final Pattern MEMBER_ID = Pattern.compile("[0-9a-f]{1,16}");
    /** Enough for a line; annotations are no place for logs. */
    private static final int LONGEST_PROGRESS = 200;

    static LockRecord begun(LockHolder holder, Work work, Instant now) {
        return new LockRecord(holder, work, now, now, DURATION);
    }

    /** The same holder, further on. */
    LockRecord going(Work now, Instant moment) {
        return now.progress().equals(work.progress())
                ? new LockRecord(holder, now, since, reached, lasts)
                : new LockRecord(holder, now, since, moment, lasts);
    }

    /** Reads a Lease; empty if nobody holds it. */
    public static Optional<LockRecord> of(Lease lease) {
        LeaseSpec spec = lease.getSpec();
        if (spec == null
                || spec.getHolderIdentity() == null
                || spec.getHolderIdentity().isBlank()) {
            return Optional.empty();
        }
        Map<String, String> notes = lease.getMetadata().getAnnotations();
        Work work = new Work(
                note(notes, OPERATION).orElse("change"),
                note(notes, MEMBER).filter(MEMBER_ID.asMatchPredicate()).map(MemberId::parse),
                note(notes, PROGRESS).orElse(""));
        Instant since = instant(spec.getAcquireTime());
        return Optional.of(new LockRecord(
                LockHolder.parse(spec.getHolderIdentity()),
                work,
                since,
                note(notes, REACHED).flatMap(LockRecord::parsed).orElse(since),
                Optional.ofNullable(spec.getLeaseDurationSeconds())
                        .filter(seconds -> seconds > 0)
                        .map(Duration::ofSeconds)
                        .orElse(DURATION)));
    }

    /** When the Lease was renewed, by its holder's clock; when it was taken if it never was. */
    public static Instant renewed(Lease lease) {
        LeaseSpec spec = lease.getSpec();
        return instant(spec.getRenewTime() == null ? spec.getAcquireTime() : spec.getRenewTime());
    }

    private static Optional<String> note(Map<String, String> notes, String key) {
        return notes == null
                ? Optional.empty()
                : Optional.ofNullable(notes.get(key)).filter(text -> !text.isBlank());
    }

    private static Instant instant(ZonedDateTime time) {
        return time == null ? Instant.EPOCH : time.toInstant();
    }

    private static Optional<Instant> parsed(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** A new Lease that says so. */
    Lease newLease(Instant now) {
        return onto(
                new LeaseBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(NAME)
                        .endMetadata()
                        .withNewSpec()
                        .endSpec()
                        .build(),
                now);
    }

    /**
     * The Lease with this record; its resource version stays, so that only this one is replaced.
     */
    Lease onto(Lease before, Instant now) {
        boolean another = of(before).filter(old -> old.holder().equals(holder)).isEmpty();
        return withoutNotes(before)
                .editMetadata()
                .addToAnnotations(OPERATION, work.operation())
                .addToAnnotations(
                        work.member().map(id -> Map.of(MEMBER, id.toString())).orElse(Map.of()))
                .addToAnnotations(PROGRESS, shortened(work.progress()))
                .addToAnnotations(REACHED, seconds(reached).toString())
                .endMetadata()
                .editOrNewSpec()
                .withHolderIdentity(holder.identity())
                .withLeaseDurationSeconds((int) lasts.toSeconds())
                .withAcquireTime(seconds(since).atZone(ZoneOffset.UTC))
                .withRenewTime(now.atZone(ZoneOffset.UTC))
                .withLeaseTransitions(transitions(before) + (another ? 1 : 0))
                .endSpec()
                .build();
    }

    /** The Lease held by nobody. */
    static Lease released(Lease before, Instant now) {
        return withoutNotes(before)
                .editOrNewSpec()
                .withHolderIdentity(null)
                .withAcquireTime(null)
                .withRenewTime(now.atZone(ZoneOffset.UTC))
                .endSpec()
                .build();
    }

    private static LeaseBuilder withoutNotes(Lease before) {
        var metadata = new LeaseBuilder(before).editOrNewMetadata();
        NOTES.forEach(metadata::removeFromAnnotations);
        return metadata.endMetadata();
    }

    private static int transitions(Lease before) {
        return Optional.ofNullable(before.getSpec())
                .map(LeaseSpec::getLeaseTransitions)
                .orElse(0);
    }

    private static Instant seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_PROGRESS
                ? text
                : text.substring(0, LONGEST_PROGRESS - 1) + "…";
    }

    /**
     * For those who wait:
     * {@code join on node cp-2 (run 311-90412), member 8e9e05c52164694d, since …: 63 %}.
     */
    @Override
    public String toString() {
        return "%s on node %s%s, since %s%s"
                .formatted(
                        work.operation(),
                        holder,
                        work.member().map(id -> ", member " + id).orElse(""),
                        since,
                        work.progress().isEmpty()
                                ? ""
                                : ": %s (reached at %s)".formatted(work.progress(), reached));
    }
}
