package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.DATA;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.PeerUrls;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Data that is there belongs to this node's listed member, or the join must not go on.
 */
final class DataDirRules {

    private static final String MOVE = "move it away (for example mv %s %<s.old), then join again";

    private DataDirRules() {}

    static List<EtcdFinding> findings(Candidate candidate, ClusterFacts facts, DataDirectory data) {
        return switch (data) {
            case DataDirectory.Empty() -> List.of();
            // a damaged log of our own listed member costs nobody else anything: its etcd will say
            // so
            case DataDirectory.Unreadable(String path, String why)
            when candidate.own(facts.members()).isPresent() ->
                List.of(EtcdFinding.unknown(DATA, "whose data " + path + " holds", why));
            case DataDirectory.Unreadable(String path, String why) ->
                List.of(EtcdFinding.error(
                        DATA,
                        "%s cannot be used: %s; ".formatted(path, why) + MOVE.formatted(path)));
            case DataDirectory.Held(String path, WalIdentity identity)
            when candidate
                    .granted()
                    .wipeEtcdData()
                    .filter(identity.clusterId()::equals)
                    .isPresent() ->
                List.of(EtcdFinding.note(
                        DATA,
                        "the data of member %s of cluster %s in %s is set aside, as requested"
                                .formatted(identity.memberId(), identity.clusterId(), path)));
            case DataDirectory.Held(String path, WalIdentity identity) ->
                held(candidate, facts, path, identity);
        };
    }

    private static List<EtcdFinding> held(
            Candidate candidate, ClusterFacts facts, String path, WalIdentity identity) {
        Set<String> clusters = facts.health().statuses().values().stream()
                .map(MemberStatus::clusterId)
                .collect(Collectors.toSet());
        if (!clusters.isEmpty() && !clusters.contains(identity.clusterId())) {
            return List.of(EtcdFinding.error(
                    DATA,
                    ("%s holds the data of member %s of another etcd cluster, %s; this one is %s: "
                                            + "if it is no longer needed, ")
                                    .formatted(
                                            path,
                                            identity.memberId(),
                                            identity.clusterId(),
                                            String.join(", ", clusters))
                            + moveOrWipe(path, identity)));
        }
        Optional<Member> listed = facts.members().stream()
                .filter(member -> member.id().equals(identity.memberId()))
                .findFirst();
        if (listed.isEmpty()) {
            return List.of(EtcdFinding.error(
                    DATA,
                    ("%s holds the data of member %s, which was removed from this cluster; a removed"
                                            + " member can never return: ")
                                    .formatted(path, identity.memberId())
                            + moveOrWipe(path, identity)));
        }
        if (!PeerUrls.of(listed.get()).overlaps(PeerUrls.of(candidate.peerUrl()))) {
            return List.of(EtcdFinding.error(
                    DATA,
                    ("%s holds the data of member %s, which is listed at another address than this"
                                            + " node's %s; two machines must never run one member: ")
                                    .formatted(path, listed.get().describe(), candidate.peerUrl())
                            + MOVE.formatted(path)));
        }
        List<EtcdFinding> findings = new ArrayList<>();
        findings.add(EtcdFinding.note(
                DATA,
                "%s holds the data of this node's listed member %s"
                        .formatted(path, listed.get().describe())));
        newer(candidate, path, identity).ifPresent(findings::add);
        return findings;
    }

    private static String moveOrWipe(String path, WalIdentity identity) {
        return "%s, or join with --wipe-etcd-data=%s, which renames it"
                .formatted(MOVE.formatted(path), identity.clusterId());
    }

    private static Optional<EtcdFinding> newer(
            Candidate candidate, String path, WalIdentity identity) {
        Optional<EtcdVersion> written = identity.clusterVersion();
        if (written.isEmpty()
                || candidate.version().isEmpty()
                || candidate
                        .version()
                        .get()
                        .atLeast(written.get().major(), written.get().minor())) {
            return Optional.empty();
        }
        return Optional.of(EtcdFinding.error(
                DATA,
                ("the data in %s was written in a cluster of version %s, and this node would run"
                                + " etcd %s, which refuses it: set etcd.local.imageTag to %s.%s or newer")
                        .formatted(
                                path,
                                written.get(),
                                candidate.version().get(),
                                written.get().major(),
                                written.get().minor())));
    }
}
