package io.kjadm.core.upgrade;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.upgrade.UpgradeEntry.ChangedFile;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/**
 * The journal of this node's upgrade, as JSON beside the former content of the files that it
 * changes. It is written before each change that it announces, so that the same command goes on
 * after a kill, or rolls back what another run could not.
 */
final class UpgradeJournal {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostFiles files;
    private final Path place;

    /** @param place the directory of the journal and of what is kept */
    UpgradeJournal(HostFiles files, Path place) {
        this.files = files;
        this.place = place;
    }

    /** The directory with the journal and what is kept. */
    Path place() {
        return place;
    }

    private Path path() {
        return place.resolve("journal.json");
    }

    /**
     * What was noted last, if an upgrade is under way.
     *
     * @throws HostException if it cannot be read: what is kept beside it would be lost
     */
    Optional<UpgradeEntry> read() {
        return files.read(path()).map(this::parse);
    }

    void write(UpgradeEntry entry) {
        files.write(path(), text(entry), FileMode.OWNER_ONLY);
    }

    private static String text(UpgradeEntry entry) {
        ObjectNode node = JSON.createObjectNode()
                .put("from", entry.from())
                .put("to", entry.to())
                .put("began", entry.began().toString())
                .put("rollingBack", entry.rollingBack());
        entry.snapshot().ifPresent(file -> node.put("snapshot", file.toString()));
        ArrayNode done = node.putArray("done");
        entry.done().stream().sorted().forEach(done::add);
        ArrayNode changed = node.putArray("changed");
        for (ChangedFile file : entry.changed()) {
            ObjectNode line = changed.addObject()
                    .put("step", file.step())
                    .put("path", file.path().toString());
            file.saved().ifPresent(saved -> line.put("saved", saved.toString()));
        }
        ObjectNode replaced = node.putObject("replaced");
        new TreeMap<>(entry.replaced()).forEach((component, pods) -> {
            ArrayNode uids = replaced.putArray(component);
            pods.stream().sorted().forEach(uids::add);
        });
        return node.toPrettyString() + "\n";
    }

    private UpgradeEntry parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            return new UpgradeEntry(
                    required(node, "from"),
                    required(node, "to"),
                    Instant.parse(required(node, "began")),
                    word(node, "snapshot").map(Path::of),
                    done(node),
                    changed(node),
                    replaced(node),
                    node.path("rollingBack").asBoolean());
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new HostException(
                    "the journal of an unfinished upgrade, %s, cannot be read".formatted(path()),
                    e.getMessage(),
                    "compare the files kept in %s with those in use, then move that directory away"
                            .formatted(place),
                    e);
        }
    }

    private static Set<String> done(JsonNode node) {
        Set<String> done = new HashSet<>();
        node.path("done").forEach(step -> done.add(step.asText()));
        return done;
    }

    private static List<ChangedFile> changed(JsonNode node) {
        return StreamSupport.stream(node.path("changed").spliterator(), false)
                .map(line -> new ChangedFile(
                        required(line, "step"),
                        Path.of(required(line, "path")),
                        word(line, "saved").map(Path::of)))
                .toList();
    }

    private static Map<String, Set<String>> replaced(JsonNode node) {
        Map<String, Set<String>> replaced = new HashMap<>();
        node.path("replaced").properties().forEach(component -> {
            Set<String> pods = new HashSet<>();
            component.getValue().forEach(pod -> pods.add(pod.asText()));
            replaced.put(component.getKey(), pods);
        });
        return replaced;
    }

    private static String required(JsonNode node, String field) {
        return word(node, field)
                .orElseThrow(() -> new IllegalArgumentException("it has no " + field));
    }

    private static Optional<String> word(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field)).map(JsonNode::asText);
    }
}
