package io.kjadm.core.recover;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

import io.kjadm.core.host.JsonInput;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * A member as etcd's database has it, in JSON (etcd's {@code server/etcdserver/api/membership}):
 * {@code {"id":10276657743932975437,"peerURLs":["…"],"isLearner":true,"name":"…","clientURLs":["…"]}}.
 */
final class StoredMember {

    private StoredMember() {}

    /** Those of a database; none if one cannot be read, as half a list is worse. */
    static List<Member> list(List<String> stored) {
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

    private static List<URI> urls(JsonNode list) {
        List<URI> urls = new ArrayList<>();
        list.forEach(url -> urls.add(URI.create(url.asText())));
        return urls;
    }
}
