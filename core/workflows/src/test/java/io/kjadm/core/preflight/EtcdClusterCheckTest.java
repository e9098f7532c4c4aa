package io.kjadm.core.preflight;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;

import io.kjadm.core.check.Finding;
import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class EtcdClusterCheckTest {

    private static final URI A = URI.create("https://10.0.0.1:2379");
    private static final URI B = URI.create("https://10.0.0.2:2379");
    private static final URI SILENT = URI.create("https://10.0.0.3:2379");

    private static List<Finding> findings(Map<URI, String> clusters) {
        return EtcdClusterCheck.of(
                        List.of(A, B, SILENT),
                        endpoint -> Optional.ofNullable(clusters.get(endpoint)))
                .run();
    }

    @Test
    void endpointsOfOneClusterPass() {
        assertEquals(List.of(), findings(Map.of(A, "c1", B, "c1")));
        assertEquals(List.of(), findings(Map.of()));
    }

    @Test
    void endpointsOfTwoClustersAreAnErrorWithBothIds() {
        assertEquals(
                List.of(new Finding(
                        Finding.Level.ERROR,
                        ("the endpoints of the external etcd belong to different clusters:"
                                        + " cluster ID c1: %s; cluster ID c2: %s;"
                                        + " name those of one cluster in etcd.external.endpoints")
                                .formatted(A, B))),
                findings(Map.of(A, "c1", B, "c2")));
    }

    /** In the form of etcd 3.4 to 3.7; the ID is shown as etcdctl shows it. */
    @Test
    void theIdIsReadFromEtcdsJson() throws IOException {
        assertEquals(
                Optional.of("cdf818194e3a8c32"),
                idFrom(
                        200,
                        "{\"header\":{\"cluster_id\":\"14841639068965178418\",\"member_id\":\"10276657743932975437\",\"raft_term\":\"2\"},\"version\":\"3.6.14\"}"));
    }

    @Test
    void anEtcdWithoutItsJsonApiDoesNotTell() throws IOException {
        assertEquals(Optional.empty(), idFrom(404, "404 page not found"));
        assertEquals(Optional.empty(), idFrom(200, "{}"));
        assertEquals(
                Optional.empty(),
                idFrom(200, "{\"header\":{\"cluster_id\":\"99999999999999999999\"}}"));
    }

    private static Optional<String> idFrom(int status, String answer) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        List<String> asked = new ArrayList<>();
        server.createContext("/", exchange -> {
            asked.add("%s %s %s"
                    .formatted(
                            exchange.getRequestMethod(),
                            exchange.getRequestURI(),
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8)));
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            ExternalEtcd etcd = new ExternalEtcd(
                    List.of(uri),
                    List.of(uri),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
            return new EtcdHttpGetter(etcd, new MemoryFiles()).clusterId(uri);
        } finally {
            server.stop(0);
            assertEquals(List.of("POST /v3/maintenance/status {}"), asked);
        }
    }
}
