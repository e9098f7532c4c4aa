package io.kjadm.core.etcd.replace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.Failpoints;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.ReplaceStage;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.NewMember;

import java.net.URI;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The journal of a replacement, as JSON in a directory of its own, beside that of the new member's
 * way in. Each is written, synced and renamed before the change that it announces.
 */
public final class ReplaceJournal {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HostFiles files;
    private final Path path;
    private final Failpoints.Fuse fuse;
    private final MembershipJournal joining;

    /** The journal of this machine. */
    public ReplaceJournal(
            HostFiles files, KubernetesPaths paths, Failpoints failpoints, Waiter waiter) {
        Path directory = paths.tmpDir().resolve("kjadm-etcd-replace");
        this.files = files;
        this.path = directory.resolve("journal.json");
        this.fuse = failpoints.fuse(waiter);
        this.joining = failpoints.in(new JournalFile(files, directory), waiter);
    }

    /** Of the new member's way in. */
    MembershipJournal joining() {
        return joining;
    }

    /** Where it is. */
    Path path() {
        return path;
    }

    /**
     * What was noted last, if a replacement is under way.
     *
     * @throws HostException if it cannot be read: it tells what may have been changed
     */
    Optional<ReplaceEntry> read() {
        return files.read(path).map(this::parse);
    }

    void write(ReplaceEntry entry) {
        fuse.around(entry.stage(), () -> files.write(path, text(entry), FileMode.OWNER_ONLY));
    }

    /** The replacement has ended. */
    void clear() {
        joining.clear();
        files.delete(path);
    }

    private static String text(ReplaceEntry entry) {
        ObjectNode node = JSON.createObjectNode()
                .put("stage", entry.stage().name())
                .put("order", entry.order().name())
                .put("clusterId", entry.clusterId())
                .put("name", entry.wanted().name())
                .put("peerUrl", entry.wanted().peerUrlText())
                .put("began", entry.began().toString());
        ObjectNode old = node.putObject("old")
                .put("id", entry.old().id().toString())
                .put("name", entry.old().name())
                .put("learner", entry.old().learner());
        urls(old.putArray("peerUrls"), entry.old().peerUrls());
        urls(old.putArray("clientUrls"), entry.old().clientUrls());
        ArrayNode before = node.putArray("before");
        entry.before().stream().sorted().forEach(id -> before.add(id.toString()));
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

    private ReplaceEntry parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            JsonNode old = required(node, "old");
            Set<MemberId> before = new HashSet<>();
            required(node, "before").forEach(id -> before.add(MemberId.parse(id.asText())));
            return new ReplaceEntry(
                    ReplaceStage.valueOf(word(node, "stage")),
                    ReplaceOrder.valueOf(word(node, "order")),
                    word(node, "clusterId"),
                    new Member(
                            MemberId.parse(word(old, "id")),
                            word(old, "name"),
                            urls(required(old, "peerUrls")),
                            urls(required(old, "clientUrls")),
                            required(old, "learner").asBoolean()),
                    new NewMember(
                            word(node, "name"),
                            Stream.of(word(node, "peerUrl").split(","))
                                    .map(URI::create)
                                    .toList()),
                    before,
                    Instant.parse(word(node, "began")));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new HostException(
                    "the journal of an unfinished replacement, %s, cannot be read".formatted(path),
                    e.getMessage(),
                    "compare 'kjadm etcd member list' with what was to be replaced, finish that by 'kjadm etcd member' commands, then delete the file",
                    e);
        }
    }

    private static String word(JsonNode node, String field) {
        return required(node, field).asText();
    }

    private static JsonNode required(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field))
                .filter(value -> !value.isNull())
                .orElseThrow(() -> new IllegalArgumentException("it has no " + field));
    }
}
