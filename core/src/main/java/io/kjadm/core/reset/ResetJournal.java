package io.kjadm.core.reset;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.etcd.Failpoints.Fuse;
import io.kjadm.core.etcd.ResetState;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.node.ManifestStash;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.MemberId;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * The journal of this node's reset, as JSON beside the manifests that are
 * {@link ManifestStash taken out}: what an earlier run has noted, and what this one notes. A file
 * that cannot be read is as good as none: the member list and the manifests then tell what is left
 * to do.
 */
public final class ResetJournal {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostFiles files;
    private final Path path;
    private final String criSocket;
    private final Waiter clock;
    private final Fuse fuse;
    private Optional<ResetEntry> entry;

    /**
     * @param path      where it is
     * @param criSocket of the container runtime, empty where there is none
     * @param fuse      a fault on purpose, or none
     */
    public ResetJournal(HostFiles files, Path path, String criSocket, Waiter clock, Fuse fuse) {
        this.files = files;
        this.path = path;
        this.criSocket = criSocket;
        this.clock = clock;
        this.fuse = fuse;
        this.entry = read(files, path);
    }

    /** Where a reset keeps it, and the manifests. */
    static Path place(KubernetesPaths paths) {
        return paths.tmpDir().resolve("kjadm-reset");
    }

    /** What was noted last. */
    static Optional<ResetEntry> read(HostFiles files, Path path) {
        return files.read(path).flatMap(ResetJournal::parse);
    }

    /** What was noted last. */
    public Optional<ResetEntry> entry() {
        return entry;
    }

    /**
     * Whether an earlier run, or this one, came as far as that the cluster can do without the
     * member.
     */
    public boolean left() {
        return entry.filter(known -> known.state().left()).isPresent();
    }

    /** The first state; what an earlier run of the same member has noted is kept. */
    public void begin(Optional<MemberId> member, Optional<String> cluster) {
        entry = entry.filter(known -> known.memberId().equals(member));
        write(current().about(member, cluster).to(ResetState.RETIRING, clock.now()));
    }

    /** Notes the state. */
    public void enter(ResetState state) {
        write(current().to(state, clock.now()));
    }

    /** Notes where the snapshot goes that is taken next. */
    void enterSnapshot(Path file) {
        write(current().withSnapshot(file).to(ResetState.SNAPSHOT, clock.now()));
    }

    /** Notes, together with the state, where the data goes that is moved next. */
    public void enter(ResetState state, Path data) {
        write(current().withData(data).to(state, clock.now()));
    }

    private ResetEntry current() {
        return entry.orElseGet(() -> ResetEntry.retiring(criSocket, clock.now()));
    }

    private void write(ResetEntry next) {
        fuse.around(next.state(), () -> files.write(path, text(next), FileMode.OWNER_ONLY));
        entry = Optional.of(next);
    }

    private static String text(ResetEntry entry) {
        ObjectNode node = JSON.createObjectNode()
                .put("state", entry.state().name())
                .put("criSocket", entry.criSocket())
                .put("at", entry.at().toString());
        entry.memberId().ifPresent(id -> node.put("memberId", id.toString()));
        entry.clusterId().ifPresent(id -> node.put("clusterId", id));
        entry.snapshot().ifPresent(file -> node.put("snapshot", file.toString()));
        entry.data().ifPresent(place -> node.put("data", place.toString()));
        return node.toPrettyString() + "\n";
    }

    private static Optional<ResetEntry> parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            return Optional.of(new ResetEntry(
                    ResetState.valueOf(node.path("state").asText()),
                    word(node, "memberId").map(MemberId::parse),
                    word(node, "clusterId"),
                    node.path("criSocket").asText(),
                    Instant.parse(node.path("at").asText()),
                    word(node, "snapshot").map(Path::of),
                    word(node, "data").map(Path::of)));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException torn) {
            return Optional.empty();
        }
    }

    private static Optional<String> word(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field)).map(JsonNode::asText);
    }
}
