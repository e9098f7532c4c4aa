package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Entries of the log as objects of the store. */
final class EntryJson {

    private static final Map<String, Class<? extends EntryBody>> TYPES = Map.of(
            "form", EntryBody.Form.class,
            "ready", EntryBody.Ready.class,
            "abandon", EntryBody.Abandon.class,
            "change", EntryBody.Change.class,
            "done", EntryBody.Done.class,
            "observed", EntryBody.Observed.class,
            "pause", EntryBody.Pause.class,
            "resume", EntryBody.Resume.class);

    /** What an object at a slot is. */
    sealed interface Reading {

        /** Written by a holder of the token. */
        record Authentic(Entry entry) implements Reading {}

        /** Anybody may have written it. */
        record Void() implements Reading {}

        /** Written by a holder of the token, and this program does not know what it does. */
        record Newer() implements Reading {}
    }

    private final AuthenticJson json;

    EntryJson(AutoToken token) {
        this.json = new AuthenticJson(token);
    }

    byte[] write(Entry entry) {
        Class<?> type = entry.body().getClass();
        String name = TYPES.entrySet().stream()
                .filter(known -> known.getValue().equals(type))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
        ObjectNode node = AuthenticJson.object();
        node.put("uid", entry.place().uid())
                .put("slot", entry.place().slot())
                .put("prev", entry.place().previous());
        entry.author().machine().ifPresent(machine -> node.put("writer", machine.text()));
        node.put("run", entry.author().run())
                .put("nonce", entry.author().nonce())
                .put("at", entry.author().at().toString())
                .put("type", name)
                .set("body", JournalJson.tree(entry.body()));
        node.put("why", entry.why()).put("cli", entry.command());
        return json.write(AutoObjects.entry(entry.place().slot()), node);
    }

    Reading read(long slot, byte[] bytes) {
        return json.read(AutoObjects.entry(slot), bytes)
                .map(EntryJson::reading)
                .orElseGet(Reading.Void::new);
    }

    /** An authentic object that is not understood may count for others, so it is not void. */
    private static Reading reading(JsonNode node) {
        Class<? extends EntryBody> type = TYPES.get(node.path("type").asText());
        if (AuthenticJson.isNewer(node) || type == null) {
            return new Reading.Newer();
        }
        try {
            Fields fields = JournalJson.read(node, Fields.class);
            return new Reading.Authentic(new Entry(
                    new Entry.Place(fields.uid(), fields.slot(), fields.prev()),
                    new Entry.Author(
                            fields.writer(),
                            node.path("run").asLong(),
                            fields.nonce(),
                            fields.at()),
                    JournalJson.read(node.path("body"), type),
                    node.path("why").asText(),
                    node.path("cli").asText()));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return new Reading.Newer();
        }
    }

    /** Those that are not text alone, or that must be there. */
    private record Fields(
            String uid,
            long slot,
            String prev,
            Optional<MachineId> writer,
            String nonce,
            Instant at) {}
}
