package io.kjadm.core.etcd.upkeep;

import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the members' keys add up to, at one revision that all of them have.
 *
 * @param hashes   of the members that answered
 * @param silences why the others did not
 */
public record CorruptionEvidence(Map<Member, KvHash> hashes, Map<Member, String> silences) {

    /** Asks every voter. It reads all of each database. */
    static CorruptionEvidence gather(EtcdCluster cluster, EtcdHealth health) {
        var newest = new LinkedHashMap<Member, KvHash>();
        var silences = new LinkedHashMap<Member, String>();
        health.voters().forEach(voter -> ask(cluster, voter, 0, newest, silences));
        long common = newest.values().stream().mapToLong(KvHash::revision).min().orElse(0);
        var hashes = new LinkedHashMap<Member, KvHash>();
        newest.keySet().forEach(voter -> ask(cluster, voter, common, hashes, silences));
        return new CorruptionEvidence(hashes, silences);
    }

    private static void ask(
            EtcdCluster cluster,
            Member voter,
            long revision,
            Map<Member, KvHash> answers,
            Map<Member, String> silences) {
        for (URI url : voter.clientUrls()) {
            try {
                MemberStatus status = cluster.status(url);
                if (status.memberId().equals(voter.id())) {
                    answers.put(voter, cluster.hashKv(url, revision));
                    silences.remove(voter);
                    return;
                }
            } catch (EtcdCallException e) {
                silences.put(voter, e.text());
            }
        }
        silences.putIfAbsent(voter, "it did not answer under its own ID");
    }

    /** Whether all voters were heard, and all of them hold the same. */
    boolean agrees() {
        return silences.isEmpty() && hashes.values().stream().distinct().count() == 1;
    }

    /**
     * The voters that hold something else than a majority does; none if there is no majority, or if
     * they have compacted to different revisions, so that their hashes cannot be compared.
     */
    List<Member> deviating() {
        boolean comparable =
                hashes.values().stream().map(KvHash::compactRevision).distinct().count() == 1;
        if (!comparable) {
            return List.of();
        }
        int majority = (hashes.size() + silences.size()) / 2 + 1;
        Optional<KvHash> right = hashes.values().stream()
                .collect(Collectors.groupingBy(hash -> hash, Collectors.counting()))
                .entrySet()
                .stream()
                .filter(group -> group.getValue() >= majority)
                .map(Map.Entry::getKey)
                .findFirst();
        return right.isEmpty()
                ? List.of()
                : hashes.entrySet().stream()
                        .filter(entry -> !entry.getValue().equals(right.get()))
                        .map(Map.Entry::getKey)
                        .toList();
    }

    @Override
    public String toString() {
        String heard = hashes.entrySet().stream()
                .map(entry -> "%s has hash %08x at revision %d (compacted to %d)"
                        .formatted(
                                entry.getKey().label(),
                                entry.getValue().hash(),
                                entry.getValue().revision(),
                                entry.getValue().compactRevision()))
                .collect(Collectors.joining("; "));
        String silent = silences.entrySet().stream()
                .map(entry -> "; %s did not report it: %s"
                        .formatted(entry.getKey().label(), entry.getValue()))
                .collect(Collectors.joining());
        return heard + silent;
    }
}
