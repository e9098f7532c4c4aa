package io.kjadm.etcd.check;

import io.kjadm.etcd.ProblemReason;

/** The subjects of findings, by the names under which operators ignore them. */
public enum EtcdRule implements ProblemReason {

    /** Every voter answers; the quorum before and after. */
    VOTERS("EtcdVoters", true),
    /** One leader, one raft term. */
    LEADER("EtcdLeader", true),
    /** Every member knows learners. */
    LEARNERS("EtcdLearners", true),
    /** The versions of the members and of this node fit together. */
    VERSION("EtcdVersion", false),
    /** The versions of the members have no known defect that this join can run into. */
    DEFECTS("EtcdKnownDefects", false),
    /** No downgrade is under way. */
    DOWNGRADE("EtcdDowngrade", true),
    /** No alarm is raised. */
    ALARMS("EtcdAlarms", true),
    /** The voters keep up with their leader. */
    LAG("EtcdLag", false),
    /** No half-made or unreachable members are listed. */
    MEMBERS("EtcdMembers", false),
    /** Name and peer URL of this node are nobody else's. */
    IDENTITY("EtcdIdentity", true),
    /** All endpoints list the same members. */
    LISTS("EtcdMemberLists", true),
    /** The data directory holds nobody else's data. */
    DATA("EtcdDataDir", true),
    /** The peer certificate of this node is good for its purpose. */
    CERTIFICATE("EtcdPeerCertificate", false),
    /** The peer port of every voter takes a connection from this node. */
    PEERS("EtcdPeers", false),
    /** The clocks agree. */
    CLOCK("EtcdClock", false),
    /** The disk is fast and large enough. */
    DISK("EtcdDisk", false),
    /** The database is not close to its quota. */
    QUOTA("EtcdQuota", false),
    /** The other members are near. */
    ROUND_TRIP("EtcdRoundTrip", false);

    private final String checkName;
    private final boolean protectsCluster;

    EtcdRule(String checkName, boolean protectsCluster) {
        this.checkName = checkName;
        this.protectsCluster = protectsCluster;
    }

    public String checkName() {
        return checkName;
    }

    /** The name of the check, such as {@code EtcdAlarms}. */
    @Override
    public String text() {
        return checkName;
    }

    /** Whether an error may not be ignored, since others than this node would pay for it. */
    public boolean protectsCluster() {
        return protectsCluster;
    }
}
