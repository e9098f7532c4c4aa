package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Member;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** The objects of {@code -o json} say what etcd says ({@code docs/output-for-programs.md}). */
@NeedsLab
@Tag("long")
final class ResultsIT {

    private static final String[] FOR_PROGRAMS = {"-o", "json", "--log-format", "json"};

    /** The object on standard output. */
    static JsonNode result(Outcome outcome) {
        return tree(outcome.stdout());
    }

    private static JsonNode tree(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    private static void assertEvents(String lines) {
        lines.lines().forEach(event -> assertTrue(tree(event).has("level"), event));
    }

    private static String memberOf(Cluster cluster, Node node) {
        return cluster.members(node).stream()
                .filter(member -> member.name().equals(node.name()))
                .map(Member::id)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void resultsNameTheMemberThatEtcdLists() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard());
            var first = lab.node(1);
            var second = lab.node(2);

            var init = cluster.init(Tool.KJADM, FOR_PROGRAMS);
            var made = result(init);
            assertEquals(memberOf(cluster, first), made.at("/etcd/memberID").asText());
            assertEquals("node1", made.path("nodeName").asText());
            assertEvents(init.stderr());
            assertFalse(init.stderr().contains(cluster.credentials().token()), "token");
            assertFalse(init.stderr().contains(cluster.credentials().certificateKey()), "key");

            var join = cluster.tryJoinControlPlane(Tool.KJADM, second, FOR_PROGRAMS)
                    .orFail();
            assertEvents(join.stderr());
            var joined = result(join);
            assertEquals(memberOf(cluster, second), joined.at("/etcd/memberID").asText());
            assertEquals(made.at("/etcd/clusterID"), joined.at("/etcd/clusterID"));
            var files = joined.path("files").findValuesAsText("path");
            assertTrue(files.contains(Node.ETCD_MANIFEST), files.toString());
            files.forEach(file -> assertTrue(second.exists(file), file));

            var again = result(cluster.tryJoinControlPlane(Tool.KJADM, second, FOR_PROGRAMS));
            assertEquals("Preflight", again.at("/problem/kind").asText(), again::toString);
            assertEquals(List.of(), again.path("files").findValuesAsText("path"));

            var reset = second.exec("kjadm", "reset", "--force", "-o", "json").orFail();
            assertEquals(joined.path("etcd"), result(reset).path("etcd"));
            cluster.assertVoters(first);
        }
    }
}
