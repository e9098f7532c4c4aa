package io.kjadm.etcd.recover;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is wrong with an etcd. Each case has its own plans, and no other. */
public sealed interface Diagnosis {

    /** All voters follow a leader, and nothing speaks against their data. */
    record Healthy() implements Diagnosis {}

    /** There is a quorum, but a database has reached its quota: etcd refuses writes. */
    record OutOfSpace() implements Diagnosis {}

    /**
     * There is a quorum, and some members are missing in it.
     *
     * @param missing voters and learners that do not follow the leader
     */
    record MemberLost(List<MemberFacts> missing) implements Diagnosis {}

    /**
     * There is a quorum that this node does not reach: too few voters respond, and one of those
     * that do knows a leader.
     *
     * @param following know a leader
     * @param silent    voters that do not respond
     */
    record QuorumOutOfReach(List<MemberFacts> following, List<MemberFacts> silent)
            implements Diagnosis {}

    /**
     * There is no quorum, and too few voters are gone for good to give the cluster up.
     *
     * @param mayReturn voters that are not known to be gone, and do not answer
     * @param needed    how many of these have to come back; 0 if enough answer but follow no leader
     * @param more      how many more voters would have to be gone for good before a survivor may
     *     begin a new cluster
     */
    record QuorumLostForNow(List<MemberFacts> mayReturn, int needed, int more)
            implements Diagnosis {}

    /**
     * There can never be a quorum again. One survivor may begin a new cluster.
     *
     * @param survivors with data that can be used; the one that holds the most comes first. None if
     *     evidence of those that are not gone is missing
     * @param unseen    voters that nobody knows the data of, and that are not gone for good: one may
     *     hold more
     * @param damaged   voters whose data cannot be used
     */
    record QuorumLostForGood(
            List<MemberFacts> survivors, List<MemberFacts> unseen, List<MemberFacts> damaged)
            implements Diagnosis {

        /** Whether no known survivor holds more than that one. */
        public boolean holdsTheMost(MemberFacts survivor) {
            return MemberFacts.Progress.ORDER.compare(
                            survivor.progress().orElseThrow(),
                            survivors.getFirst().progress().orElseThrow())
                    == 0;
        }
    }

    /** Every voter is gone for good. Only a snapshot is left. */
    record AllLost() implements Diagnosis {}

    /**
     * Members hold different data, or damaged ones.
     *
     * @param bad  whose copies are to be replaced, and why; empty if a human has to decide
     * @param good that agree, and are a quorum; empty if none are
     * @param why  for each member with something against it
     */
    record Corrupt(List<MemberFacts> bad, List<MemberFacts> good, Map<String, String> why)
            implements Diagnosis {}

    /**
     * There are members of several clusters, which must never be joined.
     *
     * @param clusters who belongs to which, by its ID
     * @param led      those that have a leader
     */
    record Split(Map<String, Set<String>> clusters, Set<String> led) implements Diagnosis {}

    /** Nobody answers, and no disk that was looked at tells of members. */
    record Unknown() implements Diagnosis {}
}
