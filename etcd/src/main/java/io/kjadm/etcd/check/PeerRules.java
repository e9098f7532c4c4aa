package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.PEERS;
import static io.kjadm.etcd.check.EtcdRule.ROUND_TRIP;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Every voter's peer port takes this node's certificate, from the address it will have.
 */
final class PeerRules {

    /** Half of etcd's heartbeat interval. */
    private static final Duration SLOW = Duration.ofMillis(50);

    private PeerRules() {}

    static List<EtcdFinding> findings(
            Candidate candidate, ClusterFacts facts, Map<MemberId, PeerContact> contacts) {
        List<EtcdFinding> findings = new ArrayList<>();
        for (Member voter : facts.health().voters()) {
            Optional<PeerContact> contact = Optional.ofNullable(contacts.get(voter.id()));
            // of one that is down altogether the voters' rule has told
            boolean down = !facts.looks().containsKey(voter.id());
            contact.filter(known -> !(down && known instanceof PeerContact.Unreachable))
                    .flatMap(known -> finding(candidate, voter, known))
                    .ifPresent(findings::add);
        }
        return findings;
    }

    private static Optional<EtcdFinding> finding(
            Candidate candidate, Member voter, PeerContact contact) {
        String host = candidate.peerUrl().getHost();
        return switch (contact) {
            case PeerContact.Answered(Duration roundTrip, var ahead, String sourceRefused)
            when !sourceRefused.isEmpty() ->
                Optional.of(EtcdFinding.warning(
                        PEERS,
                        ("%s is not an address of this machine (%s), so whether %s accepts"
                                        + " connections from it is not known; behind address translation etcd refuses certificates that lack"
                                        + " the address it sees")
                                .formatted(host, sourceRefused, voter.describe())));
            case PeerContact.Answered(Duration roundTrip, var ahead, var refused)
            when roundTrip.compareTo(SLOW) > 0 ->
                Optional.of(EtcdFinding.warning(
                        ROUND_TRIP,
                        ("the round trip to etcd member %s takes %d ms; above %d ms every"
                                        + " write waits noticeably and elections become likely (heartbeat 100 ms, election 1 s)")
                                .formatted(
                                        voter.describe(), roundTrip.toMillis(), SLOW.toMillis())));
            case PeerContact.Answered ignored -> Optional.empty();
            case PeerContact.Unreachable(String why) ->
                Optional.of(EtcdFinding.error(
                        PEERS,
                        "the peer port of etcd member %s cannot be reached from %s: %s; open it in both directions"
                                .formatted(voter.describe(), host, why)));
            case PeerContact.Untrusted(String why, String theirs, String ours) ->
                Optional.of(EtcdFinding.error(
                        PEERS,
                        ("etcd member %s presents a certificate that this node does not trust (%s): it presents %s, this node trusts %s; put"
                                        + " the cluster's etcd CA on this node, and generate certificates from it")
                                .formatted(voter.describe(), why, theirs, ours)));
            case PeerContact.Refused(String why) ->
                Optional.of(EtcdFinding.error(
                        PEERS,
                        ("etcd member %s does not accept this node's peer certificate: %s; it requires one signed by its own CA, for server and"
                                        + " client use, valid for the address that it sees this node at (%s)")
                                .formatted(voter.describe(), why, host)));
        };
    }
}
