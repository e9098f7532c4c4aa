package io.kjadm.core.restore;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.MemberIds;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which clusters a cluster comes from. A restored cluster has another ID than the one that its data
 * are of, so each restore notes both on this machine: {@code {"clusters": {"NEW": ["OLD", …]}}}.
 */
public final class ClusterLineage {

    /** The label of a snapshot with the same for its cluster, separated by commas. */
    public static final String LABEL = "restored-from";

    /** Where it is noted on every kind of machine. */
    public static final Path FILE = Path.of("/var/lib/kjadm/etcd-lineage.json");

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
                    e.getOriginalMessage(),
                    "move it away: the ID of a cluster that this one was restored from has to be given with --from-cluster then",
                    e);
        }
        return all;
    }
}
