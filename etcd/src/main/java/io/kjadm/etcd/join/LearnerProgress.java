package io.kjadm.etcd.join;

import io.kjadm.etcd.MemberStatus;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What one run has seen of its member since it was added.
 *
 * @param since the first look
 * @param commitAtStart the leader's commit index at the first look that showed one
 * @param closeSince since when every look has found the member close to the leader
 * @param progress where it stands, once it has answered
 * @param transfer how much of the database it has received, while it does not answer
 * @param signs of life
 * @param samples from which rates are made
 */
record LearnerProgress(
        Instant since,
        OptionalLong commitAtStart,
        Optional<Instant> closeSince,
        Optional<ReplicationProgress> progress,
        Optional<SnapshotTransfer> transfer,
        Signs signs,
        Samples samples) {

    /**
     * etcd promotes at nine tenths of the leader's index, which may be any number of entries; this
     * is our own limit.
     */
    static final long LAG_LIMIT = 1000;
    /** Rates are of about twice this time. */
    private static final Duration SAMPLE_TIME = Duration.ofSeconds(5);

    /**
     * Signs of life.
     *
     * @param progressAt when something moved last
     * @param signAt when anything on this node answered for it last
     * @param dbBytes of its database, when it answered last
     * @param dataBytes of its data directory, at the last look
     * @param alive whether there was a sign at the last look
     */
    record Signs(Instant progressAt, Instant signAt, long dbBytes, long dataBytes, boolean alive) {}

    record Sample(Instant at, long applied, long lag, long bytes) {}

    /**
     * Samples of about the last ten seconds.
     *
     * @param older one some seconds ago, from which rates are made
     * @param newer one between that and now
     */
    record Samples(Optional<Sample> older, Optional<Sample> newer) {

        static final Samples NONE = new Samples(Optional.empty(), Optional.empty());

        Samples with(Sample sample) {
            boolean shift = newer.isEmpty()
                    || Duration.between(newer.get().at(), sample.at()).compareTo(SAMPLE_TIME) >= 0;
            return shift
                    ? new Samples(newer.or(() -> Optional.of(sample)), Optional.of(sample))
                    : this;
        }
    }

    static LearnerProgress begun(Instant now) {
        return new LearnerProgress(
                now,
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new Signs(now, now, 0, 0, false),
                Samples.NONE);
    }

    /**
     * After one more look; {@code own} and {@code leader} are missing where they did not answer.
     */
    LearnerProgress looked(
            Instant now,
            Optional<MemberStatus> own,
            Optional<MemberStatus> leader,
            LocalMemberHealth life) {
        OptionalLong start = commitAtStart.isEmpty() && leader.isPresent()
                ? OptionalLong.of(leader.get().raftIndex())
                : commitAtStart;
        boolean sign = own.isPresent() || life.alive();
        boolean grew = life.dataBytes() != signs.dataBytes() || sign && !signs.alive();
        if (own.isEmpty() || leader.isEmpty()) {
            Optional<SnapshotTransfer> received = leader.isEmpty()
                    ? transfer
                    : SnapshotTransfer.after(
                            transfer, now, life.databaseBytes(), leader.get().dbSizeBytes());
            return new LearnerProgress(
                    since,
                    start,
                    own.isEmpty() ? Optional.empty() : closeSince,
                    progress,
                    received,
                    new Signs(
                            grew ? now : signs.progressAt(),
                            sign ? now : signs.signAt(),
                            signs.dbBytes(),
                            life.dataBytes(),
                            sign),
                    samples);
        }
        var reached =
                new ReplicationProgress(own.get().appliedIndex(), leader.get().raftIndex());
        boolean close = reached.applied() >= start.orElseThrow() && reached.lag() <= LAG_LIMIT;
        boolean moved = grew
                || own.get().dbSizeBytes() != signs.dbBytes()
                || reached.lag() <= LAG_LIMIT
                || progress.map(before -> reached.applied() > before.applied()).orElse(true);
        var sample = new Sample(now, reached.applied(), reached.lag(), own.get().dbSizeBytes());
        return new LearnerProgress(
                since,
                start,
                close ? closeSince.or(() -> Optional.of(now)) : Optional.empty(),
                Optional.of(withRates(reached, sample)),
                Optional.empty(),
                new Signs(
                        moved ? now : signs.progressAt(),
                        now,
                        own.get().dbSizeBytes(),
                        life.dataBytes(),
                        true),
                samples.with(sample));
    }

    private ReplicationProgress withRates(ReplicationProgress reached, Sample sample) {
        double seconds = samples.older()
                .map(from -> Duration.between(from.at(), sample.at()).toMillis() / 1000.0)
                .orElse(0.0);
        if (seconds < 1) {
            return reached;
        }
        Sample from = samples.older().orElseThrow();
        return new ReplicationProgress(
                reached.applied(),
                reached.target(),
                (sample.applied() - from.applied()) / seconds,
                (from.lag() - sample.lag()) / seconds,
                Math.max(0, sample.bytes() - from.bytes()) / seconds);
    }
}
