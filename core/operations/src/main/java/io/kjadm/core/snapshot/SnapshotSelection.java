package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds the snapshot that an operator means. Names are searched in all clusters of a store; {@value
 * SnapshotCatalog#LATEST} is the highest revision of one cluster, as clocks of nodes differ.
 */
final class SnapshotSelection {

    private static final int SHOWN = 5;
    private static final Comparator<Entry> BY_TIME =
            Comparator.comparing(entry -> told(entry).taken());
    private static final Comparator<Entry> BY_REVISION =
            Comparator.<Entry>comparingLong(SnapshotSelection::revision).thenComparing(BY_TIME);

    private final String store;
    private final SnapshotTrust trust;
    private final List<Entry> whole;
    private final List<String> remarks = new ArrayList<>();

    /**
     * @param store   what messages call it
     * @param entries all of the store
     */
    SnapshotSelection(String store, SnapshotTrust trust, Collection<Entry> entries) {
        this.store = store;
        this.trust = trust;
        this.whole =
                entries.stream().filter(entry -> entry.manifest().isPresent()).toList();
    }

    /**
     * Finds it.
     *
     * @param word    its name, the beginning of it, or {@value SnapshotCatalog#LATEST}
     * @param cluster the only one that it may be of, if one was named
     * @param own     the cluster of this node, if it is known
     * @throws UsageException   if none or more than one is meant
     * @throws ClusterException if it is not accepted
     */
    SelectedSnapshot find(String word, Optional<String> cluster, Optional<String> own) {
        List<Entry> named = whole.stream()
                .filter(entry ->
                        cluster.filter(id -> !id.equals(entry.clusterId())).isEmpty())
                .toList();
        Entry found = word.equals(SnapshotCatalog.LATEST)
                ? latest(named, cluster, own)
                : byName(word, named);
        return new SelectedSnapshot(told(found), found.signature(), remarks);
    }

    private Entry byName(String word, List<Entry> named) {
        List<Entry> begun =
                named.stream().filter(entry -> entry.name().startsWith(word)).toList();
        List<Entry> exact =
                begun.stream().filter(entry -> entry.name().equals(word)).toList();
        List<Entry> meant = exact.isEmpty() ? begun : exact;
        if (meant.size() > 1) {
            throw new UsageException(
                    "\"%s\" may be any of %d snapshots".formatted(word, meant.size()),
                    meant.stream()
                            .limit(SHOWN)
                            .map(entry ->
                                    "%s of cluster %s".formatted(entry.name(), entry.clusterId()))
                            .collect(Collectors.joining(", ")),
                    "name one, with --cluster-id if two clusters have one of that name; 'kjadm etcd snapshot list' shows all");
        }
        Entry only = meant.stream().findFirst().orElseThrow(() -> missing(word));
        refusal(only).ifPresent(why -> {
            throw refused(only, why);
        });
        return only;
    }

    private Entry latest(List<Entry> named, Optional<String> cluster, Optional<String> own) {
        List<Entry> accepted =
                named.stream().filter(entry -> refusal(entry).isEmpty()).toList();
        if (accepted.isEmpty()) {
            throw named.stream()
                    .max(BY_REVISION)
                    .<RuntimeException>map(
                            entry -> refused(entry, refusal(entry).orElseThrow()))
                    .orElseGet(() -> missing(SnapshotCatalog.LATEST));
        }
        String chosen = cluster.orElseGet(() -> oneCluster(accepted, own));
        List<Entry> ofCluster = accepted.stream()
                .filter(entry -> entry.clusterId().equals(chosen))
                .toList();
        if (chosen.equals(SnapshotImport.CLUSTER)) {
            requireOneOrigin(ofCluster);
        }
        Entry latest = ofCluster.stream().max(BY_REVISION).orElseThrow();
        ofCluster.stream()
                .max(BY_TIME)
                .filter(entry -> revision(entry) < revision(latest))
                .ifPresent(entry -> remarks.add(
                        "time and revision disagree: snapshot %s says it was taken later, but has revision %d instead of %d; the clock of a node is wrong, or a member was behind"
                                .formatted(entry.name(), revision(entry), revision(latest))));
        tellPassedOver(named, latest);
        return latest;
    }

    /**
     * Imports do not tell their cluster, and lie in one place. Two are of one cluster if they list a
     * member in common, also by others between them.
     */
    private static void requireOneOrigin(List<Entry> imports) {
        List<Entry> left = new ArrayList<>(imports);
        Set<MemberId> members = new HashSet<>(members(left.removeFirst()));
        List<Entry> linked;
        do {
            linked = left.stream()
                    .filter(entry -> !Collections.disjoint(members, members(entry)))
                    .toList();
            linked.forEach(entry -> members.addAll(members(entry)));
            left.removeAll(linked);
        } while (!linked.isEmpty());
        if (!left.isEmpty()) {
            throw new UsageException(
                    "it is not clear which snapshot to use",
                    "the imported snapshots are of more than one cluster, or of unknown clusters: %s"
                            .formatted(imports.stream()
                                    .limit(SHOWN)
                                    .map(Entry::name)
                                    .collect(Collectors.joining(", "))),
                    "name the snapshot; 'kjadm etcd snapshot list' shows all");
        }
    }

    private static Set<MemberId> members(Entry entry) {
        return told(entry).origin().members().stream().map(Member::id).collect(Collectors.toSet());
    }

    private void tellPassedOver(List<Entry> named, Entry latest) {
        List<Entry> passedOver = named.stream()
                .filter(entry -> entry.clusterId().equals(latest.clusterId()))
                .filter(entry -> refusal(entry).isPresent())
                .filter(entry -> BY_REVISION.compare(entry, latest) > 0
                        || BY_TIME.compare(entry, latest) > 0)
                .toList();
        passedOver.stream()
                .limit(SHOWN)
                .forEach(entry -> remarks.add("skipping newer snapshot %s: %s"
                        .formatted(entry.name(), refusal(entry).orElseThrow())));
        if (passedOver.size() > SHOWN) {
            remarks.add("skipping %d more newer snapshots".formatted(passedOver.size() - SHOWN));
        }
    }

    /** This node's, or else the only one, or the one that all others were restored to. */
    private String oneCluster(List<Entry> accepted, Optional<String> own) {
        Map<String, Set<String>> before = new TreeMap<>();
        accepted.forEach(entry -> before.computeIfAbsent(entry.clusterId(), _ -> new TreeSet<>())
                .addAll(SnapshotLineage.predecessors(told(entry).labels())));
        Optional<String> here = own.filter(before::containsKey);
        if (here.isPresent()) {
            return here.get();
        }
        List<String> last = before.keySet().stream()
                .filter(cluster -> before.keySet().stream()
                        .allMatch(other ->
                                other.equals(cluster) || before.get(cluster).contains(other)))
                .toList();
        if (last.size() == 1) {
            return last.getFirst();
        }
        throw new UsageException(
                "it is not clear which snapshot to use",
                "%s has snapshots of %d clusters: %s"
                        .formatted(store, before.size(), String.join(", ", before.keySet())),
                "name the cluster with --cluster-id, or the snapshot; 'kjadm etcd snapshot list' shows all");
    }

    private Optional<String> refusal(Entry entry) {
        return trust.refusal(entry.signature(), told(entry).stored().encoding().encrypted());
    }

    private UsageException missing(String word) {
        return new UsageException(
                "there is no snapshot \"%s\" in %s".formatted(word, store),
                "",
                "'kjadm etcd snapshot list' shows all");
    }

    private static ClusterException refused(Entry entry, String why) {
        return new ClusterException(
                CommonReason.NOT_ACCEPTED,
                "snapshot %s is not accepted".formatted(entry.name()),
                why,
                "choose another one: 'kjadm etcd snapshot list' shows which are signed; if it was signed with another key, give that one's public key with --verify-key");
    }

    private static SnapshotManifest told(Entry entry) {
        return entry.manifest().orElseThrow();
    }

    private static long revision(Entry entry) {
        return told(entry).plain().content().revision();
    }
}
