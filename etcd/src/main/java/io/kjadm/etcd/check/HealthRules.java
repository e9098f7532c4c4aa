package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.ALARMS;
import static io.kjadm.etcd.check.EtcdRule.LAG;
import static io.kjadm.etcd.check.EtcdRule.QUOTA;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.MemberStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** No alarm, voters that keep up, room in the database. */
public final class HealthRules {

    private static final long LAG_WARNING = 1000;
    /**
     * As many entries as a leader keeps for those that are behind; further back only a snapshot
     * helps.
     */
    public static final long LAG_LIMIT = 5000;

    private static final long DEFAULT_QUOTA_BYTES = 2L << 30;
    private static final int QUOTA_WARNING_PERCENT = 80;

    private HealthRules() {}

    static List<EtcdFinding> findings(ClusterFacts facts) {
        EtcdHealth health = facts.health();
        List<EtcdFinding> findings = new ArrayList<>();
        health.alarmRaised()
                .ifPresent(
                        obstacle -> findings.add(EtcdFinding.error(ALARMS, obstacle.toString())));
        health.leaderStatus()
                .ifPresent(leader -> health.voters()
                        .forEach(voter -> health.status(voter.id())
                                .flatMap(status -> lag(voter, status, leader))
                                .ifPresent(findings::add)));
        health.voters()
                .forEach(voter -> Optional.ofNullable(facts.looks().get(voter.id()))
                        .flatMap(look -> quota(voter, look))
                        .ifPresent(findings::add));
        return findings;
    }

    /**
     * How many entries a member has not applied.
     *
     * @param committed index of the last entry
     * @return 0 for etcd 3.3, which does not tell what it has applied
     */
    public static long lag(MemberStatus status, long committed) {
        return status.version().atLeast(3, 4) ? committed - status.appliedIndex() : 0;
    }

    private static Optional<EtcdFinding> lag(
            Member voter, MemberStatus status, MemberStatus leader) {
        long lag = lag(status, leader.raftIndex());
        if (lag <= LAG_WARNING) {
            return Optional.empty();
        }
        String text = "etcd voter %s has applied %d entries less than the leader has committed"
                .formatted(voter.describe(), lag);
        return Optional.of(
                lag > LAG_LIMIT
                        ? EtcdFinding.error(
                                LAG,
                                text
                                        + ", %d are the limit: wait until it has caught up, or find out what slows it down"
                                                .formatted(LAG_LIMIT))
                        : EtcdFinding.warning(
                                LAG, text + ": it counts for the quorum but is slow"));
    }

    private static Optional<EtcdFinding> quota(Member voter, MemberProbe look) {
        long quota = look.quotaBytes().orElse(DEFAULT_QUOTA_BYTES);
        long size = look.status().dbSizeBytes();
        return size <= quota / 100 * QUOTA_WARNING_PERCENT
                ? Optional.empty()
                : Optional.of(
                        EtcdFinding.warning(
                                QUOTA,
                                ("the database of etcd member %s takes %s of its quota of %s%s: compact and"
                                                + " defragment (kjadm etcd defrag), or raise --quota-backend-bytes, before writes are refused")
                                        .formatted(
                                                voter.describe(),
                                                DiskRules.size(size),
                                                DiskRules.size(quota),
                                                look.quotaBytes().isPresent()
                                                        ? ""
                                                        : " (etcd's default; this version does not report its own)")));
    }
}
