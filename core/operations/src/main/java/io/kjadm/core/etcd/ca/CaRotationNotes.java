package io.kjadm.core.etcd.ca;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.MemberId;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the nodes tell each other in etcd while its CA is rotated. */
record CaRotationNotes(EtcdValues values) {

    private static final String ALL = EtcdValues.PREFIX + "etcd/ca-rotation/";
    private static final String RECORD = ALL + "record";
    private static final String MEMBERS = ALL + "members/";
    private static final String ENDED = EtcdValues.PREFIX + "etcd/ca-rotation-ended";

    /** A rotation that has ended: to which CA, and when. */
    record Ended(String newCertificate, Instant at) {}

    /**
     * What is noted at one revision.
     *
     * @param rotation that is under way, if one is
     * @param stages   how far the members' nodes are, those that have said nothing left out
     * @param begun    the members whose nodes have said anything, if only a later program knows what
     */
    record Noted(
            Optional<CaRotationRecord> rotation,
            Map<MemberId, CaRotationStage> stages,
            Set<MemberId> begun) {}

    /**
     * Reads the rotation and the stages at once. Between two reads another node may end the rotation:
     * a node that saw the rotation, and then no stage, would begin it a second time.
     */
    Noted read() {
        Map<String, String> noted = values.readAll(ALL);
        return new Noted(
                Optional.ofNullable(noted.get(RECORD)).map(CaRotationRecord::parse),
                stages(noted),
                begun(noted));
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

    private static Map<MemberId, CaRotationStage> stages(Map<String, String> noted) {
        Map<MemberId, CaRotationStage> stages = new HashMap<>();
        noted.forEach((key, stage) -> {
            if (!key.startsWith(MEMBERS)) {
                return;
            }
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

    private static Set<MemberId> begun(Map<String, String> noted) {
        Set<MemberId> begun = new HashSet<>();
        for (String key : noted.keySet()) {
            if (key.startsWith(MEMBERS)) {
                try {
                    begun.add(MemberId.parse(key.substring(MEMBERS.length())));
                } catch (IllegalArgumentException e) {
                    // it is of no member
                }
            }
        }
        return begun;
    }

    /**
     * Notes how far a member's node is in a rotation. Nothing is noted if that is not the one under
     * way any more: the stage would count for the next one.
     */
    void tell(CaRotationRecord rotation, MemberId member, CaRotationStage stage) {
        noted(rotation)
                .ifPresent(text -> values.writeIf(RECORD, text, MEMBERS + member, stage.name()));
    }

    /** Removes the notes of a rotation, and of no other that was begun meanwhile. */
    void remove(CaRotationRecord rotation) {
        noted(rotation).ifPresent(text -> values.removeAllIf(RECORD, text, ALL));
    }

    /** The record as it lies in etcd; another version may have written it. */
    private Optional<String> noted(CaRotationRecord rotation) {
        return values.read(RECORD).filter(text -> {
            CaRotationRecord there = CaRotationRecord.parse(text);
            return there.formerPem().equals(rotation.formerPem())
                    && there.newPem().equals(rotation.newPem());
        });
    }

    /**
     * Nobody needs the notes any more; that it has ended is kept. Where another node has ended it by
     * now, nothing is changed: the next one may have begun.
     */
    void end(CaRotationRecord rotation, Instant now) {
        noted(rotation).ifPresent(text -> {
            values.write(
                    ENDED, JournalJson.tree(new Ended(rotation.newPem(), now)).toString());
            values.removeAllIf(RECORD, text, ALL);
        });
    }

    /** The rotation that ended last, if it can be read. */
    Optional<Ended> ended() {
        return values.read(ENDED).flatMap(text -> {
            try {
                return Optional.of(JournalJson.read(JournalJson.parse(text), Ended.class));
            } catch (JsonProcessingException e) {
                return Optional.empty();
            }
        });
    }
}
