package io.kjadm.etcd.upgrade;

import io.kjadm.etcd.CheckName;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ProblemReason;
import io.kjadm.etcd.Severity;

import java.util.Objects;

/** One thing that stands in the way of another version of etcd, or that the operator should know. */
public record EtcdUpgradeFinding(Rule rule, Severity severity, Problem problem) {

    /** The subjects of findings, and the reasons for which another version is refused. */
    public enum Rule implements CheckName, ProblemReason {
        /** Every voter answers and knows a leader. */
        VOTERS("EtcdVoters"),
        /** What the restart of a voter means for the quorum. */
        QUORUM_MARGIN("EtcdQuorumMargin"),
        /** One leader, one raft term. */
        LEADER("EtcdLeader"),
        /** Nobody is joining. */
        LEARNERS("EtcdLearners"),
        /** No alarm is raised. */
        ALARMS("EtcdAlarms"),
        /** The voters keep up with their leader. */
        LAG("EtcdLag"),
        /** The database is not close to its quota. */
        QUOTA("EtcdQuota"),
        /** All endpoints list the same members. */
        MEMBER_LISTS("EtcdMemberLists"),
        /** No downgrade is under way. */
        DOWNGRADE_PENDING("EtcdDowngrade"),
        /** The members are of at most two neighbouring minors. */
        VERSIONS_APART("EtcdVersionsApart"),
        /** The members are of one minor. */
        MIXED_VERSIONS("EtcdMixedVersions"),
        /** The version goes up one minor at a time. */
        MINOR_SKIPPED("EtcdMinorSkipped"),
        /** Before the next minor, every member has the repairs of its own. */
        PATCH_FIRST("EtcdPatchFirst"),
        /** An older minor starts only while the cluster still is of that minor. */
        BINARY_DOWNGRADE("EtcdBinaryDowngrade"),
        /** No data of etcd's API of version 2, which 3.6 refuses to start with. */
        V2_CONTENT("EtcdV2Content"),
        /** With two voters nothing is written while one restarts. */
        TWO_VOTERS("EtcdTwoVoters"),
        /** The leader's member comes last. */
        LEADER_LAST("EtcdLeaderLast"),
        /** All members hold the same. */
        HASHES("EtcdHashKV"),
        /** Every flag that the member runs with is known to the version that it gets. */
        REMOVED_FLAG("EtcdRemovedFlag"),
        /** No flag of the member removes all others when it starts. */
        FORCE_NEW_CLUSTER("EtcdForceNewCluster"),
        /** There is a way down to that version. */
        DOWNGRADE_TARGET("EtcdDowngradeTarget"),
        /** The cluster was told to go down. */
        DOWNGRADE_ENABLED("EtcdDowngradeEnabled"),
        /** The data are in the format of the version that a member goes down to. */
        STORAGE_VERSION("EtcdStorageVersion"),
        /** The versions that the members have and get have no known defects. */
        KNOWN_DEFECTS("EtcdKnownDefects");

        private final String checkName;

        Rule(String checkName) {
            this.checkName = checkName;
        }

        @Override
        public String checkName() {
            return checkName;
        }

        @Override
        public String text() {
            return checkName;
        }
    }

    public EtcdUpgradeFinding {
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(severity, "severity");
        Objects.requireNonNull(problem, "problem");
    }

    EtcdUpgradeFinding(Rule rule, Severity severity, String what, String why, String next) {
        this(rule, severity, new Problem(what, why, next));
    }
}
