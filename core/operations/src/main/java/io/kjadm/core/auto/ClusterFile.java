package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.JsonInput;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.core.snapshot.sign.VerifyKey;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.ClusterSpec;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What {@code etcd seed} has written to the store: one line of JSON, whose sum is in every token.
 *
 * @param uid   of the log, 32 hexadecimal digits
 * @param name  of the cluster
 * @param at    when it was written, by the clock of that machine
 * @param place the store, as it was named
 * @param spec  the cluster that is wanted
 * @param adopts ID of the cluster that others have set up and the machines take over; empty if they
 *               found one
 * @param operators public keys of those who may end a cluster; if empty, a token suffices
 */
public record ClusterFile(
        String uid,
        String name,
        Instant at,
        String place,
        ClusterSpec spec,
        Optional<String> adopts,
        List<String> operators) {

    static final int LIMIT = 64 * 1024;

    public ClusterFile {
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(at, "at");
        Objects.requireNonNull(place, "place");
        Objects.requireNonNull(spec, "spec");
        Objects.requireNonNull(adopts, "adopts");
        operators = List.copyOf(operators);
        operators.forEach(VerifyKey::of);
    }

    /** One without a key of an operator. */
    public ClusterFile(String uid, String name, Instant at, String place, ClusterSpec spec) {
        this(uid, name, at, place, spec, Optional.empty(), List.of());
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it is none, with the reason
     */
    static ClusterFile parse(byte[] bytes) {
        try {
            JsonNode node = JsonInput.tree(new String(bytes, StandardCharsets.UTF_8));
            if (!node.isObject()) {
                throw new IllegalArgumentException("it is no JSON object");
            }
            if (AuthenticJson.isNewer(node)) {
                throw new IllegalArgumentException("it was written by a newer kjadm");
            }
            return JournalJson.read(node, ClusterFile.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(JsonInput.fault(e), e);
        }
    }

    byte[] bytes() {
        ObjectNode node = AuthenticJson.object();
        node.setAll(JournalJson.tree(this));
        return (node + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Whose signature counts. */
    public List<VerifyKey> keys() {
        return operators.stream().map(VerifyKey::of).toList();
    }

    Charter.Seed seed() {
        return new Charter.Seed(uid, spec, adopts);
    }
}
