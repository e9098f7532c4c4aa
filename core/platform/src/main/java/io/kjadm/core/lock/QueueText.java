package io.kjadm.core.lock;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.etcd.MemberId;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/** What an entry of the queue in etcd says of who has made it, as JSON. */
final class QueueText {

    private static final ObjectMapper JSON = new ObjectMapper();

    private QueueText() {}

    static String of(LockRecord record) {
        ObjectNode node = JSON.createObjectNode()
                .put("holder", record.holder().identity())
                .put("operation", record.work().operation())
                .put("progress", record.work().progress())
                .put("since", record.since().toString())
                .put("reached", record.reached().toString());
        record.work().member().ifPresent(id -> node.put("member", id.toString()));
        return node.toString();
    }

    /** Whoever has written it: what cannot be understood is somebody's, too. */
    static LockRecord parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            return new LockRecord(
                    LockHolder.parse(node.path("holder").asText("?")),
                    new Work(
                            node.path("operation").asText("change"),
                            Optional.of(node.path("member").asText(""))
                                    .filter(id -> !id.isEmpty())
                                    .map(MemberId::parse),
                            node.path("progress").asText("")),
                    Instant.parse(node.path("since").asText()),
                    Instant.parse(node.path("reached").asText()),
                    LockRecord.DURATION);
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            return new LockRecord(
                    new LockHolder("?", ""),
                    new Work("change", Optional.empty(), ""),
                    Instant.EPOCH,
                    Instant.EPOCH,
                    LockRecord.DURATION);
        }
    }
}
