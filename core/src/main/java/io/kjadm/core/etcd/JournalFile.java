package io.kjadm.core.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.etcd.join.MembershipJournal;

import java.net.URI;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The journal of this node's etcd join, as JSON in {@code kjadm-etcd-join}. A file that cannot be
 * read is as good as none: the member list then decides what may be gone on with.
 */
public final class JournalFile implements MembershipJournal {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostFiles files;
    private final Path path;

    /**
     * @param directory a place that survives a crash, {@code /etc/kubernetes/tmp}
     */
    public JournalFile(HostFiles files, Path directory) {
        this.files = files;
        this.path = directory.resolve("kjadm-etcd-join");
    }

    @Override
    public Optional<JoinEntry> read() {
        return files.read(path).flatMap(JournalFile::parse);
    }

    @Override
    public void write(JoinEntry entry) {
        files.write(path, text(entry), FileMode.OWNER_ONLY);
    }

    @Override
    public void clear() {
        files.delete(path);
    }

    private static String text(JoinEntry entry) {
        ObjectNode node = JSON.createObjectNode()
                .put("state", entry.state().name())
                .put("runId", entry.runId())
                .put("clusterId", entry.clusterId())
                .put("name", entry.name())
                .put("peerUrl", entry.peerUrl().toString())
                .put("at", entry.at().toString())
                .put("commit", entry.commit())
                .put("leaving", entry.leaving());
        entry.memberId().ifPresent(id -> node.put("memberId", id.toString()));
        entry.manifest().ifPresent(fingerprint -> node.put("manifest", fingerprint));
        ArrayNode before = node.putArray("before");
        for (Member member : entry.before()) {
            ObjectNode line = before.addObject()
                    .put("id", member.id().toString())
                    .put("name", member.name())
                    .put("learner", member.learner());
            urls(line.putArray("peerUrls"), member.peerUrls());
            urls(line.putArray("clientUrls"), member.clientUrls());
        }
        return node.toPrettyString() + "\n";
    }

    private static void urls(ArrayNode into, List<URI> urls) {
        urls.forEach(url -> into.add(url.toString()));
    }

    private static List<URI> urls(JsonNode from) {
        List<URI> urls = new ArrayList<>();
        from.forEach(url -> urls.add(URI.create(url.asText())));
        return urls;
    }

    private static Optional<JoinEntry> parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            List<Member> before = new ArrayList<>();
            for (JsonNode line : required(node, "before")) {
                // the journal of an earlier release names no client URLs
                before.add(new Member(
                        MemberId.parse(word(line, "id")),
                        word(line, "name"),
                        urls(required(line, "peerUrls")),
                        urls(line.path("clientUrls")),
                        required(line, "learner").asBoolean()));
            }
            return Optional.of(new JoinEntry(
                    JoinState.valueOf(word(node, "state")),
                    word(node, "runId"),
                    word(node, "clusterId"),
                    word(node, "name"),
                    URI.create(word(node, "peerUrl")),
                    Instant.parse(word(node, "at")),
                    before,
                    Optional.ofNullable(node.get("memberId"))
                            .map(JsonNode::asText)
                            .map(MemberId::parse),
                    Optional.ofNullable(node.get("manifest")).map(JsonNode::asText),
                    required(node, "commit").asLong(),
                    required(node, "leaving").asBoolean()));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException torn) {
            return Optional.empty();
        }
    }

    private static String word(JsonNode node, String field) {
        return required(node, field).asText();
    }

    private static JsonNode required(JsonNode node, String field) {
        JsonNode value = node.get(field);
        if (value == null || value.isNull()) {
            throw new IllegalArgumentException("the journal lacks " + field);
        }
        return value;
    }
}
