package io.kjadm.core.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.JsonInput;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.math.BigInteger;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * A member as etcd's database has it, in JSON (etcd's {@code server/etcdserver/api/membership}):
 * {@code {"id":10276657743932975437,"peerURLs":["…"],"isLearner":true,"name":"…","clientURLs":["…"]}}.
 */
public final class StoredMember {

    private StoredMember() {}

    /** Those of a database; none if one cannot be read, as half a list is worse. */
    public static List<Member> list(List<String> stored) {
        List<Member> members = new ArrayList<>();
        try {
            for (String text : stored) {
                JsonNode node = JsonInput.tree(text);
                members.add(new Member(
                        new MemberId(node.path("id").bigIntegerValue().longValue()),
                        node.path("name").asText(""),
                        urls(node.path("peerURLs")),
                        urls(node.path("clientURLs")),
                        node.path("isLearner").asBoolean(false)));
            }
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return List.of();
        }
        return members;
    }

    /** Members as one JSON list. */
    public static String write(List<Member> members) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (Member member : members) {
            ObjectNode node = list.addObject()
                    .put("id", new BigInteger(Long.toUnsignedString(member.id().value())))
                    .put("name", member.name())
                    .put("isLearner", member.learner());
            ArrayNode peers = node.putArray("peerURLs");
            member.peerUrls().forEach(url -> peers.add(url.toString()));
            ArrayNode clients = node.putArray("clientURLs");
            member.clientUrls().forEach(url -> clients.add(url.toString()));
        }
        return list.toPrettyString() + "\n";
    }

    /** Reads what {@link #write} has written; none if it cannot be read. */
    public static List<Member> parse(String text) {
        List<String> stored = new ArrayList<>();
        try {
            JsonInput.tree(text).forEach(node -> stored.add(node.toString()));
        } catch (JsonProcessingException e) {
            return List.of();
        }
        return list(stored);
    }

    private static List<URI> urls(JsonNode list) {
        List<URI> urls = new ArrayList<>();
        list.forEach(url -> urls.add(URI.create(url.asText())));
        return urls;
    }
}
