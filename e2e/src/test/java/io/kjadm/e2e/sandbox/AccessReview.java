package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.ArrayList;

/** Answers who may do what ({@code subjectaccessreviews}), by the roles that are stored. */
final class AccessReview {
    static final String RESOURCE = "subjectaccessreviews";

    private final Authorizer authorizer;

    AccessReview(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    /** The review with its answer. */
    ObjectNode answer(ObjectNode review) throws IOException {
        var spec = review.path("spec");
        var groups = new ArrayList<String>();
        spec.path("groups").forEach(group -> groups.add(group.asText()));
        var caller = new Caller(spec.path("user").asText(""), groups);
        var wanted = spec.path("resourceAttributes");
        var path = new ResourcePath(
                wanted.path("group").asText(""),
                wanted.path("version").asText("v1"),
                wanted.path("namespace").asText(""),
                wanted.path("resource").asText(),
                wanted.path("name").asText(""),
                wanted.path("subresource").asText(""));
        review.withObject("/status")
                .put(
                        "allowed",
                        authorizer.allowsByRole(caller, wanted.path("verb").asText(), path));
        return review;
    }
}
