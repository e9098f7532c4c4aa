package io.kjadm.core.snapshot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.JsonInput;
import io.kjadm.core.snapshot.SnapshotManifest.Bundle;
import io.kjadm.core.snapshot.SnapshotManifest.MemberHash;
import io.kjadm.core.snapshot.SnapshotManifest.Origin;
import io.kjadm.core.snapshot.SnapshotManifest.Plain;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.snapshot.SnapshotContent;

import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A manifest as JSON; fields that are not known here are passed over. */
final class ManifestJson {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORMAT = 1;

    private ManifestJson() {}

    static String text(SnapshotManifest manifest) {
        return tree(manifest).toPrettyString() + "\n";
    }

    static ObjectNode tree(SnapshotManifest manifest) {
        ObjectNode node = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("name", manifest.name())
                .put("takenAt", manifest.taken().toString());
        Origin origin = manifest.origin();
        ObjectNode from = node.putObject("origin")
                .put("clusterId", origin.clusterId())
                .put("memberId", origin.memberId().toString())
                .put("memberName", origin.memberName())
                .put("etcdVersion", origin.etcd().toString());
        if (!origin.members().isEmpty()) {
            ArrayNode members = from.putArray("members");
            origin.members().forEach(member -> put(members.addObject(), member));
        }
        put(node.putObject("snapshot"), manifest.plain());
        put(node.putObject("stored"), manifest.stored());
        ArrayNode hashes = node.putArray("hashKV");
        manifest.hashes().forEach(hash -> put(hashes.addObject(), hash));
        ObjectNode labels = node.putObject("labels");
        manifest.labels().forEach(labels::put);
        return node;
    }

    private static void put(ObjectNode node, Member member) {
        node.put("id", member.id().toString())
                .put("name", member.name())
                .put("learner", member.learner());
        ArrayNode peers = node.putArray("peerUrls");
        member.peerUrls().forEach(url -> peers.add(url.toString()));
        ArrayNode clients = node.putArray("clientUrls");
        member.clientUrls().forEach(url -> clients.add(url.toString()));
    }

    private static void put(ObjectNode node, Plain plain) {
        SnapshotContent content = plain.content();
        node.put("bytes", plain.bytes())
                .put("sha256", plain.sha256())
                .put("revision", content.revision())
                .put("compactRevision", content.compactRevision())
                .put("entries", content.total().entries())
                .put("hash", Integer.toUnsignedLong(content.total().hash()))
                .put("databaseBytes", content.databaseBytes())
                .put("consistentIndex", content.raft().index())
                .put("term", content.raft().term());
        content.storageVersion()
                .ifPresent(version -> node.put("storageVersion", version.toString()));
        ArrayNode buckets = node.putArray("buckets");
        content.buckets().forEach(buckets::add);
    }

    private static void put(ObjectNode node, Stored stored) {
        node.put("bytes", stored.bytes())
                .put("sha256", stored.sha256())
                .put("compression", stored.encoding().gzip() ? "gzip" : "none");
        ArrayNode recipients = node.putArray("recipients");
        stored.encoding().recipients().forEach(recipients::add);
        stored.pki()
                .ifPresent(pki -> node.putObject("pki")
                        .put("bytes", pki.bytes())
                        .put("sha256", pki.sha256()));
    }

    private static void put(ObjectNode node, MemberHash told) {
        node.put("memberId", told.member().toString());
        told.hash()
                .ifPresentOrElse(
                        hash -> node.put("revision", hash.revision())
                                .put("compactRevision", hash.compactRevision())
                                .put("hash", Integer.toUnsignedLong(hash.hash())),
                        () -> node.put("silence", told.silence()));
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it is none, or of a format that is not known
     */
    static SnapshotManifest parse(String text) {
        try {
            JsonNode node = JsonInput.tree(text);
            if (number(node, "format") != FORMAT) {
                throw new IllegalArgumentException("it is of format %s, and %d is known"
                        .formatted(node.path("format").asText(), FORMAT));
            }
            return new SnapshotManifest(
                    word(node, "name"),
                    origin(field(node, "origin")),
                    Instant.parse(word(node, "takenAt")),
                    plain(field(node, "snapshot")),
                    stored(field(node, "stored")),
                    hashes(node.path("hashKV")),
                    labels(node.path("labels")));
        } catch (JsonProcessingException | DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Origin origin(JsonNode node) {
        return new Origin(
                word(node, "clusterId"),
                MemberId.parse(word(node, "memberId")),
                word(node, "memberName"),
                EtcdVersion.parse(word(node, "etcdVersion")),
                members(node.path("members")));
    }

    private static List<Member> members(JsonNode nodes) {
        List<Member> members = new ArrayList<>();
        for (JsonNode node : nodes) {
            members.add(new Member(
                    MemberId.parse(word(node, "id")),
                    word(node, "name"),
                    words(node.path("peerUrls")).stream().map(URI::create).toList(),
                    words(node.path("clientUrls")).stream().map(URI::create).toList(),
                    node.path("learner").asBoolean(false)));
        }
        return members;
    }

    private static Plain plain(JsonNode node) {
        return new Plain(
                new SnapshotContent(
                        number(node, "revision"),
                        number(node, "compactRevision"),
                        new SnapshotContent.Total(
                                number(node, "entries"), (int) number(node, "hash")),
                        number(node, "databaseBytes"),
                        new SnapshotContent.AppliedEntry(
                                number(node, "consistentIndex"), number(node, "term")),
                        Optional.ofNullable(node.get("storageVersion"))
                                .map(JsonNode::asText)
                                .map(EtcdVersion::parse),
                        words(node.path("buckets"))),
                number(node, "bytes"),
                word(node, "sha256"));
    }

    private static Stored stored(JsonNode node) {
        return new Stored(
                number(node, "bytes"),
                word(node, "sha256"),
                new SnapshotEncoding(
                        switch (word(node, "compression")) {
                            case "gzip" -> true;
                            case "none" -> false;
                            case String other ->
                                throw new IllegalArgumentException(
                                        "compression %s is not known".formatted(other));
                        },
                        words(node.path("recipients"))),
                Optional.ofNullable(node.get("pki"))
                        .map(pki -> new Bundle(number(pki, "bytes"), word(pki, "sha256"))));
    }

    private static List<MemberHash> hashes(JsonNode nodes) {
        List<MemberHash> hashes = new ArrayList<>();
        for (JsonNode node : nodes) {
            hashes.add(new MemberHash(
                    MemberId.parse(word(node, "memberId")),
                    node.has("hash")
                            ? Optional.of(new KvHash(
                                    number(node, "revision"), number(node, "compactRevision"), (int)
                                            number(node, "hash")))
                            : Optional.empty(),
                    node.path("silence").asText("")));
        }
        return hashes;
    }

    private static Map<String, String> labels(JsonNode node) {
        Map<String, String> labels = new TreeMap<>();
        node.properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    private static List<String> words(JsonNode nodes) {
        List<String> words = new ArrayList<>();
        nodes.forEach(node -> words.add(node.asText()));
        return words;
    }

    private static JsonNode field(JsonNode node, String name) {
        return Optional.ofNullable(node.get(name))
                .orElseThrow(() -> new IllegalArgumentException("it has no " + name));
    }

    private static String word(JsonNode node, String name) {
        return field(node, name).asText();
    }

    private static long number(JsonNode node, String name) {
        JsonNode field = field(node, name);
        if (!field.isIntegralNumber() || !field.canConvertToLong()) {
            throw new IllegalArgumentException("%s is no number".formatted(name));
        }
        return field.asLong();
    }
}
