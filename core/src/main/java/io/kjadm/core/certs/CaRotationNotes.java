package io.kjadm.core.certs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.MemberId;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What the nodes tell each other in etcd while its CA is rotated. */
final class CaRotationNotes {

    private static final String ALL = EtcdValues.PREFIX + "etcd/ca-rotation/";
    private static final String RECORD = ALL + "record";
    private static final String MEMBERS = ALL + "members/";
    private static final String ENDED = EtcdValues.PREFIX + "etcd/ca-rotation-ended";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EtcdValues values;

    CaRotationNotes(EtcdValues values) {
        this.values = values;
    }

    /** A rotation that has ended: to which CA, and when. */
    record Ended(String newPem, Instant at) {}

    Optional<CaRotationRecord> read() {
        return values.read(RECORD).map(CaRotationRecord::parse);
    }

    /**
     * Begins one, unless another node has done so by now. May be repeated.
     *
     * @return whether this record is the one that lies there
     */
    boolean begin(CaRotationRecord record) {
        String json = record.json();
        return values.create(RECORD, json) || values.read(RECORD).equals(Optional.of(json));
    }

    /** How far the members' nodes are, those that have said nothing left out. */
    Map<MemberId, CaRotationStage> stages() {
        Map<MemberId, CaRotationStage> stages = new HashMap<>();
        values.readAll(MEMBERS).forEach((key, stage) -> {
            try {
                stages.put(
                        MemberId.parse(key.substring(MEMBERS.length())),
                        CaRotationStage.valueOf(stage));
            } catch (IllegalArgumentException e) {
                // a stage of a later program is none that this one could build on
            }
        });
        return stages;
    }

    void tell(MemberId member, CaRotationStage stage) {
        values.write(MEMBERS + member, stage.name());
    }

    /** Nobody needs the notes any more; that it has ended is kept. */
    void end(CaRotationRecord record, Instant now) {
        values.write(
                ENDED,
                JSON.createObjectNode()
                        .put("newCertificate", record.newPem())
                        .put("at", now.toString())
                        .toString());
        values.removeAll(ALL);
    }

    /** The rotation that ended last, if it can be read. */
    Optional<Ended> ended() {
        return values.read(ENDED).flatMap(text -> {
            try {
                JsonNode node = JSON.readTree(text);
                return Optional.of(new Ended(
                        node.path("newCertificate").asText(),
                        Instant.parse(node.path("at").asText())));
            } catch (JsonProcessingException | DateTimeException e) {
                return Optional.empty();
            }
        });
    }
}
