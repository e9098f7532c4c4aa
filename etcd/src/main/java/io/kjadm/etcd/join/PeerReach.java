package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What this node's calls to the peer ports of others say, and in which direction a way may be
 * closed. Only the way out can be tried from here; that the others do not reach this node shows in
 * a member that makes no progress.
 *
 * @param at when the last answer was there
 * @param called whom
 * @param unreached why not, of each of them that was not reached
 * @param fresh whether no look has come after them but the one that is decided upon
 */
record PeerReach(Instant at, Set<MemberId> called, Map<MemberId, String> unreached, boolean fresh) {

    static PeerReach called(List<Member> voters, Map<MemberId, String> unreached, Instant now) {
        return new PeerReach(now, ids(voters), Map.copyOf(unreached), true);
    }

    PeerReach aged() {
        return new PeerReach(at, called, unreached, false);
    }

    /**
     * The last calls, if these were called and it is not longer ago than that, or only the look
     * that is decided upon came after them: it may itself have taken longer.
     */
    static Optional<PeerReach> of(JoinFacts facts, Duration age, List<Member> voters) {
        Instant oldest = facts.now().minus(age);
        return facts.memory()
                .sent()
                .calls()
                .filter(calls -> calls.called().containsAll(ids(voters)))
                .filter(calls -> calls.fresh() || !calls.at().isBefore(oldest));
    }

    private static Set<MemberId> ids(List<Member> members) {
        return members.stream().map(Member::id).collect(Collectors.toUnmodifiableSet());
    }

    boolean reaches(Member voter) {
        return !unreached.containsKey(voter.id());
    }

    /** Of each voter that is not reached: which port, which way, and why. */
    String closed(List<Member> voters) {
        return voters.stream()
                .filter(voter -> !reaches(voter))
                .map(voter -> "this node does not reach port %d of %s: %s"
                        .formatted(
                                port(voter.peerUrls().getFirst()),
                                voter.describe(),
                                unreached.get(voter.id())))
                .collect(Collectors.joining("; "));
    }

    /** Why a member that runs may not get on. */
    String suspicion(List<Member> voters, URI own) {
        String out = closed(voters);
        return out.isEmpty()
                ? "this node reaches the peer port of every other voter, so they may not reach port %d of this one"
                        .formatted(port(own))
                : out;
    }

    /** What to do about it. */
    String cure(List<Member> voters, URI own) {
        return closed(voters).isEmpty()
                ? "open port %d from the machines of the other members to this one (%s), and read etcd's log on this node"
                        .formatted(port(own), own)
                : "open port %d from this node to the others, and read etcd's log on this node"
                        .formatted(port(own));
    }

    private static int port(URI url) {
        return url.getPort() == -1 ? EtcdPorts.PEER : url.getPort();
    }
}
