package io.kjadm.etcd.api;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** What came of one attempt to add a learner. */
public sealed interface Addition {

    /**
     * It is listed.
     *
     * @param members all of them, the new one among them
     */
    record Added(Member learner, List<Member> members) implements Addition {

        public Added {
            members = List.copyOf(members);
        }

        /**
         * What the new member has to be started with as {@code --initial-cluster}, beside
         * {@code --initial-cluster-state=existing}.
         *
         * @param name of the new member
         */
        public String initialCluster(String name) {
            return members.stream()
                    .flatMap(member -> member.peerUrls().stream()
                            .map(url ->
                                    (member.equals(learner) ? name : member.label()) + "=" + url))
                    .collect(Collectors.joining(","));
        }
    }

    /** Nothing was changed. */
    record Refused(Problem problem) implements Addition {}

    /**
     * Nobody knows yet.
     *
     * @param why   what the call met
     * @param pause after which the list tells for certain: a change that was sent may be applied
     *              until then
     */
    record Unknown(String why, Duration pause) implements Addition {}
}
