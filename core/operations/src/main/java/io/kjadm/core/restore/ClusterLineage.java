package io.kjadm.core.restore;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.snapshot.SnapshotLineage;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which clusters a cluster comes from. A restored cluster has another ID than the one that its data
 * are of, so each restore notes both on this machine: {@code {"clusters": {"NEW": ["OLD", …]}}}.
 */
public final class ClusterLineage {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CLUSTERS = "clusters";

    private final HostFiles files;
    private final Path file;

    public ClusterLineage(HostFiles files, Path file) {
        this.files = files;
        this.file = file;
    }

    /** Notes what a restore has done; repeating it is harmless. */
    void note(MemberIds made, Optional<MemberIds> previous, RestoreSource source) {
        SortedMap<String, Set<String>> all = read();
        Set<String> from = all.computeIfAbsent(made.clusterId(), _ -> new TreeSet<>());
        previous.map(MemberIds::clusterId).ifPresent(from::add);
        source.clusterId().ifPresent(from::add);
        ObjectNode root = JSON.createObjectNode();
        ObjectNode clusters = root.putObject(CLUSTERS);
        all.forEach((cluster, predecessors) -> {
            ArrayNode list = clusters.putArray(cluster);
            predecessors.forEach(list::add);
        });
        files.write(file, root.toPrettyString() + "\n", FileMode.OWNER_ONLY);
    }

    /** The clusters that this one comes from, for the label of a snapshot of it. */
    public List<String> predecessors(String clusterId) {
        return of(Set.of(clusterId)).stream()
                .filter(Predicate.not(clusterId::equals))
                .sorted()
                .toList();
    }

    /**
     * Refuses a snapshot of a cluster that this machine's cluster does not come from: that of
     * another one would take the place of its data.
     *
     * @param snapshots of the same store: their labels tell where their clusters come from
     * @param accepted  the ID of the cluster whose snapshots the operator wants
     * @return what the operator has to know before, if anything
     * @throws ClusterException if it is of another cluster
     */
    public Optional<String> require(
            RestorePlan plan,
            Supplier<? extends Collection<SnapshotManifest>> snapshots,
            Optional<String> accepted) {
        Optional<String> cluster = plan.source().clusterId();
        if (plan.earlier() || cluster.isEmpty() || cluster.equals(accepted)) {
            return Optional.empty();
        }
        Set<String> own = own(plan);
        if (own.isEmpty()) {
            return Optional.of(
                    "It is not known to which cluster this machine belonged: check that %s is the right one"
                            .formatted(cluster.get()));
        }
        if (kin(own, snapshots.get()).contains(cluster.get())) {
            return Optional.empty();
        }
        throw new ClusterException(
                CommonReason.OTHER_CLUSTER,
                "%s is of another cluster".formatted(plan.source().title()),
                "it is of cluster %s; this machine's etcd is of cluster %s, and nothing shows that one was restored from the other"
                        .formatted(cluster.get(), String.join(", ", own)),
                "choose a snapshot of this cluster, or use --cluster-id %s to restore its data"
                        .formatted(cluster.get()));
    }

    /** The cluster of the data in place, or else of those that were set aside. */
    private Set<String> own(RestorePlan plan) {
        Path dataDir = plan.node().dataDir();
        DataDirReader reader = new DataDirReader(files);
        Set<String> own = Stream.concat(
                        plan.now().map(MemberStatus::ids).stream(),
                        reader.idsIn(dataDir.resolve(KubernetesPaths.ETCD_MEMBER)).stream())
                .map(MemberIds::clusterId)
                .collect(Collectors.toCollection(TreeSet::new));
        return own.isEmpty()
                ? new DataDirBackup(files, dataDir)
                        .all().stream()
                                .flatMap(place -> reader.idsIn(place).stream())
                                .map(MemberIds::clusterId)
                                .collect(Collectors.toCollection(TreeSet::new))
                : own;
    }

    private Set<String> kin(Set<String> own, Collection<SnapshotManifest> snapshots) {
        Set<String> kin = of(own);
        int before;
        do {
            before = kin.size();
            Set<String> known = Set.copyOf(kin);
            snapshots.stream()
                    .filter(manifest -> known.contains(manifest.origin().clusterId()))
                    .forEach(manifest ->
                            kin.addAll(SnapshotLineage.predecessors(manifest.labels())));
        } while (kin.size() > before);
        return kin;
    }

    /** The clusters that these come from, themselves among them. */
    public Set<String> of(Collection<String> clusters) {
        SortedMap<String, Set<String>> all = read();
        Set<String> found = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(clusters);
        while (!open.isEmpty()) {
            String next = open.pop();
            if (found.add(next)) {
                open.addAll(all.getOrDefault(next, Set.of()));
            }
        }
        return found;
    }

    private SortedMap<String, Set<String>> read() {
        SortedMap<String, Set<String>> all = new TreeMap<>();
        try {
            JsonNode root = JSON.readTree(files.read(file).orElse("{}"));
            root.path(CLUSTERS).properties().forEach(entry -> {
                Set<String> from = new TreeSet<>();
                entry.getValue().forEach(id -> from.add(id.asText()));
                all.put(entry.getKey(), from);
            });
        } catch (JsonProcessingException e) {
            throw new HostException(
                    "%s cannot be read".formatted(file),
                    JsonInput.fault(e),
                    "move it away: the ID of a cluster that this one was restored from has to be given with --cluster-id then",
                    e);
        }
        return all;
    }
}
