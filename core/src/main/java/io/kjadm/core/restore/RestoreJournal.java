package io.kjadm.core.restore;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.restore.RestoreEntry.Step;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The journal of a restore, as JSON beside what is kept of what was before. */
final class RestoreJournal {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostFiles files;
    private final Path path;
    private final String byHand;

    RestoreJournal(HostFiles files, RestoredEtcd etcd) {
        this.files = files;
        this.path = etcd.journal();
        this.byHand = etcd.byHand();
    }

    /**
     * What was noted last, if a restore is under way.
     *
     * @throws HostException if it cannot be read: it tells where the former data are
     */
    Optional<RestoreEntry> read() {
        return files.read(path).map(this::parse);
    }

    /** The same, unless its data are complete: those of another snapshot may take their place. */
    Optional<RestoreEntry> unfinished() {
        return read().filter(entry -> !entry.passed(Step.SERVING));
    }

    void write(RestoreEntry entry) {
        ObjectNode node = JSON.createObjectNode()
                .put("snapshot", entry.snapshot())
                .put("command", entry.command())
                .put("began", entry.began().toString())
                .put("token", entry.token())
                .put("aside", entry.aside().toString())
                .put("step", entry.step().name())
                .put("undoing", entry.data().undoing());
        entry.data().previous().ifPresent(ids -> put(node.putObject("previous"), ids));
        entry.data().made().ifPresent(ids -> put(node.putObject("made"), ids));
        entry.data().revision().ifPresent(revision -> node.put("revision", revision));
        files.write(path, node.toPrettyString() + "\n", FileMode.OWNER_ONLY);
    }

    private static void put(ObjectNode node, MemberIds ids) {
        node.put("cluster", ids.clusterId()).put("member", ids.memberId().toString());
    }

    private RestoreEntry parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            return new RestoreEntry(
                    word(node, "snapshot"),
                    word(node, "command"),
                    Instant.parse(word(node, "began")),
                    word(node, "token"),
                    Path.of(word(node, "aside")),
                    data(node),
                    Step.valueOf(word(node, "step")));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new HostException(
                    "the journal of an unfinished restore, %s, cannot be read".formatted(path),
                    e.getMessage(),
                    byHand,
                    e);
        }
    }

    /** The journal of an earlier release has none of it. */
    private static RestoreEntry.Data data(JsonNode node) {
        JsonNode revision = node.path("revision");
        return new RestoreEntry.Data(
                ids(node.path("previous")),
                ids(node.path("made")),
                revision.isNumber() ? OptionalLong.of(revision.asLong()) : OptionalLong.empty(),
                node.path("undoing").asBoolean());
    }

    private static Optional<MemberIds> ids(JsonNode node) {
        return node.isObject()
                ? Optional.of(
                        new MemberIds(word(node, "cluster"), MemberId.parse(word(node, "member"))))
                : Optional.empty();
    }

    private static String word(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field))
                .map(JsonNode::asText)
                .orElseThrow(() -> new IllegalArgumentException("it has no " + field));
    }
}
