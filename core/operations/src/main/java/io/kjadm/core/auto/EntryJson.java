package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.journal.JournalJson;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.VerifyKey;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Entries of the log as objects of the store. */
final class EntryJson {

    private static final Map<String, Class<? extends EntryBody>> TYPES = Map.ofEntries(
            Map.entry("form", EntryBody.Form.class),
            Map.entry("adopt", EntryBody.Adopt.class),
            Map.entry("claim", EntryBody.Claim.class),
            Map.entry("ready", EntryBody.Ready.class),
            Map.entry("abandon", EntryBody.Abandon.class),
            Map.entry("change", EntryBody.Change.class),
            Map.entry("done", EntryBody.Done.class),
            Map.entry("observed", EntryBody.Observed.class),
            Map.entry("pause", EntryBody.Pause.class),
            Map.entry("resume", EntryBody.Resume.class),
            Map.entry("restore", EntryBody.Restore.class),
            Map.entry("fenced", EntryBody.Fenced.class),
            Map.entry("retire", EntryBody.Retire.class),
            Map.entry("spec", EntryBody.Spec.class));

    /** What an operator alone says. */
    private static final Set<Class<? extends EntryBody>> SIGNED = Set.of(
            EntryBody.Adopt.class,
            EntryBody.Restore.class,
            EntryBody.Retire.class,
            EntryBody.Spec.class);

    /** What an object at a slot is. */
    sealed interface Reading {

        /** Written by a holder of the token. */
        record Authentic(Entry entry) implements Reading {}

        /** Anybody may have written it, or it is what only an operator may say. */
        record Void() implements Reading {}

        /** Written by a holder of the token, and this program does not know what it does. */
        record Newer() implements Reading {}
    }

    private final AuthenticJson json;
    private final List<VerifyKey> operators;

    /** @param operators whose signature counts; if empty, the token suffices for what they say */
    EntryJson(AutoToken token, List<VerifyKey> operators) {
        this.json = new AuthenticJson(token);
        this.operators = List.copyOf(operators);
    }

    EntryJson(AutoToken token) {
        this(token, List.of());
    }

    byte[] write(Entry entry) {
        return write(entry, Optional.empty());
    }

    byte[] write(Entry entry, Optional<SigningKey> operator) {
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
        return json.write(AutoObjects.entry(entry.place().slot()), node, operator);
    }

    Reading read(long slot, byte[] bytes) {
        return json.read(AutoObjects.entry(slot), bytes)
                .map(EntryJson::reading)
                .filter(reading ->
                        !needsSignature(reading) || AuthenticJson.isSigned(bytes, operators))
                .orElseGet(Reading.Void::new);
    }

    private boolean needsSignature(Reading reading) {
        return !operators.isEmpty()
                && reading instanceof Reading.Authentic(Entry entry)
                && SIGNED.contains(entry.body().getClass());
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
