package io.kjadm.core.restore;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.restore.RestoreEntry.Step;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

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

    void write(RestoreEntry entry) {
        files.write(
                path,
                JSON.createObjectNode()
                                .put("snapshot", entry.snapshot())
                                .put("command", entry.command())
                                .put("began", entry.began().toString())
                                .put("token", entry.token())
                                .put("aside", entry.aside().toString())
                                .put("step", entry.step().name())
                                .toPrettyString()
                        + "\n",
                FileMode.OWNER_ONLY);
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
                    Step.valueOf(word(node, "step")));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new HostException(
                    "the journal of an unfinished restore, %s, cannot be read".formatted(path),
                    e.getMessage(),
                    byHand,
                    e);
        }
    }

    private static String word(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field))
                .map(JsonNode::asText)
                .orElseThrow(() -> new IllegalArgumentException("it has no " + field));
    }
}
