package io.kjadm.core.recover;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.JsonInput;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.LogEvidence;
import io.kjadm.etcd.recover.MemberAnswer;
import io.kjadm.etcd.recover.NodeEvidence;
import io.kjadm.etcd.recover.NodeEvidence.OwnMember;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;

import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Evidence of a node as JSON, to be carried to another one. There is nothing secret in it. Fields
 * that are not known here are passed over.
 */
public final class EvidenceJson {

    /** Of the object. */
    public static final String KIND = "EtcdNodeEvidence";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};
    private static final String DAMAGED = "damaged";

    private EvidenceJson() {}

    /** Its fields, without a header. */
    public static Map<String, Object> fields(NodeEvidence evidence) {
        return JSON.convertValue(tree(evidence), MAP);
    }

    private static ObjectNode tree(NodeEvidence evidence) {
        ObjectNode node = JSON.createObjectNode()
                .put("node", evidence.node())
                .put("takenAt", evidence.taken().toString())
                .put("bootID", evidence.look().boot());
        evidence.own().ifPresent(own -> put(node.putObject("member"), own));
        ArrayNode answers = node.putArray("answers");
        evidence.answers().forEach(answer -> put(answers.addObject(), answer));
        ArrayNode strangers = node.putArray("strangers");
        evidence.strangers().forEach(answer -> put(strangers.addObject(), answer));
        ArrayNode alarms = node.putArray("alarms");
        evidence.alarms()
                .forEach(alarm -> alarms.addObject()
                        .put("member", alarm.memberId().toString())
                        .put("kind", alarm.kind()));
        texts(node.putArray("silent"), evidence.silent());
        return node;
    }

    private static void texts(ArrayNode array, Collection<?> values) {
        values.forEach(value -> array.add(value.toString()));
    }

    private static void put(ObjectNode node, OwnMember own) {
        node.put("name", own.name());
        texts(node.putArray("peerURLs"), own.peerUrls());
        ArrayNode started = node.putArray("startedWith");
        own.startedWith()
                .forEach(other -> started.addObject()
                        .put("name", other.name())
                        .put("peerURL", other.peerUrl().toString()));
        ObjectNode disk = node.putObject("disk").put("dataDir", own.disk().dataDir());
        switch (own.disk()) {
            case DiskEvidence.Empty empty -> {
                disk.put("state", "empty");
                texts(disk.putArray("setAside"), empty.setAside());
                empty.owner().ifPresent(owner -> disk.put("owner", owner));
                texts(disk.putArray("notMounted"), empty.absent());
            }
            case DiskEvidence.Unreadable unreadable ->
                disk.put("state", "unreadable").put("why", unreadable.why());
            case DiskEvidence.Held held -> {
                disk.put("state", "data");
                put(disk.putObject("log"), held.log());
                put(disk.putObject("database"), held.database());
                ArrayNode members = disk.putArray("members");
                held.members().forEach(member -> put(members.addObject(), member));
                held.doubt().ifPresent(doubt -> disk.put("doubt", doubt));
            }
        }
    }

    private static void put(ObjectNode node, LogEvidence log) {
        switch (log) {
            case LogEvidence.Damaged(String why) -> node.put(DAMAGED, why);
            case LogEvidence.Readable readable ->
                node.put("memberID", readable.memberId().toString())
                        .put("clusterID", readable.clusterId())
                        .put("commit", readable.position().commit())
                        .put("lastTerm", readable.position().lastTerm())
                        .put("lastIndex", readable.position().lastIndex())
                        .put("committedNotApplied", readable.gap().committed())
                        .put("notCommitted", readable.gap().open());
        }
    }

    private static void put(ObjectNode node, DatabaseEvidence database) {
        switch (database) {
            case DatabaseEvidence.Damaged(String why) -> node.put(DAMAGED, why);
            case DatabaseEvidence.Unread(String why) -> node.put("unread", why);
            case DatabaseEvidence.Whole whole ->
                node.put("revision", whole.revision())
                        .put("appliedIndex", whole.applied())
                        .put("term", whole.term())
                        .put("bytes", whole.bytes());
        }
    }

    private static void put(ObjectNode node, Member member) {
        node.put("id", member.id().toString())
                .put("name", member.name())
                .put("learner", member.learner());
        texts(node.putArray("peerURLs"), member.peerUrls());
        texts(node.putArray("clientURLs"), member.clientUrls());
    }

    private static void put(ObjectNode node, MemberAnswer answer) {
        put(node, answer.member());
        if (!answer.silence().isEmpty()) {
            node.put("silence", answer.silence());
        }
        answer.status().ifPresent(status -> put(node.putObject("status"), status));
        answer.hash()
                .ifPresent(hash -> node.putObject("hashKV")
                        .put("revision", hash.revision())
                        .put("compactRevision", hash.compactRevision())
                        .put("hash", Integer.toUnsignedLong(hash.hash())));
    }

    private static void put(ObjectNode node, MemberStatus status) {
        node.put("memberID", status.memberId().toString())
                .put("clusterID", status.clusterId())
                .put("leaderID", status.leaderId().toString())
                .put("version", status.version().toString())
                .put("dbSizeBytes", status.dbSizeBytes())
                .put("raftTerm", status.raftTerm())
                .put("raftIndex", status.raftIndex())
                .put("raftAppliedIndex", status.appliedIndex())
                .put("learner", status.learner());
        texts(node.putArray("errors"), status.errors());
    }

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException if it is no such object, with the reason
     */
    public static NodeEvidence parse(String text) {
        try {
            JsonNode node = JsonInput.tree(text);
            if (!node.path("kind").asText().equals(KIND)) {
                throw new IllegalArgumentException("it is no object of kind " + KIND);
            }
            return new NodeEvidence(
                    new NodeEvidence.Look(
                            word(node, "node"),
                            Instant.parse(word(node, "takenAt")),
                            node.path("bootID").asText("")),
                    node.has("member") ? Optional.of(own(node.path("member"))) : Optional.empty(),
                    list(node.path("answers"), EvidenceJson::answer),
                    list(node.path("strangers"), EvidenceJson::answer),
                    list(
                            node.path("alarms"),
                            alarm -> new Alarm(
                                    MemberId.parse(word(alarm, "member")), word(alarm, "kind"))),
                    list(node.path("silent"), JsonNode::asText));
        } catch (JsonProcessingException | DateTimeException e) {
            throw new IllegalArgumentException(
                    e instanceof JsonProcessingException ? "it is not JSON" : e.getMessage(), e);
        }
    }

    private static <T> List<T> list(JsonNode array, Function<JsonNode, T> element) {
        List<T> list = new ArrayList<>();
        array.forEach(node -> list.add(element.apply(node)));
        return list;
    }

    private static String word(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field))
                .map(JsonNode::asText)
                .orElseThrow(() -> new IllegalArgumentException("it has no " + field));
    }

    private static long number(JsonNode node, String field) {
        return Optional.ofNullable(node.get(field))
                .filter(JsonNode::canConvertToLong)
                .map(JsonNode::asLong)
                .orElseThrow(() -> new IllegalArgumentException("it has no number " + field));
    }

    private static List<URI> urls(JsonNode array) {
        return list(array, url -> URI.create(url.asText()));
    }

    private static OwnMember own(JsonNode node) {
        Set<URI> peerUrls = new LinkedHashSet<>(urls(node.path("peerURLs")));
        return new OwnMember(
                word(node, "name"),
                peerUrls,
                list(
                        node.path("startedWith"),
                        other -> new StartedWith(
                                word(other, "name"), URI.create(word(other, "peerURL")))),
                disk(node.path("disk")));
    }

    private static DiskEvidence disk(JsonNode node) {
        String dataDir = word(node, "dataDir");
        String state = word(node, "state");
        return switch (state) {
            case "empty" ->
                new DiskEvidence.Empty(
                        dataDir,
                        list(node.path("setAside"), JsonNode::asText),
                        node.has("owner") ? Optional.of(word(node, "owner")) : Optional.empty(),
                        list(node.path("notMounted"), JsonNode::asText));
            case "unreadable" -> new DiskEvidence.Unreadable(dataDir, word(node, "why"));
            case "data" ->
                new DiskEvidence.Held(
                        dataDir,
                        log(node.path("log")),
                        database(node.path("database")),
                        list(node.path("members"), EvidenceJson::member),
                        node.has("doubt") ? Optional.of(word(node, "doubt")) : Optional.empty());
            default ->
                throw new IllegalArgumentException("\"%s\" is no state of a disk".formatted(state));
        };
    }

    private static LogEvidence log(JsonNode node) {
        return node.has(DAMAGED)
                ? new LogEvidence.Damaged(word(node, DAMAGED))
                : new LogEvidence.Readable(
                        MemberId.parse(word(node, "memberID")),
                        word(node, "clusterID"),
                        new LogEvidence.Position(
                                number(node, "commit"),
                                number(node, "lastTerm"),
                                number(node, "lastIndex")),
                        new LogEvidence.Gap(
                                number(node, "committedNotApplied"), number(node, "notCommitted")));
    }

    private static DatabaseEvidence database(JsonNode node) {
        if (node.has(DAMAGED)) {
            return new DatabaseEvidence.Damaged(word(node, DAMAGED));
        }
        return node.has("unread")
                ? new DatabaseEvidence.Unread(word(node, "unread"))
                : new DatabaseEvidence.Whole(
                        number(node, "revision"),
                        number(node, "appliedIndex"),
                        number(node, "term"),
                        number(node, "bytes"));
    }

    private static Member member(JsonNode node) {
        return new Member(
                MemberId.parse(word(node, "id")),
                word(node, "name"),
                urls(node.path("peerURLs")),
                urls(node.path("clientURLs")),
                node.path("learner").asBoolean());
    }

    private static MemberAnswer answer(JsonNode node) {
        return new MemberAnswer(
                member(node),
                node.has("status") ? Optional.of(status(node.path("status"))) : Optional.empty(),
                node.path("silence").asText(""),
                node.has("hashKV") ? Optional.of(hash(node.path("hashKV"))) : Optional.empty());
    }

    private static KvHash hash(JsonNode node) {
        return new KvHash(number(node, "revision"), number(node, "compactRevision"), (int)
                number(node, "hash"));
    }

    private static MemberStatus status(JsonNode node) {
        return new MemberStatus(
                MemberId.parse(word(node, "memberID")),
                word(node, "clusterID"),
                MemberId.parse(word(node, "leaderID")),
                MemberStatus.Versions.of(EtcdVersion.parse(word(node, "version"))),
                number(node, "dbSizeBytes"),
                number(node, "raftTerm"),
                number(node, "raftIndex"),
                number(node, "raftAppliedIndex"),
                node.path("learner").asBoolean(),
                list(node.path("errors"), JsonNode::asText));
    }
}
